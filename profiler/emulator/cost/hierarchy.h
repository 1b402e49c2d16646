/* hierarchy.h: L1 caches, L2 and DRAM partitions of one device, fed with the runs of a grid.
 *
 * The grid is executed *wave* by wave: the blocks that are resident together, each with the trace
 * of its global accesses. hierarchy_l1 filters the loads of one SM through its L1; hierarchy_l2
 * then feeds what is left to the L2 and to DRAM. Both take the blocks of the wave round robin
 * (rotation.h). The result does not depend on the number of worker threads: an SM's L1 is touched
 * by one caller, and the L2 is dealt by line address to *parts*, each of which sees its lines in
 * the same order.
 */
#ifndef HIERARCHY_H
#define HIERARCHY_H

#include "emulator/cost/coalesce.h"
#include "emulator/cost/counters.h"

struct hierarchy;

/* `parts` is the number of callers of hierarchy_l2, 1 to HIERARCHY_PARTS_MAX; `shared_per_sm` is
 * the shared memory that resident blocks occupy, which the L1 loses. NULL: no memory. Caches start
 * empty. */
struct hierarchy *hierarchy_create(const struct device *device, uint64_t shared_per_sm,
                                   unsigned parts);
void hierarchy_free(struct hierarchy *hierarchy);

/* Pass the wave's loads of one SM through its L1: runs that hit become ACCESS_DROPPED, or shrink to
 * the sectors that miss. Stores that merge become ACCESS_MERGED (store_merge.h). Traces of other
 * SMs are left alone, so that a caller may pass the whole wave. Different SMs may be passed
 * concurrently. False: no memory. */
bool hierarchy_l1(struct hierarchy *hierarchy, unsigned sm, struct trace *traces, size_t count);

/* Pass the wave's remaining runs through part `part` of the L2 and into DRAM. Different parts may
 * be passed concurrently, after hierarchy_l1 was called for all SMs; every part must get every
 * wave, with the same traces in the same order. False: no memory. */
bool hierarchy_l2(struct hierarchy *hierarchy, unsigned part, const struct trace *traces,
                  size_t count);

/* What partitions had to move so far; history->bytes is NULL when there was no memory. */
void hierarchy_history(struct hierarchy *hierarchy, struct partition_history *history);

/* Write back what is dirty, and report what happened since hierarchy_create. Not concurrently with
 * the others. */
void hierarchy_finish(struct hierarchy *hierarchy, struct memory_counts *counts);

#endif
