/* slurm.h: grading as a job array of Slurm.
 *
 * Theory of operation. The state is in DIR/work, which all nodes share; Slurm only decides who
 * works when. Each round writes batch.order (what the batch is, and what of it is missing), submits
 * a job array whose tasks grade every n-th submission of that, waits for the array's end or for
 * what is left of it to be given up (slurm_jobs.h), and looks what is still missing: that is the
 * next round's. A grade that is there is neither made again nor waited for. No accounting database
 * is needed; Slurm's own environment variables (SBATCH_PARTITION, SBATCH_ACCOUNT, ...) choose where
 * jobs run.
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
