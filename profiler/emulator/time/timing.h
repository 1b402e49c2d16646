/* timing.h: the time model, which computes the time from bounds, one per resource. */
#ifndef TIMING_H
#define TIMING_H

#include "emulator/cost/counters.h"
#include "emulator/cost/hierarchy.h"
#include "emulator/cost/pieces.h"
#include "emulator/device/device.h"
#include "emulator/time/timing_code.h"

struct timing_input {
    uint64_t blocks;
    unsigned threads_per_block;
    unsigned resident_blocks; /* Resident blocks of an SM, without the limit of registers. */
    unsigned limited_blocks;  /* Also limited by registers. 0 means resident_blocks. */
    unsigned launches;
    struct code_counts code;
    uint64_t local_bytes;
    struct scatter scatter;
    const struct counters *counters;
    const struct memory_counts *memory;
};

/* Columns: identifier, text in the CSV column `bound`. */
#define BOUND_LIST(X)                                                                              \
    X(DRAM, "dram")                                                                                \
    X(PARTITION, "dram_partition")                                                                 \
    X(L2, "l2")                                                                                    \
    X(ATOMIC, "atomic")                                                                            \
    X(LSU, "lsu")                                                                                  \
    X(SHARED, "shared")                                                                            \
    X(CONSTANT, "constant")                                                                        \
    X(ISSUE, "issue")                                                                              \
    PIPE_LIST(X)                                                                                   \
    X(LATENCY, "latency")                                                                          \
    X(LAUNCH, "launch")

enum bound {
#define X(id, ...) BOUND_##id,
    BOUND_LIST(X)
#undef X
        BOUND_COUNT
};

struct timing {
    double time_us;
    enum bound bound;
    double bound_us[BOUND_COUNT]; /* The time of each bound alone. 0 if the bound does not apply. */
};

const char *bound_name(enum bound bound);

/* Write a sentence for the report that explains timing->bound: "limited by shared-memory
 * wavefronts: 31.0 bank conflicts per load request (32-way), 0.0 per store request". Writes at most
 * `size` bytes, including the terminating NUL. */
void bound_explain(const struct timing *timing, const struct timing_input *input,
                   const struct device *device, char *text, unsigned size);

/* Write the time of each bound and the total: "l2 9.4 us, latency 11 us -> 18.2 us, limited by
 * latency". Bounds of at most 0.5 % of the total are omitted. Writes at most `size` bytes. */
void timing_explain(const struct timing *timing, char *text, unsigned size);

/* Returns the modelled time. Without work, this is the overhead of launches and blocks. */
struct timing timing_estimate(const struct device *device, const struct timing_input *input);

#endif
