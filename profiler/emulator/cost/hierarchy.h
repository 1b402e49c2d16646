/* hierarchy.h: L1 caches, L2 and DRAM partitions of one device, which process the runs of a grid.
 *
 * A *wave* consists of the blocks that are resident together, each with the trace of its global
 * accesses. The grid is executed wave by wave. hierarchy_l1 passes the loads of one SM through its
 * L1. hierarchy_l2 passes the remaining runs to the L2 and to DRAM. Both functions process the
 * blocks of the wave round robin (rotation.h). The result does not depend on the number of worker
 * threads: only one caller accesses an SM's L1, and the L2 is divided by line address into *parts*.
 * For any number of parts, the accesses to a line are processed in the same order. */
#ifndef HIERARCHY_H
#define HIERARCHY_H

#include "emulator/cost/coalesce.h"
#include "emulator/cost/counters.h"

struct hierarchy;

/* Create a hierarchy with empty caches. Returns NULL if memory is exhausted. `parts` is the number
 * of callers of hierarchy_l2, 1 to HIERARCHY_PARTS_MAX. `shared_per_sm` is the shared memory, in
 * bytes, of the blocks on one SM. This memory reduces the size of the L1. */
struct hierarchy *hierarchy_create(const struct device *device, uint64_t shared_per_sm,
                                   unsigned parts);
void hierarchy_free(struct hierarchy *hierarchy);

/* Pass the loads of one SM in a wave through the L1. Runs that hit become ACCESS_DROPPED. Partial
 * hits are reduced to the sectors that miss. Merged stores become ACCESS_MERGED (store_merge.h).
 * `traces` may contain the whole wave, because traces of other SMs do not change. Calls for
 * different SMs may run concurrently. Returns false if memory is exhausted. */
bool hierarchy_l1(struct hierarchy *hierarchy, unsigned sm, struct trace *traces, size_t count);

/* Pass the wave's remaining runs through part `part` of the L2 and into DRAM. Calls for different
 * parts may run concurrently, after hierarchy_l1 was called for all SMs. Every part must process
 * every wave, with the same traces in the same order. Returns false if memory is exhausted. */
bool hierarchy_l2(struct hierarchy *hierarchy, unsigned part, const struct trace *traces,
                  size_t count);

/* Set *history to the traffic so far. The caller frees history->bytes. */
void hierarchy_history(struct hierarchy *hierarchy, struct partition_history *history);

/* Write back dirty lines, and set *counts (atomics_us is 0). No other call may be in progress. */
void hierarchy_finish(struct hierarchy *hierarchy, struct memory_counts *counts);

#endif
