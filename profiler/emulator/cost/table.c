#include "emulator/cost/table.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { LARGE_PAGE = 2 << 20 };

static size_t whole_pages(size_t bytes)
{
    return (bytes + LARGE_PAGE - 1) & ~(size_t)(LARGE_PAGE - 1);
}

void *table_create(size_t bytes)
{
    if (bytes < LARGE_PAGE) {
        void *small = aligned_alloc(64, (bytes + 63) & ~(size_t)63);
        return small ? memset(small, 0, bytes) : NULL;
    }
    /* One additional page, for the alignment. */
    size_t needed = whole_pages(bytes), more = needed + LARGE_PAGE;
    unsigned char *all =
        mmap(NULL, more, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED)
        return NULL;
    size_t before = whole_pages((uintptr_t)all) - (uintptr_t)all;
    if (before > 0)
        munmap(all, before);
    munmap(all + before + needed, LARGE_PAGE - before);
#ifdef MADV_HUGEPAGE
    madvise(all + before, needed, MADV_HUGEPAGE);
#endif
    return all + before;
}

void table_free(void *table, size_t bytes)
{
    if (bytes < LARGE_PAGE)
        free(table);
    else if (table)
        munmap(table, whole_pages(bytes));
}
