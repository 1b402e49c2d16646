#include "emulator/cost/cache.h"

#include "emulator/cost/geometry.h"

#define SLOT_MASK ((uint64_t)(CACHE_MAX_WAYS - 1) << CACHE_SLOT_SHIFT)

struct cache cache_describe(uint64_t bytes, unsigned ways)
{
    uint64_t set_count = bytes / LINE_BYTES / ways;
    return (struct cache){.ways = ways, .set_count = set_count > 0 ? set_count : 1};
}

struct cache_entry cache_touch(const struct cache *cache, uint64_t set, uint64_t key)
{
    /* Move each entry back by one, up to the line's previous entry or the first free entry. */
    struct cache_entry *first = cache_entry_of(cache, set, 0), moved = {key, 0};
    for (unsigned way = 0; way < cache->ways; way++) {
        struct cache_entry *place = cache_entry_of(cache, set, way), here = *place;
        *place = moved;
        moved = here;
        if (here.key != key && here.key != 0)
            continue;
        first->state = here.key == key ? here.state : (uint64_t)way << CACHE_SLOT_SHIFT;
        return (struct cache_entry){0, 0};
    }
    first->state = moved.state & SLOT_MASK;
    return moved;
}
