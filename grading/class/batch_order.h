/* batch_order.h: DIR/work/batch.order: what a batch is, for processes on other machines. (No
 * grade is called so: those end in .json, and a submission may be called `batch`.)
 */
#ifndef BATCH_ORDER_H
#define BATCH_ORDER_H

#include "class/batch.h"

/* Write it: the options, with absolute paths, and the submissions (indices[0..count)) that an array
 * of `tasks` tasks is to grade. */
bool batch_order_save(const struct batch *batch, const size_t *indices, size_t count,
                      unsigned tasks, struct failure *failure);

/* A task of a job array: its part of what DIR/work/batch.order says, one after the other. `job`
 * names the task's sign of life (slurm_jobs.h); NULL: nobody watches. */
bool batch_grade_task(const char *out, unsigned task, const char *job,
                      const struct class_steps *steps, struct failure *failure);

#endif
