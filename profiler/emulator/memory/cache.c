/* cache.c: see cache.h. */
#include "emulator/memory/cache.h"

#include "emulator/memory/geometry.h"

#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>

#define SLOT_MASK ((uint64_t)(CACHE_MAX_WAYS - 1) << CACHE_SLOT_SHIFT)

/* calloc, for a table of megabytes of which a launch touches most pages, in no order: asks for
 * large pages (2 MB each, where one fits), so that the host takes one fault where it would take
 * hundreds. Those that are never touched cost nothing. */
static void *large_table_create(size_t count, size_t size)
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

bool cache_create(struct cache *cache, uint64_t bytes, unsigned ways)
{
    uint64_t set_count = bytes / LINE_BYTES / ways;
    *cache = (struct cache){.ways = ways, .set_count = set_count > 0 ? set_count : 1};
    cache->entries = large_table_create(cache->set_count * ways, sizeof *cache->entries);
    return cache->entries != NULL;
}

struct cache_entry cache_bring(struct cache_entry *set, unsigned ways, uint64_t key)
{
    struct cache_entry gone = {0, 0}, entry;
    unsigned at = 0;
    while (at < ways && set[at].key != 0 && set[at].key != key)
        at++;
    if (at == ways) {
        gone = set[--at];
        entry = (struct cache_entry){key, gone.state & SLOT_MASK};
    } else if (set[at].key != 0) {
        entry = set[at];
    } else {
        entry = (struct cache_entry){key, (uint64_t)at << CACHE_SLOT_SHIFT};
    }
    for (; at > 0; at--)
        set[at] = set[at - 1];
    set[0] = entry;
    return gone;
}
