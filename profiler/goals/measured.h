/* measured.h: the data of one counted run for a rubric's checks: the record, and counts of its
 * instructions. `tlab run` and `tlab grade` both use it.
 *
 * All data is plain, and all functions are pure, so that a sandbox can send it.
 */
#ifndef MEASURED_H
#define MEASURED_H

#include "emulator/sinks/observer.h"
#include "goals/rubric.h"
#include "record/record.h"

struct emulator_launch;
struct emulator_result;

/* The limit of warp instructions for a launch. Honest kernels need one to thirty per element, even
 * with a single thread. Incomplete tiles cost as much as complete ones. */
#define MEASURE_TILES(side) (((uint64_t)(side) + 31) / 32)
#define MEASURE_BUDGET(rows, cols)                                                                 \
    (1000000 + 100 * 32 * 32 * MEASURE_TILES(rows) * MEASURE_TILES(cols))

/* Bytes of the last row and column. */
#define MEASURE_MARGIN(rows, cols) (4 * ((rows) + (cols)))

/* How the elements of a correct result moved, in a launch of its own. Of a result that is computed,
 * the elements are the results, and the numbers are those of results that depend on such data. Of a
 * sum, the elements are the threads that load, and the numbers are those of the words that the sum
 * consists of. */
struct measured_ways {
    uint64_t elements;
    uint64_t through_shared;   /* Elements that passed through shared memory. */
    uint64_t between_threads;  /* Of these, elements that came to a thread that did not load them,
                                  in other groups than they were stored. */
    uint64_t through_shuffles; /* Elements from another lane, by a shuffle or a reduction. */
    struct taint_totals totals;
    bool is_sum;
};

/* One counted run. */
struct measured_run {
    struct record record;    /* status and reason included */
    struct goal_needs needs; /* Compulsory bytes with a reference function; else 0. */
    uint64_t spared_bytes;   /* Compulsory bytes of a last row and column that are incorrect. */
    uint64_t shared_stored_bytes, shared_loaded_bytes;
    uint64_t loaded_bytes, stored_bytes; /* Of global memory, per lane; without atomics. A load of a
                                            part of a word counts as one of the word. */
    uint64_t vector_loaded_bytes, vector_stored_bytes; /* In at least 16 bytes per lane. */
    uint64_t atomic_bytes, shared_atomic_bytes; /* Of all atomics, and of those in shared memory. */
    uint64_t shuffles, barriers;                /* Executions by warps. */
    uint64_t active_blocks, displaced_blocks, continuing_blocks; /* See struct emulator_result. */
    uint64_t tile_bytes;       /* Of the largest static array in shared memory. */
    struct measured_ways ways; /* All 0 unless a check of the rubric requires them. */
};

/* The cost of one kind of access in one source line, for the annotated source. */
struct measured_line {
    uint32_t line;
    bool shared; /* Wavefronts of shared memory; else global sectors. */
    bool store;  /* A store; else a load. */
    uint64_t requests, used, ideal;
    double time_share; /* Share of the modelled time, 0 to 1 (timing_share.h). */
};

/* Returns the verdict of a counted run. */
enum status measured_status(const struct measured_run *counted);
/* True if the run does not contradict a correct result. Runs other than the first and its twin use
 * other devices than the sizes. A launch error on such a device costs that device's checks only. */
bool measured_right(const struct rubric *rubric, unsigned index,
                    const struct measured_run *counted);

/* Add the instructions of a launch to a run's counts. */
void measured_count(const struct emulator_launch *launch, const struct emulator_result *result,
                    struct measured_run *counted);

/* The executions of each instruction that accesses memory, to find kernels that execute other
 * code at other sizes. Free `executed`. */
struct measured_work {
    uint64_t *executed; /* By instruction; 0 for those that do not access memory. */
    size_t count;
    double cost; /* sectors and wavefronts of these instructions per execution */
};
/* Record the work of a launch. False: not enough memory. */
bool measured_work_note(const struct emulator_launch *launch, const struct emulator_result *result,
                        struct measured_work *work);
/* Returns the share of a launch's work that other instructions than in `work` executed; 1 if the
 * launch was counted and its instructions cost more sectors and wavefronts, as with another
 * pitch. */
double measured_other_work(const struct emulator_launch *launch,
                           const struct emulator_result *result, const struct measured_work *work);

/* Returns the compulsory bytes at a size; 0 for a map of the matrix. */
struct goal_needs measured_needs_at(const struct exercise *exercise, uint64_t rows, uint64_t cols);
/* Returns the compulsory bytes for measures; NULL for a map of the matrix. */
const struct goal_needs *measured_needs(const struct measured_run *counted);
/* Returns the bytes that must be read. */
double measured_matrix_bytes(const struct measured_run *counted);

/* True if a check requires the paths of the elements in that run. If the run has a twin, they are
 * traced in the twin, which is small and hidden. */
bool measured_asks_for_ways(const struct rubric *rubric, unsigned index);

/* True if the mechanism was used; with `forbid`, if there is any trace of it. */
bool measured_uses(enum rubric_mechanism mechanism, bool forbid,
                   const struct measured_run *counted);

/* True if the result is correct although fewer bytes were loaded than the elements have. Caches
 * are cold at the start of a run, so loads must also come from DRAM; repeated loads of a few
 * elements do not. */
bool measured_lacks_traffic(const struct measured_run *counted);

/* The part of its points that a check `after` another one counts with, from the share of that one:
 * all from 0.75, half at 0.5, none up to 0.25. */
double measured_scale_after(double share);

/* The result of a ratio or mechanism check of a run. */
struct measured_finding {
    double share, value;
    bool has_value;
    bool without_shared; /* A measure of shared memory, which the kernel does not use. */
    const char *evasion; /* The reason why the counters are invalid, or NULL. */
};
struct measured_finding measured_judge(const struct rubric_check *check,
                                       const struct measured_run *counted);

/* Returns the line with the largest excess of a measure, or 0. */
uint32_t measured_worst_line(const struct measured_line *lines, unsigned count,
                             enum rubric_measure measure);

#endif
