/* slurm.h: grade a class as a job array of Slurm.
 *
 * Theory of operation. The state is in DIR/work, which all nodes share; Slurm only schedules tasks.
 * Each round writes task.sh (the command line of a task, with absolute paths) and batch.order (the
 * ids of submissions without a grade). The round then submits a job array, divides the submissions
 * among its tasks, and waits until the tasks have ended or are lost (slurm_jobs.h). The next round
 * grades the submissions that still have no grade. No accounting database is needed. Slurm's
 * environment variables (SBATCH_PARTITION, SBATCH_ACCOUNT, ...) determine where jobs run.
 */
#ifndef SLURM_H
#define SLURM_H

#include "class/batch.h"

/* Wait until all earlier jobs of this DIR have ended. Returns false for a harness failure. */
bool slurm_wait_for_earlier(const struct batch *batch, struct failure *failure);

/* Grade the submissions in rounds, until each submission has a grade or a .problem file, or several
 * consecutive rounds make no grade. *graded receives the number of submissions with a grade. */
bool slurm_grade(struct batch *batch, const size_t *indices, size_t count, size_t *graded,
                 struct failure *failure);

/* Options of `tlab grade` that only task.sh uses; the help does not list them. */
struct slurm_task {
    const char *key;        /* batch.key of the master; NULL: this process is not a task */
    uint64_t number, count; /* number of this task, from 0; number of all tasks */
    const char *job;        /* "12_3": job array and task; NULL: the task writes no heartbeats */
};

/* Grade the task's part of batch.order. Returns false for a harness failure. */
bool slurm_grade_task(const struct class_options *options, const struct slurm_task *task,
                      struct failure *failure);

#endif
