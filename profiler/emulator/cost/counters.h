/* counters.h: what the emulator counts: while it executes, summed over warps; and what the memory
 * hierarchy says of a grid. */
#ifndef COUNTERS_H
#define COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Columns: field. The names are those of the CSV (see columns.h). */
#define COUNTER_LIST(X)                                                                            \
    X(warp_instructions)                                                                           \
    X(global_load_requests)                                                                        \
    X(global_load_sectors)                                                                         \
    X(global_store_requests)                                                                       \
    X(global_store_sectors)                                                                        \
    X(shared_load_requests)                                                                        \
    X(shared_load_wavefronts)                                                                      \
    X(shared_load_ideal_wavefronts)                                                                \
    X(shared_store_requests)                                                                       \
    X(shared_store_wavefronts)                                                                     \
    X(shared_store_ideal_wavefronts)                                                               \
    X(atomic_requests)                                                                             \
    X(atomic_sectors)                                                                              \
    X(barriers)

struct counters {
#define X(field) uint64_t field;
    COUNTER_LIST(X)
#undef X
};

static inline void counters_add(struct counters *sum, const struct counters *add)
{
#define X(field) sum->field += add->field;
    COUNTER_LIST(X)
#undef X
}

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

/* DRAM traffic by partition over time, but for what is written back at the end. Time counts in
 * *steps*: in a step, every block of the wave that has a request left makes one. */
struct partition_history {
    uint64_t *bytes; /* [windows][partitions]; malloc'd, NULL when there was no memory */
    size_t windows;  /* up to the last that has traffic */
    unsigned partitions;
    uint64_t steps; /* of one window */
};

/* The most parts that the L2 (and pieces.h) can be dealt to. More workers than that take no part in
 * the phases that are divided by address. */
enum { HIERARCHY_PARTS_MAX = 64 };

#endif
