/* measured.h: the data of one counted run for the checks of a rubric: the record, and counts of
 * instructions. The data contain no pointers, so that a sandbox can send them. */
#ifndef MEASURED_H
#define MEASURED_H

#include "emulator/sinks/observer.h"
#include "goals/rubric.h"
#include "record/record.h"

struct emulator_launch;
struct emulator_result;

/* The limit of warp instructions for a launch. A correct kernel needs 1 to 30 instructions per
 * element, even with one active thread per warp. A partial tile costs as much as a full tile. */
#define MEASURE_TILES(side) (((uint64_t)(side) + 31) / 32)
#define MEASURE_BUDGET(rows, cols)                                                                 \
    (1000000 + 100 * 32 * 32 * MEASURE_TILES(rows) * MEASURE_TILES(cols))

/* Bytes of the last row and the last column. */
#define MEASURE_MARGIN(rows, cols) (4 * ((rows) + (cols)))

/* The number of elements of a correct result that moved on each path, observed in a separate
 * launch. For a computed result, `elements` is the number of results, and the other fields count
 * the results that depend on data from each path. For a sum, `elements` is the number of threads
 * that load, and the other fields count the words that are added. */
struct measured_ways {
    uint64_t elements;
    uint64_t through_shared;
    uint64_t between_threads;  /* Elements in shared memory that another thread stored, in a group
                                  of words other than the group that the load reads. */
    uint64_t through_shuffles; /* Elements from other lanes, through shuffles or reductions. */
    struct taint_totals totals;
    bool is_sum;
};

struct measured_run {
    struct record record;    /* Includes the status and the reason. */
    struct goal_needs needs; /* Compulsory bytes of a reference function; 0 for a map. */
    uint64_t spared_bytes;   /* Compulsory bytes of the last row and column if they may be wrong. */
    uint64_t shared_stored_bytes, shared_loaded_bytes;
    uint64_t loaded_bytes, stored_bytes; /* Bytes in global memory, without atomics. A load of a
                                            part of a word counts as the whole word. */
    uint64_t vector_loaded_bytes, vector_stored_bytes; /* Accesses with 16 or more bytes per
                                                          lane. */
    uint64_t atomic_bytes, shared_atomic_bytes;        /* All atomics; atomics in shared memory. */
    uint64_t shuffles, barriers;                       /* Numbers of executions by warps. */
    uint64_t active_blocks, displaced_blocks, continuing_blocks, filling_blocks; /* emulator.h */
    uint64_t tile_bytes;       /* Largest shared array with rows of n x 32 words; 0: none. */
    struct measured_ways ways; /* All zero unless a check of the rubric requires these numbers. */
};

/* The cost of one kind of access in one source line. */
struct measured_line {
    uint32_t line;
    bool shared; /* True for wavefronts of shared memory; false for sectors of global memory. */
    bool store;  /* True for a store; false for a load. */
    uint64_t requests, used, ideal;
    double time_share; /* Share of the modelled time, 0 to 1 (timing_share.h). */
};

enum status measured_status(const struct measured_run *counted);
/* Returns true if run `index` is consistent with a correct result. Sizes are verified on the device
 * of the first run, so a launch error on another device affects only that device's checks. */
bool measured_right(const struct rubric *rubric, unsigned index,
                    const struct measured_run *counted);

void measured_count(const struct emulator_launch *launch, const struct emulator_result *result,
                    struct measured_run *counted);

/* The number of executions of each instruction that accesses memory. This number reveals kernels
 * that execute other code at other sizes. The caller frees `executed`. */
struct measured_work {
    uint64_t *executed; /* Executions by instruction; 0 without memory access. */
    size_t count;
    double cost; /* Sectors and wavefronts per execution of an instruction that accesses memory. */
};
/* Replace `work` by the work of a launch. Returns false if there is not enough memory. */
bool measured_work_note(const struct emulator_launch *launch, const struct emulator_result *result,
                        struct measured_work *work);
/* Returns the share of a launch's work in instructions without executions in `work`; 1 if an
 * execution costs more than 1.25 times `work->cost`, for example because of another pitch. */
double measured_other_work(const struct emulator_launch *launch,
                           const struct emulator_result *result, const struct measured_work *work);

/* Returns the compulsory bytes of an exercise at a size. For a map, all fields are 0. */
struct goal_needs measured_needs_at(const struct exercise *exercise, uint64_t rows, uint64_t cols);
/* Returns the compulsory bytes of a counted run; NULL for a map of the matrix. */
const struct goal_needs *measured_needs(const struct measured_run *counted);
/* Returns the number of bytes that a counted run must read. */
double measured_matrix_bytes(const struct measured_run *counted);

/* Returns true if a check requires counted->ways of run `index`. If a run has a twin, the elements
 * are traced only in the twin, which is small and hidden. */
bool measured_asks_for_ways(const struct rubric *rubric, unsigned index);

/* Returns true if the run satisfies the mechanism (`forbid`: uses the mechanism at all). */
bool measured_uses(enum rubric_mechanism mechanism, bool forbid,
                   const struct measured_run *counted);

/* Returns true if the result is correct although the kernel loaded fewer bytes than the matrix has.
 * The bytes must also come from DRAM, because caches are cold at the start of a run; repeated loads
 * of a few elements are therefore not sufficient. */
bool measured_lacks_traffic(const struct measured_run *counted);

/* Returns the factor for a check with `after`, from the share of the earlier check: 1 for 0.75 or
 * more, 0.5 for 0.5, and 0 for 0.25 or less. */
double measured_scale_after(double share);

struct measured_finding {
    double share, value;
    bool has_value;
    bool without_shared; /* True if the check measures shared memory and the kernel uses none. */
    const char *evasion; /* Reason to reject the counters; NULL if they are accepted. */
};
struct measured_finding measured_judge(const struct rubric_check *check,
                                       const struct measured_run *counted);

/* Returns the source line with the largest excess cost of a measure; 0 if there is no excess. */
uint32_t measured_worst_line(const struct measured_line *lines, unsigned count,
                             enum rubric_measure measure);

#endif
