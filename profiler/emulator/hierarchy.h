/* hierarchy.h: L1 caches, L2 and DRAM partitions of one device, fed with the runs of a grid.
 *
 * The grid is executed *wave* by wave: the blocks that are resident together, each with the trace
 * of its global accesses. hierarchy_l1 filters the loads of one SM through its L1; hierarchy_l2
 * then feeds what is left to the L2 and to DRAM. Both take the blocks of the wave round robin, one
 * request at a time, because resident blocks run concurrently. The result does not depend on the
 * number of worker threads: an SM's L1 is touched by one caller, and the L2 is split into `parts`
 * by line address, each of which sees its lines in the same order.
 */
#ifndef HIERARCHY_H
#define HIERARCHY_H

#include "coalesce.h"

#include <stddef.h>

/* Global accesses of one block in program order. */
struct trace {
    run *runs;
    size_t count, capacity;
    unsigned sm; /* the SM that the block runs on */
};

/* What the memory system did so far. Bytes. */
struct memory_counts {
    uint64_t l2_read_bytes,
        l2_write_bytes; /* between L1/TEX and L2: lts__t_sectors_srcunit_tex x 32 */
    uint64_t dram_read_bytes, dram_write_bytes;
    double partition_imbalance;     /* busiest partition's share over the mean, worst window;
                                       negative: too little traffic to say */
    double busiest_partition_bytes; /* sum over windows of (busiest partition's bytes x
                                       partitions): the bytes DRAM time must be charged for */
};

struct hierarchy;

/* `parts` is the number of callers of hierarchy_l2 (worker threads, 1..64); `shared_per_sm` is the
 * shared memory that resident blocks occupy, which the L1 loses. NULL: no memory. Caches start
 * empty. */
struct hierarchy *hierarchy_create(const struct device *device, uint64_t shared_per_sm,
                                   unsigned parts);
void hierarchy_free(struct hierarchy *hierarchy);

/* Pass the wave's loads of one SM through its L1: runs that hit become ACCESS_DROPPED, or shrink to
 * the sectors that miss. Different SMs may be passed concurrently. False: no memory. */
bool hierarchy_l1(struct hierarchy *hierarchy, unsigned sm, struct trace *traces, size_t count);

/* Pass the wave's remaining runs through part `part` of the L2 and into DRAM. Different parts may
 * be passed concurrently, after hierarchy_l1 was called for all SMs. False: no memory. */
bool hierarchy_l2(struct hierarchy *hierarchy, unsigned part, const struct trace *traces,
                  size_t count);

/* Forget the L1 contents, as at a kernel's start. */
void hierarchy_new_kernel(struct hierarchy *hierarchy);

/* Write back what is dirty, and report. */
void hierarchy_finish(struct hierarchy *hierarchy, struct memory_counts *counts);

#endif
