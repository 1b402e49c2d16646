/* cache.h: the sets of a cache, for the L1s and the L2.
 *
 * A set is a row of entries (line number and state), the most recently used first: using a line
 * moves its entry to the front, and the last one is evicted. A hit on the most recent line, the
 * common case, reads one cache line of the host. Which set a line belongs to is hashed by the
 * owner: real caches hash too, and a pitch of a power of two would otherwise use only a few sets.
 * All-zero memory is an empty cache, so that untouched pages of a table cost nothing; the first
 * ways of all sets stand together, since a small grid uses no others.
 */
#ifndef CACHE_H
#define CACHE_H

#include <stddef.h>
#include <stdint.h>

/* A line in a cache. Free entries are all zero and stand last in their set. */
struct cache_entry {
    uint64_t key;   /* line number + 1 */
    uint64_t state; /* the owner's, but for the slot */
};

/* In every state: the entry's *slot*, a number below `ways` that stays with it while it moves about
 * in its set (the L2 keeps masks by slot). */
enum { CACHE_MAX_WAYS = 16, CACHE_SLOT_SHIFT = 60 };

/* Entries of a set that stand together: a cache line of the host. */
enum { CACHE_GROUP = 64 / sizeof(struct cache_entry) };

struct cache {
    struct cache_entry *entries; /* the first group of each set, the second of each, ... */
    uint64_t set_count;
    unsigned ways;
};

/* A cache of at least one set, without its entries. */
struct cache cache_describe(uint64_t bytes, unsigned ways);

/* Bytes of its entries. */
static inline size_t cache_bytes(const struct cache *cache)
{
    return cache->set_count * ((cache->ways + CACHE_GROUP - 1) / CACHE_GROUP * CACHE_GROUP) *
           sizeof *cache->entries;
}

/* A set's entry of that number. */
static inline struct cache_entry *cache_entry_of(const struct cache *cache, uint64_t set,
                                                 unsigned way)
{
    return cache->entries + (way / CACHE_GROUP * cache->set_count + set) * CACHE_GROUP +
           way % CACHE_GROUP;
}

/* Move a line's entry from wherever it is to the front of its set; a line that is not there gets an
 * entry with no state but its slot. Returns the entry that had to go, all zero if none. */
struct cache_entry cache_bring(const struct cache *cache, uint64_t set, uint64_t key);

#endif
