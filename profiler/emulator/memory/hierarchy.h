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

#include "emulator/memory/trace.h"

/* Lines of a store request beyond which it never merges with others. */
enum { STORE_MERGE_LINES = 16 };

/* What the memory system did so far.
 *
 * With an L2, l2_* are the distinct sectors of each request (x 32) that went from L1 to L2: those
 * that missed the L1 for loads, those that did not merge with an earlier one for stores; atomics
 * are in neither, as in the hardware's metrics, but their sectors move to and from DRAM like
 * others. Without an L2 (has_l2 false: show NA) both are 0, and every transaction is DRAM traffic
 * of its full length. */
struct memory_counts {
    /* Between L1/TEX and L2: lts__t_sectors_srcunit_tex x 32. */
    uint64_t l2_read_bytes, l2_write_bytes;
    uint64_t dram_read_bytes, dram_write_bytes;
    uint64_t dram_flush_bytes;      /* of those, what moves when the kernel has ended: see
                                       hierarchy_finish */
    double partition_imbalance;     /* busiest partition's share over the mean, worst window;
                                       negative: too little traffic to say */
    double busiest_partition_bytes; /* sum over windows of (busiest partition's bytes x
                                       partitions): the bytes DRAM time must be charged for */
    uint64_t lines;           /* lines that requests touch, per request: wavefronts of L1's tags */
    uint64_t l2_transactions; /* lines, whole or in part, that SMs exchange with what is behind the
                                 L1 */
    uint64_t l2_store_transactions; /* of those, stores and atomics */
    bool has_l2;
};

struct hierarchy;

/* The most parts that the L2 (and pieces.h) can be dealt to. More workers than that take no part in
 * the phases that are divided by address. */
enum { HIERARCHY_PARTS_MAX = 64 };

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

/* DRAM traffic by partition over time, but for what is written back at the end. Time counts in
 * *steps*: in a step, every block of the wave that has a request left makes one. */
struct partition_history {
    uint64_t *bytes; /* [windows][partitions]; malloc'd, NULL when there was no memory */
    size_t windows;  /* up to the last that has traffic */
    unsigned partitions;
    uint64_t steps; /* of one window */
};
void hierarchy_history(struct hierarchy *hierarchy, struct partition_history *history);

/* Write back what is dirty, and report what happened since hierarchy_create. Not concurrently with
 * the others. */
void hierarchy_finish(struct hierarchy *hierarchy, struct memory_counts *counts);

#endif
