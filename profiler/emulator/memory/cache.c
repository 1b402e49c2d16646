/* cache.c: see cache.h. */
#include "emulator/memory/cache.h"

#include "emulator/memory/geometry.h"

#define SLOT_MASK ((uint64_t)(CACHE_MAX_WAYS - 1) << CACHE_SLOT_SHIFT)

struct cache cache_describe(uint64_t bytes, unsigned ways)
{
    uint64_t set_count = bytes / LINE_BYTES / ways;
    return (struct cache){.ways = ways, .set_count = set_count > 0 ? set_count : 1};
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
