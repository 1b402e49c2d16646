/* l1.h: the L1 of one SM. Loads allocate; stores write through and do not change the L1. */
#ifndef L1_H
#define L1_H

#include "emulator/cost/cache.h"
#include "emulator/cost/coalesce.h"

/* See hierarchy_l1. `l1s` contains the L1s of all SMs, with `sets` sets each. */
bool l1_pass(const struct cache *l1s, uint64_t sets, unsigned sm, struct trace *traces,
             size_t count);

#endif
