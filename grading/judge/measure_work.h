/* measure_work.h: one file while it is measured; for measure*.c. */
#ifndef MEASURE_WORK_H
#define MEASURE_WORK_H

#include "judge/measurement.h"
#include "run/source.h"

struct measure_work {
    const struct measure_job *job;
    const struct rubric *rubric;
    struct measurement *measurement;
    struct run_options options; /* options of the source; seed and budget change with each launch */
    struct source source;
    struct measured_work counted; /* work of the first run */
    /* The hidden size of whole tiles at which the kernel executes different instructions; 0 x 0:
     * none. */
    struct source_size elsewhere;
    bool ran_away;         /* a launch did not end; no more launches are made */
    bool wrong_in_hiding;  /* the result is incorrect at a hidden size */
    bool is_right_at_huge; /* a repaired kernel need not be verified at the huge size */
    bool whole_only;       /* a mistake is repaired by sizes of whole tiles only, */
    bool square_only;      /* or by square ones only */
    bool unchecked;        /* races and uninitialized values are not checked */
    bool samples_nearly;   /* large sizes have partial tiles (SAMPLES_NEARLY) */
    uint64_t matrices;     /* of the next launch of a batch; 0: as usual */
    /* The grid of the last size with a correct result, in blocks; the most elements per block at a
     * size that was checked for races. */
    uint64_t last_blocks, per_block;
    /* The first status that is not ok at a published size, set after all of them are measured.
     * Large hidden sizes are then skipped. */
    enum status published;
};

/* Turn a harness failure into the student's: only the kernel can need more memory than the sandbox
 * has. */
void measure_blame_student(struct failure *failure);

/* True for a hidden size that is so large that it runs only if the kernel is correct on published
 * sizes, without checks for races and without counters. */
bool measure_takes_long(const struct rubric_size *size);

/* Run the kernel at a size, on the first run's device. Returns true if the result is correct. */
bool measure_size(struct measure_work *work, const struct rubric_size *size,
                  struct measured_size *measured);
/* Run the kernel at a size without storing the result. */
bool measure_tries(struct measure_work *work, const struct rubric_size *size);

/* Returns true, and fails, if a launch is useless because of an earlier one; `in_vain`: also if the
 * kernel is incorrect at a published size. */
bool measure_refuses(const struct measure_work *work, bool in_vain, struct failure *failure);
/* Launch at a size and verify. */
void measure_verify(struct measure_work *work, const struct rubric_size *size,
                    enum launch_mode mode, struct failure *failure);
/* Returns the number of blocks that LAB_LAUNCH requests at a size; 0: nothing valid. */
uint64_t measure_blocks(const struct measure_work *work, struct source_size size);
/* Count a run, or, if `square`, the same with as many columns as rows. */
void measure_run(struct measure_work *work, unsigned index, bool square,
                 struct measured_run *counted);
/* Apply the data movement observed at twins to their runs. */
void measure_twins(const struct rubric *rubric, struct measured_run *runs);

/* After all sizes, if the result is incorrect at one: find the mistake, or the two mistakes,
 * without which the kernel is correct, and measure the runs as if they were repaired. A kernel
 * that is incorrect at hidden sizes only can only lack a barrier: no other mistake is excused
 * there. */
void measure_mistake(struct measure_work *work);

#endif
