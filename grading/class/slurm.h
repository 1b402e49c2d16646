/* slurm.h: grading as a job array of Slurm.
 *
 * Theory of operation. The state is in DIR/work, which all nodes share; Slurm only schedules tasks.
 * Each round writes task.sh (the command line of a task, with absolute paths) and batch.order (the
 * ids of submissions without a grade). It submits a job array whose tasks share these submissions,
 * waits for the end or loss of the tasks (slurm_jobs.h), and finds the missing grades, which the
 * next round makes. No accounting database is needed. Slurm's environment variables
 * (SBATCH_PARTITION, SBATCH_ACCOUNT, ...) choose where jobs run.
 */
#ifndef SLURM_H
#define SLURM_H

#include "class/batch.h"

/* Wait until all earlier jobs of this DIR have ended. */
bool slurm_wait_for_earlier(const struct batch *batch, struct failure *failure);

/* Grade these submissions in rounds, until no grade is missing or several rounds make none. *graded
 * is the number of submissions with a grade. */
bool slurm_grade(struct batch *batch, const size_t *indices, size_t count, size_t *graded,
                 struct failure *failure);

/* The hidden options of a task in task.sh. */
struct slurm_task {
    const char *key;        /* batch.key; NULL: not a task */
    uint64_t number, count; /* number of this task; number of all tasks */
    const char *job;        /* "12_3", the array and the task; NULL: no sign of life */
};

/* Grade the task's part of batch.order, one submission after the other. */
bool slurm_grade_task(const struct class_options *options, const struct slurm_task *task,
                      struct failure *failure);

#endif
