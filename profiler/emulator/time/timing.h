/* timing.h: the time model. Time is the largest of named bounds, and the name of the largest is the
 * reason. A model, not a simulation of cycles: every figure it gives is labelled modelled.
 */
#ifndef TIMING_H
#define TIMING_H

#include "emulator/cost/counters.h"
#include "emulator/cost/hierarchy.h"
#include "emulator/cost/pieces.h"
#include "emulator/device/device.h"

/* What was executed: the launch shape and what happened. */
struct timing_input {
    uint64_t blocks; /* of one launch */
    unsigned threads_per_block;
    unsigned resident_blocks; /* on one SM */
    unsigned launches;        /* kernel launches that the counts cover (1) */
    uint64_t load_rounds;     /* of all warps, like the next two: see timing_code.h */
    uint64_t barrier_waits;
    uint64_t issue_slots;
    struct scatter scatter; /* of the DRAM traffic: see pieces.h */
    const struct counters *counters;
    const struct memory_counts *memory;
};

/* Columns: id, the CSV's `bound` text. */
#define BOUND_LIST(X)                                                                              \
    X(DRAM, "dram")                                                                                \
    X(PARTITION, "dram_partition")                                                                 \
    X(L2, "l2")                                                                                    \
    X(LSU, "lsu")                                                                                  \
    X(SHARED, "shared")                                                                            \
    X(ISSUE, "issue")                                                                              \
    X(LATENCY, "latency")                                                                          \
    X(LAUNCH, "launch")

enum bound {
#define X(id, text) BOUND_##id,
    BOUND_LIST(X)
#undef X
        BOUND_COUNT
};

struct timing {
    double time_us; /* launch overhead included */
    enum bound bound;
    double bound_us[BOUND_COUNT]; /* each bound by itself; 0: no such limit here */
};

/* The CSV's text. */
const char *bound_name(enum bound bound);

/* The bound as a sentence for the report: "limited by shared-memory wavefronts: 31.0 conflicts
 * per load request (32-way), 0.0 per store request (1-way)". Writes at most `size` bytes, the
 * closing NUL included. */
void bound_explain(const struct timing *timing, const struct timing_input *input,
                   const struct device *device, char *text, unsigned size);

/* The model itself; timing.c has the formulas and what they leave out. Cannot fail: counts of zero
 * give the launch alone. */
struct timing timing_estimate(const struct device *device, const struct timing_input *input);

#endif
