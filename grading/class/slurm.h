/* slurm.h: grade a class as a job array of Slurm. All nodes share the state in DIR/work; Slurm only
 * schedules tasks. Grading takes one or more rounds. Each round writes task.sh (the command line of
 * a task) and batch.order (the ids of submissions without a grade). Then it submits a job array and
 * waits until its tasks have ended or are lost (slurm_jobs.h). Slurm's environment variables
 * (SBATCH_PARTITION, SBATCH_ACCOUNT, ...) determine where jobs run. */
#ifndef SLURM_H
#define SLURM_H

#include "class/batch.h"

/* Wait until all earlier jobs of this DIR have ended. Returns false for a harness failure. */
bool slurm_wait_for_earlier(const struct batch *batch, struct failure *failure);

/* Grade the submissions in rounds, until each has a grade or a .problem file, or several
 * consecutive rounds add no grade. *graded receives the number of submissions with a grade. */
bool slurm_grade(struct batch *batch, const size_t *indices, size_t count, size_t *graded,
                 struct failure *failure);

/* Options of `tlab grade` that only task.sh uses. */
struct slurm_task {
    const char *key;        /* batch.key of the submitting process; NULL if this is no task */
    uint64_t number, count; /* number of this task, from 0; number of tasks */
    const char *job;        /* "12_3" is task 3 of job array 12; NULL for no heartbeats */
};

/* Grade this task's part of batch.order. Returns false for a harness failure. */
bool slurm_grade_task(const struct class_options *options, const struct slurm_task *task,
                      struct failure *failure);

#endif
