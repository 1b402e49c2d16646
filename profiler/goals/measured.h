/* measured.h: the data of one counted run for the checks of a rubric: the record, and counts of the
 * instructions. `tlab run` and `tlab grade` both use this data.
 *
 * The data contains no pointers, so that a sandbox can send it, and all functions are pure.
 */
#ifndef MEASURED_H
#define MEASURED_H

#include "emulator/sinks/observer.h"
#include "goals/rubric.h"
#include "record/record.h"

struct emulator_launch;
struct emulator_result;

/* The limit of warp instructions for a launch. Correct kernels need one to thirty instructions per
 * element, even with a single thread. An incomplete tile costs as much as a complete tile. */
#define MEASURE_TILES(side) (((uint64_t)(side) + 31) / 32)
#define MEASURE_BUDGET(rows, cols)                                                                 \
    (1000000 + 100 * 32 * 32 * MEASURE_TILES(rows) * MEASURE_TILES(cols))

/* Bytes of the last row and column. */
#define MEASURE_MARGIN(rows, cols) (4 * ((rows) + (cols)))

/* How the elements of a correct result moved, observed in a separate launch. For a computed result,
 * `elements` counts the results, and the other numbers count the results that depend on elements
 * with this movement. For a sum, `elements` counts the threads that load, and the other numbers
 * count the words that are added. */
struct measured_ways {
    uint64_t elements;
    uint64_t through_shared;   /* Elements that passed through shared memory. */
    uint64_t between_threads;  /* Of these, elements that other threads stored, in other groups
                                  of words than the load reads. */
    uint64_t through_shuffles; /* Elements from another lane, by a shuffle or a reduction. */
    struct taint_totals totals;
    bool is_sum;
};

/* One counted run. */
struct measured_run {
    struct record record;    /* includes status and reason */
    struct goal_needs needs; /* Compulsory bytes, for a reference function; otherwise 0. */
    uint64_t spared_bytes;   /* Compulsory bytes of an incorrect last row and column. */
    uint64_t shared_stored_bytes, shared_loaded_bytes;
    uint64_t loaded_bytes, stored_bytes; /* Global memory, per lane, without atomics. A load of a
                                            part of a word counts as the whole word. */
    uint64_t vector_loaded_bytes, vector_stored_bytes; /* Accesses of 16 or more bytes per lane. */
    uint64_t atomic_bytes, shared_atomic_bytes;        /* All atomics; shared-memory atomics. */
    uint64_t shuffles, barriers;                       /* Executions by warps. */
    uint64_t active_blocks, displaced_blocks, continuing_blocks; /* See struct emulator_result. */
    uint64_t tile_bytes; /* The largest array in shared memory with rows of 32 words; 0: none. */
    struct measured_ways ways; /* All 0 unless a check of the rubric requires them. */
};

/* The cost of one kind of access in one source line, for the annotated source. */
struct measured_line {
    uint32_t line;
    bool shared; /* True: wavefronts of shared memory; false: global sectors. */
    bool store;  /* True: a store; false: a load. */
    uint64_t requests, used, ideal;
    double time_share; /* Share of the modelled time, 0 to 1 (timing_share.h). */
};

/* Returns the verdict of a counted run. */
enum status measured_status(const struct measured_run *counted);
/* Returns true if the run does not contradict a correct result. Sizes are verified on the device of
 * the first run. A launch error on another device costs only the checks of that device. */
bool measured_right(const struct rubric *rubric, unsigned index,
                    const struct measured_run *counted);

/* Add the instructions of a launch to a run's counts. */
void measured_count(const struct emulator_launch *launch, const struct emulator_result *result,
                    struct measured_run *counted);

/* The executions of each instruction that accesses memory. These numbers reveal kernels that
 * execute other code at other sizes. Free `executed`. */
struct measured_work {
    uint64_t *executed; /* Index: instruction; 0 if it does not access memory. */
    size_t count;
    double cost; /* sectors and wavefronts of these instructions per execution */
};
/* Record the work of a launch. Returns false if there is not enough memory. */
bool measured_work_note(const struct emulator_launch *launch, const struct emulator_result *result,
                        struct measured_work *work);
/* Returns the share of a launch's work that instructions outside of `work` executed. Returns 1 if
 * the launch was counted and its instructions cost more sectors and wavefronts than in `work`, for
 * example with another pitch. */
double measured_other_work(const struct emulator_launch *launch,
                           const struct emulator_result *result, const struct measured_work *work);

/* Returns the compulsory bytes of an exercise at a size; zeros for a map of the matrix. */
struct goal_needs measured_needs_at(const struct exercise *exercise, uint64_t rows, uint64_t cols);
/* Returns the compulsory bytes of a counted run; NULL for a map of the matrix. */
const struct goal_needs *measured_needs(const struct measured_run *counted);
/* Returns the number of bytes that a counted run must read. */
double measured_matrix_bytes(const struct measured_run *counted);

/* Returns true if a check requires the ways of the elements in a run. If the run has a twin, the
 * elements are traced in the twin, which is small and hidden. */
bool measured_asks_for_ways(const struct rubric *rubric, unsigned index);

/* Returns true if the mechanism was used; with `forbid`, if there is any trace of the mechanism. */
bool measured_uses(enum rubric_mechanism mechanism, bool forbid,
                   const struct measured_run *counted);

/* Returns true if the result is correct although fewer bytes were loaded than the elements have.
 * Caches are cold at the start of a run, so the bytes must also come from DRAM; repeated loads of a
 * few elements add no DRAM traffic. */
bool measured_lacks_traffic(const struct measured_run *counted);

/* The points of a check with `after` depend on the share of the earlier check. Returns the part
 * that is earned: all points from 0.75, half at 0.5, none up to 0.25. */
double measured_scale_after(double share);

/* The result of a ratio or mechanism check of a run. */
struct measured_finding {
    double share, value;
    bool has_value;
    bool without_shared; /* True if the check is of shared memory, but the kernel uses none. */
    const char *evasion; /* The reason why the counters are invalid, or NULL. */
};
struct measured_finding measured_judge(const struct rubric_check *check,
                                       const struct measured_run *counted);

/* Returns the line with the largest excess of a measure, or 0. */
uint32_t measured_worst_line(const struct measured_line *lines, unsigned count,
                             enum rubric_measure measure);

#endif
