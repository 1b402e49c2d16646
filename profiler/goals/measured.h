/* measured.h: what is kept of one counted run, so that a rubric's checks can be asked of it: the
 * record, and tallies of what its instructions did. `tlab run` and `tlab grade` both judge by
 * these.
 *
 * Everything here is plain data and pure functions of it, so that a sandbox can send it.
 */
#ifndef MEASURED_H
#define MEASURED_H

#include "goals/rubric.h"
#include "record/record.h"

struct emulator_launch;
struct emulator_result;

/* Warp instructions that the launch of a matrix may execute: honest kernels need one to thirty
 * for each element, in the worst case of a single thread that does it all, and tiles cost as
 * much where they are not full. */
#define MEASURE_TILES(side) (((uint64_t)(side) + 31) / 32)
#define MEASURE_BUDGET(rows, cols)                                                                 \
    (1000000 + 100 * 32 * 32 * MEASURE_TILES(rows) * MEASURE_TILES(cols))

/* One counted run. */
struct measured_run {
    struct record record;    /* status and reason included */
    struct goal_needs needs; /* of an exercise that is no map of the matrix; else 0 */
    uint64_t shared_stored_bytes, shared_loaded_bytes;
    uint64_t lonely_wavefronts;          /* of shared loads that serve 4 words or fewer each */
    uint64_t loaded_bytes, stored_bytes; /* of global memory, as lanes ask; without atomics */
    uint64_t vector_bytes;               /* moved by global accesses of 16 bytes or more a lane */
    uint64_t atomic_bytes,
        shared_atomic_bytes;     /* moved by atomic operations; those of shared memory */
    uint64_t shuffles, barriers; /* warps that executed one */
    uint64_t active_blocks, descending_blocks; /* of struct emulator_result */
    /* Elements of the result that came out of shared memory, and of these those that another
     * thread had stored there; 0 unless a check of the rubric asks for that. Where the result is
     * no map of the matrix, both are the part of the results for which threads loaded there what
     * others had stored. Those that lanes got from others by shuffles likewise. */
    uint64_t through_shared, between_threads, through_shuffles;
};

/* What one source line costs of one kind of access, for the annotated source. */
struct measured_line {
    uint32_t line;
    bool shared; /* wavefronts, else sectors */
    bool store;  /* else load */
    uint64_t requests, used, ideal;
    double time_share; /* of the modelled time, 0 to 1: see timing_share.h */
};

/* A counted run's verdict. */
enum status measured_status(const struct measured_run *counted);
/* Does nothing speak against the result? Runs but the first and its twin are on other devices than
 * the sizes, which may not take such a launch. That costs what is asked of that device, and says
 * nothing about the result. */
bool measured_right(const struct rubric *rubric, unsigned index,
                    const struct measured_run *counted);

/* Add what the instructions of a launch did to a run's tallies. */
void measured_count(const struct emulator_launch *launch, const struct emulator_result *result,
                    struct measured_run *counted);

/* Which of the instructions that access memory did the work of a launch? A kernel that takes
 * another way at other sizes has others do it there. Plain data: free `executed`. */
struct measured_work {
    uint64_t *executed; /* by instruction of the program; 0 of what accesses no memory */
    size_t count;
};
/* False: no memory. */
bool measured_work_note(const struct emulator_launch *launch, const struct emulator_result *result,
                        struct measured_work *work);
/* Was nearly all of a launch's work done by instructions that had no part in the work before? */
bool measured_work_differs(const struct emulator_launch *launch,
                           const struct emulator_result *result, const struct measured_work *work);

/* What the exercise needs at that size; 0 where each element of the matrix is read and written
 * once. */
struct goal_needs measured_needs_at(const struct exercise *exercise, uint64_t rows, uint64_t cols);
/* What a run needs as measures take it. NULL: the matrix, once. */
const struct goal_needs *measured_needs(const struct measured_run *counted);
/* Bytes that must be read. */
double measured_matrix_bytes(const struct measured_run *counted);

/* Note which way elements came, in proportion: so many out of shared memory, so many of these
 * from other threads, and so many by shuffles, of `elements` that were followed. */
void measured_came(struct measured_run *counted, uint64_t through_shared, uint64_t between_threads,
                   uint64_t through_shuffles, double elements);

/* Does a check ask which way the elements of that run go? Where it has a twin, they are followed
 * there: it is small, and nobody knows its size. */
bool measured_asks_for_ways(const struct rubric *rubric, unsigned index);

/* Is the mechanism at work (forbid: are there traces of it)? */
bool measured_uses(enum rubric_mechanism mechanism, bool forbid,
                   const struct measured_run *counted);

/* Is the result right, and were fewer sectors loaded than its elements fill? Caches are cold
 * when a run begins, so that what is loaded must also come from DRAM; loads of a few elements
 * again and again do not. */
bool measured_lacks_traffic(const struct measured_run *counted);

/* What a ratio or mechanism check comes to in a run. */
struct measured_finding {
    double share, value;
    bool has_value;
    bool without_shared; /* a measure of shared memory, which the kernel does not use */
    const char *evasion; /* why the counters cannot be believed, in a sentence; or NULL */
};
struct measured_finding measured_judge(const struct rubric_check *check,
                                       const struct measured_run *counted);

/* The line that has most in excess of what a measure counts, or 0. */
uint32_t measured_worst_line(const struct measured_line *lines, unsigned count,
                             enum rubric_measure measure);

#endif
