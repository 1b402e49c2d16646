/* cache.h: the sets of a cache, for the L1s and the L2. A set is a list of entries. The most
 * recently used entry is first, and the last entry is evicted. The caller hashes lines to sets.
 * Without a hash, accesses with a power-of-two pitch would use only a few sets. All-zero memory is
 * an empty cache, so untouched pages of a table cost nothing. The first ways of all sets are
 * adjacent, because small grids use only these ways. */
#ifndef CACHE_H
#define CACHE_H

#include "emulator/cost/geometry.h"

#include <stddef.h>
#include <stdint.h>

/* Free entries are all zero, and follow the used entries of their set. */
struct cache_entry {
    uint64_t key;   /* Line number + 1. */
    uint64_t state; /* The caller defines all bits except for the slot. */
};

/* Each state contains the entry's *slot*, a number below `ways` that does not change while the
 * entry moves in its set. The L2 addresses byte masks by slot. */
enum { CACHE_SLOT_SHIFT = 60 };

/* The adjacent entries of a set fill one cache line of the host. */
enum { CACHE_GROUP = 64 / sizeof(struct cache_entry) };

struct cache {
    struct cache_entry *entries; /* Group 0 of all sets, then group 1 of all sets, and so on. */
    uint64_t set_count;
    unsigned ways;
};

/* Returns an empty cache. The caller sets its `entries` to cache_bytes bytes of zeroed memory. */
static inline struct cache cache_describe(uint64_t bytes, unsigned ways)
{
    uint64_t set_count = bytes / LINE_BYTES / ways;
    return (struct cache){.ways = ways, .set_count = set_count > 0 ? set_count : 1};
}

static inline size_t cache_bytes(const struct cache *cache)
{
    return cache->set_count * ((cache->ways + CACHE_GROUP - 1) / CACHE_GROUP * CACHE_GROUP) *
           sizeof *cache->entries;
}

static inline struct cache_entry *cache_entry_of(const struct cache *cache, uint64_t set,
                                                 unsigned way)
{
    return cache->entries + (way / CACHE_GROUP * cache->set_count + set) * CACHE_GROUP +
           way % CACHE_GROUP;
}

/* Move the entry of the line with this key to the front of its set. After a miss, the line gets a
 * new entry with only a slot as state. Returns the evicted entry, all zero if there is none. */
static inline struct cache_entry cache_touch(const struct cache *cache, uint64_t set, uint64_t key)
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
    first->state = moved.state >> CACHE_SLOT_SHIFT << CACHE_SLOT_SHIFT;
    return moved;
}

#endif
