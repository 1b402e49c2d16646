/* slurm_jobs.h: wait until the jobs of a class have ended.
 *
 * Theory of operation. Slurm may report the state of tasks late or incorrectly. Slurm reports a
 * node that does not respond as down only after SlurmdTimeout (300 s by default). A requeued job
 * starts two minutes later at the earliest. A drained node accepts no tasks until an administrator
 * resumes the node. Therefore:
 *   - tasks write heartbeats: each task has a file that grows (batch.h). A task without a new
 *     heartbeat is abandoned: its file is removed, which ends the task, and the task is cancelled;
 *   - jobs are never requeued: the master assigns missing submissions to new tasks;
 *   - if no node of the partition accepts tasks, or jobs wait for a permanent reason, the wait has
 *     a limit and the reason is reported. If only some nodes accept no tasks, a message lists them.
 */
#ifndef SLURM_JOBS_H
#define SLURM_JOBS_H

#include "base/paths.h"
#include "class/batch.h"
#include "process/child.h"

struct slurm_task; /* a task that Slurm reports as running */

/* The jobs of one DIR. The caller sets batch, indices and count; all other members are zero. */
struct slurm_jobs {
    const struct batch *batch;
    const size_t *indices; /* submissions in the printed progress; NULL: no progress is printed */
    size_t count;

    char name[32]; /* name of the jobs (slurm_jobs_name) */
    struct slurm_task *tasks;
    size_t task_count;
    /* Number of running tasks; number of squeue's lines for pending tasks. */
    size_t working, waiting;
    char state[256], state_shown[256], nodes_shown[160];
    size_t done_shown;
    unsigned start_seconds; /* seconds within which a running task must write a heartbeat */
};

/* Set jobs->name, which depends only on DIR, so that a restarted master finds the earlier jobs. */
bool slurm_jobs_name(struct slurm_jobs *jobs, struct failure *failure);

/* Wait until all jobs have ended. Returns false for a harness failure if the controller does not
 * answer, or if the jobs cannot start. Jobs that cannot start are cancelled. */
bool slurm_jobs_wait(struct slurm_jobs *jobs, struct failure *failure);

void slurm_jobs_free(struct slurm_jobs *jobs);

/* Set `path` to a task's heartbeat file, DIR/work/ID.alive. An ID is "12_3": job array and task. */
bool slurm_jobs_sign(const char *out, const char *id, char path[PATH_SIZE],
                     struct failure *failure);

/* Print the number of grades and the state. In a log, print a line only if the state has changed,
 * if 100 more grades exist, or if `last` is true. */
void slurm_jobs_show(struct slurm_jobs *jobs, bool last);

/* Run a program of Slurm, with at most 22 arguments after its name. Free the result with
 * child_result_free. Returns false for a failure if the program cannot run or fails. */
bool slurm_run(const char *const *arguments, struct child_result *result, struct failure *failure);

#endif
