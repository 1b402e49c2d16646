/* counters.h: the counters of the execution and of the memory hierarchy. */
#ifndef COUNTERS_H
#define COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One row per counter. The name is also the name of a column in the CSV (columns.h). */
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
    X(global_atomic_requests)                                                                      \
    X(global_atomic_sectors)                                                                       \
    X(shared_atomic_requests)                                                                      \
    X(shared_atomic_wavefronts)                                                                    \
    X(shared_atomic_clocks)                                                                        \
    X(constant_words)     /* Distinct words of each request that reads more than one address. */   \
    X(constant_lines)     /* Distinct lines of these words, per block. */                          \
    X(incomplete_sectors) /* Sectors that stores write in part, not counting merged stores. */     \
    X(barriers)

/* To count constant_lines, each block has one bit per line. Lines above 64 KiB share bits. */
enum { CONSTANT_LINE_BYTES = 64, CONSTANT_LINES = 1024 };

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

/* With an L2, l2_read_bytes and l2_write_bytes count 32 bytes for each distinct sector of a request
 * that reached the L2. Loads count sectors that missed the L1. Stores count sectors that did not
 * merge with an earlier store. Like the metrics of the hardware, both exclude atomics. Without an
 * L2, both are 0 (shown as NA), and every transaction is DRAM traffic of its full length. */
struct memory_counts {
    uint64_t l2_read_bytes, l2_write_bytes;
    uint64_t dram_read_bytes, dram_write_bytes;
    uint64_t dram_flush_bytes; /* Part of dram_write_bytes, written after the kernel's end. */
    uint64_t dram_lone_writes; /* Sectors written without the other sector of their 64 bytes. */
    /* Largest ratio in a window (dram.h): traffic of the busiest partition / mean traffic of the
     * partitions. Negative if unknown. */
    double partition_imbalance;
    /* Bytes of the busiest partition x number of partitions, summed over windows (dram.h). */
    double busiest_partition_bytes;
    uint64_t l1_hits; /* Requests that the L1 served completely. */
    uint64_t lines;   /* Distinct lines, summed over requests: wavefronts of the L1's tag stage. */
    uint64_t
        l2_transactions; /* Lines, or parts of lines, that SMs exchange with the L2 (or DRAM). */
    uint64_t l2_store_transactions;
    double atomics_us; /* Time of the L2 slices for atomic operations, in us (sinks/atomics.h). */
    bool has_l2;
};

/* DRAM traffic in bytes by partition over time, without the write-back at the end. Time is counted
 * in *steps*: in a step, every resident block with remaining requests makes one request. */
struct partition_history {
    uint64_t *bytes; /* [windows][partitions]. NULL if memory is exhausted. The caller frees it. */
    size_t windows;  /* Number of windows, up to the last window with traffic. */
    unsigned partitions;
    uint64_t steps; /* Number of steps in a window. */
};

/* Maximum number of worker threads that process the L2. */
enum { HIERARCHY_PARTS_MAX = 64 };

#endif
