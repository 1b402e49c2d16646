/* large_table.c: see large_table.h. */
#define _GNU_SOURCE
#include "base/large_table.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

void *large_table_create(size_t count, size_t size)
{
    void *table = calloc(count, size);
#ifdef MADV_HUGEPAGE
    enum { LARGE_PAGE = 2 << 20 };
    /* Whole large pages inside; advice that the kernel does not take changes nothing. */
    uintptr_t begin = ((uintptr_t)table + LARGE_PAGE - 1) & ~(uintptr_t)(LARGE_PAGE - 1);
    uintptr_t end = ((uintptr_t)table + count * size) & ~(uintptr_t)(LARGE_PAGE - 1);
    if (table != NULL && begin < end)
        madvise((void *)begin, end - begin, MADV_HUGEPAGE);
#endif
    return table;
}
