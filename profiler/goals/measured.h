/* measured.h: data of one counted run that the checks of a rubric use. The data contain no
 * pointers, so that a sandboxed process can send them. */
#ifndef MEASURED_H
#define MEASURED_H

#include "emulator/sinks/observer.h"
#include "goals/rubric.h"
#include "record/record.h"

struct emulator_launch;
struct emulator_result;

/* Limit of warp instructions for a launch. A correct kernel needs 1 to 30 instructions per element,
 * even with one active thread per warp. A partial tile of 32 x 32 counts as a full tile. */
#define MEASURE_TILES(side) (((uint64_t)(side) + 31) / 32)
#define MEASURE_BUDGET(rows, cols)                                                                 \
    (1000000 + 100 * 32 * 32 * MEASURE_TILES(rows) * MEASURE_TILES(cols))

/* Bytes of the last row and the last column or, if the matrix is a line, of its last element. */
#define MEASURE_MARGIN(rows, cols) ((rows) == 1 ? 4 : 4 * ((rows) + (cols)))

/* How the elements of a correct result moved, observed in a separate launch. For a computed result,
 * `elements` is the number of results, and the other fields count the results that depend on data
 * from each path. For a sum, `elements` is the number of loading threads, and the other fields are
 * numbers of added words. */
struct measured_ways {
    uint64_t elements;
    uint64_t through_shared;
    uint64_t between_threads;  /* Shared elements of another thread, in another group of words. */
    uint64_t through_shuffles; /* Elements received from other lanes by shuffles or reductions. */
    struct taint_totals totals;
    bool is_sum;
};

struct measured_run {
    struct record record;
    struct goal_needs needs; /* Compulsory bytes; 0 without a reference function. */
    uint64_t spared_bytes;   /* Bytes of the last row and column if these may be wrong. */
    uint64_t shared_stored_bytes, shared_loaded_bytes;
    /* Bytes in global memory, without atomics. A load of less than a word counts as a word. */
    uint64_t loaded_bytes, stored_bytes;
    uint64_t vector_loaded_bytes, vector_stored_bytes; /* Accesses of at least 16 bytes per lane. */
    uint64_t atomic_bytes, shared_atomic_bytes;        /* All atomics; atomics in shared memory. */
    uint64_t shuffles, barriers;                       /* Numbers of executions by warps. */
    uint64_t active_blocks, displaced_blocks, continuing_blocks, filling_blocks;
    uint64_t tile_bytes;       /* Largest 2-D shared array with rows of n x 32 words; 0 if none. */
    struct measured_ways ways; /* All zero unless a check of the rubric requires these numbers. */
};

/* Cost of the loads or of the stores of one source line. */
struct measured_line {
    uint32_t line;
    bool shared; /* True for wavefronts of shared memory; false for sectors of global memory. */
    bool store;
    uint64_t requests, used, ideal;
    int64_t distance;  /* Bytes between neighbouring threads; 0 if unknown. */
    double time_share; /* Share of the modelled time of the launch, 0 to 1 (timing_share.h). */
};

enum status measured_status(const struct measured_run *counted);
/* Returns true if the status of run `index` permits a correct result. All sizes are verified on the
 * device of the first run, so a launch error is permitted on another device. */
bool measured_right(const struct rubric *rubric, unsigned index,
                    const struct measured_run *counted);

void measured_count(const struct emulator_launch *launch, const struct emulator_result *result,
                    struct measured_run *counted);

/* Number of executions of each instruction that accesses global or shared memory. A comparison of
 * two launches reveals a kernel that executes other code at other sizes. */
struct measured_work {
    uint64_t *executed; /* Executions per instruction. The caller frees the array. */
    size_t count;
    double cost; /* Mean number of sectors and wavefronts per executed access. */
};
/* Replace `work` by the work of a launch. Returns false if there is not enough memory. */
bool measured_work_note(const struct emulator_launch *launch, const struct emulator_result *result,
                        struct measured_work *work);
/* Returns the share of a launch's work in instructions that have no executions in `work`. Returns 1
 * if the mean cost is more than 1.25 times `work->cost`, for example because of another pitch. */
double measured_other_work(const struct emulator_launch *launch,
                           const struct emulator_result *result, const struct measured_work *work);

/* Returns the compulsory bytes of an exercise at a size; 0 without a reference function. */
struct goal_needs measured_needs_at(const struct exercise *exercise, uint64_t rows, uint64_t cols);
/* Returns the compulsory bytes of a counted run; NULL without a reference function. */
const struct goal_needs *measured_needs(const struct measured_run *counted);
double measured_matrix_bytes(const struct measured_run *counted);

/* Returns true if a check requires `ways` of run `index` with the counters `counted`. If a run
 * has a twin, only the twin is observed, because the twin is small and its size is hidden. */
bool measured_asks_for_ways(const struct rubric *rubric, unsigned index,
                            const struct measured_run *counted);

/* Returns true if the kernel uses the mechanism enough to pass a check; with `forbid`, if it
 * uses the mechanism at all. */
bool measured_uses(enum rubric_mechanism mechanism, bool forbid,
                   const struct measured_run *counted);

/* Returns true if the result is correct although the kernel loaded fewer bytes than the matrix has,
 * or read fewer bytes from DRAM. Caches are cold at the start of a run, so repeated loads of a few
 * elements do not cause enough DRAM traffic. */
bool measured_lacks_traffic(const struct measured_run *counted);

/* Returns the factor for a check with `after`. It is 0 if the earlier check earned a share of at
 * most 0.25, and 1 if at least 0.75. Between these limits, the factor is linear. */
double measured_scale_after(double share);

struct measured_finding {
    double share, value;
    bool has_value;
    bool without_shared; /* True if the check measures shared memory and the kernel uses none. */
    const char *evasion; /* Reason to reject the counters; NULL if they are accepted. */
    /* Factor for the points, not included in `share`: below 1 if the kernel lacks the mechanism
     * `with` and its sectors are not full. */
    double narrow;
};
struct measured_finding measured_judge(const struct rubric_check *check,
                                       const struct measured_run *counted);

/* Returns the accesses of a source line with the largest excess cost of a measure; NULL if no line
 * has an excess. */
const struct measured_line *measured_worst_line(const struct measured_line *lines, unsigned count,
                                                enum rubric_measure measure);

#endif
