/* slurm.h: grading as a job array of Slurm.
 *
 * Theory of operation. The state is in DIR/work, which all nodes share; Slurm only decides which
 * task runs when. Each round writes task.sh (the command line of a task: this one, with absolute
 * paths) and batch.order (the ids of the submissions that have no grade), submits a job array whose
 * task n grades every n-th of these, waits for the array's end or for the loss of what is left of
 * it (slurm_jobs.h), and looks what is still missing: that is the next round's. A grade that is
 * there is neither made again nor waited for. No accounting database is needed; Slurm's own
 * environment variables (SBATCH_PARTITION, SBATCH_ACCOUNT, ...) choose where jobs run.
 */
#ifndef SLURM_H
#define SLURM_H

#include "class/batch.h"

/* Wait until no earlier job of this DIR is left. */
bool slurm_wait_for_earlier(const struct batch *batch, struct failure *failure);

/* Grade these submissions. *graded counts those that have a grade then; rounds end when one brings
 * nothing. */
bool slurm_grade(struct batch *batch, const size_t *indices, size_t count, size_t *graded,
                 struct failure *failure);

/* What task.sh says of a task, besides the options. */
struct slurm_task {
    const char *key;        /* batch.key; NULL: this process is no task */
    uint64_t number, count; /* of the array's tasks */
    const char *job;        /* "12_3", the array and the task; NULL: no sign of life is given */
};

/* In the task: grade its part of batch.order, one submission after the other. */
bool slurm_grade_task(const struct class_options *options, const struct slurm_task *task,
                      struct failure *failure);

#endif
