/* measure_work.h: the parts of measuring one file, for measure.c, measure_runs.c and
 * measure_mistake.c.
 */
#ifndef MEASURE_WORK_H
#define MEASURE_WORK_H

#include "judge/measurement.h"
#include "run/source.h"

/* What is being measured. */
struct measure_work {
    const struct measure_job *job;
    const struct rubric *rubric;
    struct measurement *measurement;
    struct run_options options; /* of the source: seed and budget change from launch to launch */
    struct source source;
    struct measured_work counted; /* of the first run */
    /* The hidden size of whole tiles at which other instructions do the work; 0 x 0: there is
     * none. */
    struct source_size elsewhere;
    bool ran_away; /* a launch did not end; no other one is made */
    /* At the first published size where it is not right, once they are all measured: then what
     * is hidden and takes long is not run. STATUS_OK: right, or not known. */
    enum status published;
};

/* The sandbox leaves so much memory that only the student's kernel can want more: what failed
 * for want of it is the student's. */
void measure_blame_student(struct failure *failure);

/* Is a size hidden, and so large that it is looked at only when the kernel is right in public?
 * It says nothing new of one that is wrong there. Races are not looked for, nor is anything
 * counted. */
bool measure_takes_long(const struct rubric_size *size);

/* Is the kernel right at a size, on the first run's device? */
bool measure_size(struct measure_work *work, const struct rubric_size *size,
                  struct measured_size *measured);
/* The same, as an attempt of which nothing is kept. */
bool measure_tries(struct measure_work *work, const struct rubric_size *size);

/* Count a run, or the square one of its rows. */
void measure_run(struct measure_work *work, unsigned index, bool square,
                 struct measured_run *counted);
/* What was seen at twins holds for their runs, in proportion. */
void measure_twins(const struct rubric *rubric, struct measured_run *runs);

/* When all is measured, and wrong at a published size: find the one mistake but for which the
 * kernel is right, and measure the runs without it. */
void measure_mistake(struct measure_work *work);

#endif
