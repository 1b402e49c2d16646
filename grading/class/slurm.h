/* slurm.h: grading as a job array of Slurm.
 *
 * Theory of operation. The state is in DIR/work, which all nodes share; Slurm only decides who
 * works when. Each round writes batch.order (what the batch is, and what of it is missing), submits
 * a job array whose tasks grade every n-th submission of that, waits until no job of the array's
 * name is left, and looks what is still missing: what a lost node took with it is found that way,
 * whatever Slurm says of its tasks. Only sbatch and squeue are used, so no accounting database is
 * needed; Slurm's own environment variables (SBATCH_PARTITION, SBATCH_ACCOUNT, ...) choose where
 * jobs run. The name is made of DIR, so a master that was killed finds, after a restart, the jobs
 * that it left, and waits for them.
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

#endif
