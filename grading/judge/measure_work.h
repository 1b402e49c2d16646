/* measure_work.h: the state of a file that is being measured; for measure*.c. */
#ifndef MEASURE_WORK_H
#define MEASURE_WORK_H

#include "judge/measurement.h"
#include "run/source.h"

/* A branch of the kernel whose condition depends only on the size. */
struct measure_condition {
    uint32_t at;              /* number of the instruction in the kernel */
    bool was_true, was_false; /* its results at the sizes so far */
};
enum { MEASURE_CONDITIONS = 32 };
struct measure_conditions {
    struct measure_condition list[MEASURE_CONDITIONS];
    unsigned count;
    bool is_known;  /* the conditions of the kernel are in the list */
    bool is_hidden; /* there is a condition on the size whose results are not visible */
    bool is_closed; /* further launches are of other kernels */
};

struct measure_work {
    const struct measure_job *job;
    const struct rubric *rubric;
    struct measurement *measurement;
    struct run_options options; /* options of `source`; seed and budget differ for each launch */
    struct source source;
    struct measured_work counted; /* work of the first run */
    /* A hidden size of whole tiles at which the kernel executes other instructions than in the
     * first run; 0 x 0: there is none. */
    struct source_size elsewhere;
    bool ran_away;         /* a launch did not end; no more launches are made */
    bool wrong_in_hiding;  /* the result is incorrect at a hidden size */
    bool is_right_at_huge; /* a repaired kernel need not be verified at the huge size */
    bool whole_only;  /* the mistake has no effect at sizes of whole tiles: use only such sizes */
    bool square_only; /* the mistake has no effect at square sizes: use only such sizes */
    bool unchecked;   /* races and uninitialized values are not checked */
    bool samples_nearly; /* large sizes have partial tiles (SAMPLES_NEARLY) */
    uint64_t matrices; /* number of matrices of the next launch; 0: set_batch computes the number */
    struct measure_conditions conditions;
    /* The number of blocks at the last size; the largest number of elements per block at a size
     * that was checked for races. */
    uint64_t last_blocks, per_block;
    /* The first status of a published size that is not ok, set after all published sizes are
     * measured. Large hidden sizes are then skipped. */
    enum status published;
};

/* Turn a harness failure into a failure of the student, because only the kernel can need more
 * memory than the sandbox has. */
void measure_blame_student(struct failure *failure);

/* Returns true for a large hidden size. The kernel runs there only if it is correct at the
 * published sizes, without checks for races and without counters. */
bool measure_takes_long(const struct rubric_size *size);

/* Run the kernel at a size, on the first run's device. Returns true if the result is correct. */
bool measure_size(struct measure_work *work, const struct rubric_size *size,
                  struct measured_size *measured);
/* Run the kernel at a size without storing the result. */
bool measure_tries(struct measure_work *work, const struct rubric_size *size);

/* After all hidden sizes: if a condition on the size had the same result at all sizes, run the
 * kernel at sizes of other kinds. If it is incorrect there, the result counts as that of the huge
 * size. If a condition still has only one result, store its line in the measurement. */
void measure_further_sizes(struct measure_work *work);
/* Note the results of the kernel's conditions on the size after a launch. */
void measure_conditions_note(struct measure_work *work, const struct emulator_launch *launch,
                             const struct emulator_result *result);
/* Returns true if a condition on the size had the same result at all sizes, or if the results of a
 * condition are not visible. *line receives the line of the former; 0: there is none. */
bool measure_conditions_open(const struct measure_work *work, uint32_t *line);

/* Returns true, and sets the failure, if a launch is useless because an earlier launch did not end.
 * With `in_vain`, also if the kernel is incorrect at a published size. */
bool measure_refuses(const struct measure_work *work, bool in_vain, struct failure *failure);
/* Launch the kernel at a size and verify the result. */
void measure_verify(struct measure_work *work, const struct rubric_size *size,
                    enum launch_mode mode, struct failure *failure);
/* Returns the number of blocks that LAB_LAUNCH requests at a size; 0: the request is invalid. */
uint64_t measure_blocks(const struct measure_work *work, struct source_size size);
/* Count a run. If `square`, the number of columns is that of the rows. */
void measure_run(struct measure_work *work, unsigned index, bool square,
                 struct measured_run *counted);
/* Copy the data movement that was observed at each twin to the run of the twin. */
void measure_twins(const struct rubric *rubric, struct measured_run *runs);

/* Call this after all sizes if the result is incorrect at a size. Find the mistake, or the two
 * mistakes, without which the kernel is correct, and measure the runs as if these mistakes were
 * repaired. If the kernel is incorrect only at hidden sizes, only a missing barrier counts as such
 * a mistake. */
void measure_mistake(struct measure_work *work);

#endif
