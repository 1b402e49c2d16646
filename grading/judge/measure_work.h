/* measure_work.h: one file while it is measured; for measure*.c. */
#ifndef MEASURE_WORK_H
#define MEASURE_WORK_H

#include "judge/measurement.h"
#include "run/source.h"

struct measure_work {
    const struct measure_job *job;
    const struct rubric *rubric;
    struct measurement *measurement;
    struct run_options options; /* of the source; seed and budget change with each launch */
    struct source source;
    struct measured_work counted; /* of the first run */
    /* The hidden size of whole tiles at which the kernel executes different instructions; 0 x 0:
     * none. */
    struct source_size elsewhere;
    bool ran_away; /* a launch did not end; no more launches are made */
    /* The first status that is not ok at a published size, after they are all measured: large
     * hidden sizes are then skipped. */
    enum status published;
};

/* Make a harness failure the student's: only the kernel can need more memory than the sandbox
 * has. */
void measure_blame_student(struct failure *failure);

/* True for a hidden size that is so large that it runs only if the kernel is correct on published
 * sizes, without checks for races and without counters. */
bool measure_takes_long(const struct rubric_size *size);

/* Run the kernel at a size, on the first run's device. Returns true if the result is correct. */
bool measure_size(struct measure_work *work, const struct rubric_size *size,
                  struct measured_size *measured);
/* The same without storing the result. */
bool measure_tries(struct measure_work *work, const struct rubric_size *size);

/* Count a run, or, if `square`, the same with as many columns as rows. */
void measure_run(struct measure_work *work, unsigned index, bool square,
                 struct measured_run *counted);
/* Apply the data movement observed at twins to their runs, in proportion. */
void measure_twins(const struct rubric *rubric, struct measured_run *runs);

/* After all sizes, if the result is incorrect at a published one: find the one mistake without
 * which the kernel is correct, and measure the runs as if it were repaired. */
void measure_mistake(struct measure_work *work);

#endif
