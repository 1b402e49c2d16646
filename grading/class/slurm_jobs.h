/* slurm_jobs.h: what became of the jobs of one name, and the wait for their end.
 *
 * Theory of operation. Slurm may be late or wrong about its tasks. A node that falls silent counts
 * as down after SlurmdTimeout (300 s by default); a node whose daemon is back before that is asked
 * for its tasks again a minute later; and a job that is requeued begins two minutes later at the
 * earliest, so that no credential of its first start is valid any more. A node that was drained
 * meanwhile, as one is when tasks on it could not be started or killed, takes no task until an
 * administrator says so, and jobs wait without end. So:
 *   - tasks show signs of life of their own: a file that grows (batch.h). One whose sign stands
 *     still is given up: the file is removed, which ends the task wherever it may be, it is
 *     cancelled, and not waited for, whatever squeue says;
 *   - jobs are never requeued: the master submits again what is missing;
 *   - jobs that wait although no node of their partition can work, or for a reason that does not
 *     pass by itself, are waited for with a limit, and the reason is said; nodes that cannot work
 *     are named also while others can.
 */
#ifndef SLURM_JOBS_H
#define SLURM_JOBS_H

#include "base/paths.h"
#include "class/batch.h"
#include "process/child.h"

struct slurm_task; /* a task that Slurm says is running */

/* Zeroed, but for the first three: those of one DIR. */
struct slurm_jobs {
    const struct batch *batch;
    const size_t *indices; /* what they grade, for the progress; NULL: nothing is said of it */
    size_t count;

    char name[32]; /* of the jobs: slurm_jobs_name */
    struct slurm_task *tasks;
    size_t task_count;
    size_t working, waiting; /* at the last look: tasks, and lines of tasks that have not begun */
    char state[256], state_shown[256], nodes_shown[160];
    size_t done_shown;
    unsigned start_seconds; /* within which a task gives its first sign */
};

/* Make the name: the same for the same DIR, so that a master that was killed finds, after a
 * restart, the jobs that it left. */
bool slurm_jobs_name(struct slurm_jobs *jobs, struct failure *failure);

/* Wait until none of them works or waits. Harness failure: the controller does not answer, or they
 * cannot begin; in the second case they are cancelled. */
bool slurm_jobs_wait(struct slurm_jobs *jobs, struct failure *failure);

void slurm_jobs_free(struct slurm_jobs *jobs);

/* The sign of a task ("12_3": its array and its number): DIR/work/12_3.alive. */
bool slurm_jobs_sign(const char *out, const char *id, char path[PATH_SIZE],
                     struct failure *failure);

/* Say how many are graded, if that or the state has changed; `last`: in any case. */
void slurm_jobs_show(struct slurm_jobs *jobs, bool last);

/* Run a program of Slurm and keep what it says (child_result_free). False: it cannot be run, or
 * failed; `failure` has its words. */
bool slurm_run(const char *const *arguments, struct child_result *result, struct failure *failure);

#endif
