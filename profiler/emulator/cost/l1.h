/* l1.h: the L1 of one SM. Read-only: loads allocate, stores write through and change nothing here
 * (those that meet on their way merge: store_merge.h).
 */
#ifndef L1_H
#define L1_H

#include "emulator/cost/cache.h"
#include "emulator/cost/coalesce.h"

/* Pass one SM's loads of a wave through its cache, which is `sets` of those of all SMs: runs that
 * hit become ACCESS_DROPPED, or shrink to the sectors that miss; one that misses in two places of
 * its line becomes two. False: no memory. */
bool l1_pass(const struct cache *l1s, uint64_t sets, unsigned sm, struct trace *traces,
             size_t count);

#endif
