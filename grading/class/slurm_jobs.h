/* slurm_jobs.h: wait for the end of the jobs with one name.
 *
 * Theory of operation. Slurm may report the state of tasks late or incorrectly. A node that does
 * not respond is down only after SlurmdTimeout (300 s by default). A requeued job starts two
 * minutes later at the earliest. A drained node accepts no tasks until an administrator resumes it,
 * and jobs wait without end. Therefore:
 *   - tasks write signs of life: each task has a file that grows (batch.h). A task without a new
 *     sign is abandoned: its file is removed, which ends the task, and the task is cancelled;
 *   - jobs are never requeued: the master assigns missing submissions to new tasks;
 *   - if no node of the partition can work, or jobs wait for a permanent reason, the wait has a
 *     limit and the reason is reported. If some nodes can work, the other nodes are reported.
 */
#ifndef SLURM_JOBS_H
#define SLURM_JOBS_H

#include "base/paths.h"
#include "class/batch.h"
#include "process/child.h"

struct slurm_task; /* a task that Slurm reports as running */

/* The jobs of one DIR. The caller sets the first three members; all other members are zero. */
struct slurm_jobs {
    const struct batch *batch;
    const size_t *indices; /* submissions of the jobs, to print progress; NULL: no progress */
    size_t count;

    char name[32]; /* name of the jobs (slurm_jobs_name) */
    struct slurm_task *tasks;
    size_t task_count;
    size_t working, waiting; /* at the last query: running tasks, lines of pending tasks */
    char state[256], state_shown[256], nodes_shown[160];
    size_t done_shown;
    unsigned start_seconds; /* time limit for the first sign of a task */
};

/* Make the name of the jobs. The name depends only on DIR, so a restarted master finds it. */
bool slurm_jobs_name(struct slurm_jobs *jobs, struct failure *failure);

/* Wait until all jobs have ended. Harness failure: the controller does not answer, or the jobs
 * cannot start and are cancelled. */
bool slurm_jobs_wait(struct slurm_jobs *jobs, struct failure *failure);

void slurm_jobs_free(struct slurm_jobs *jobs);

/* Make the path of a task's file of signs, DIR/work/12_3.alive; "12_3" is array and task. */
bool slurm_jobs_sign(const char *out, const char *id, char path[PATH_SIZE],
                     struct failure *failure);

/* Print the number of grades if the number or the state has changed, or if `last` is true. */
void slurm_jobs_show(struct slurm_jobs *jobs, bool last);

/* Run a program of Slurm. Free the result with child_result_free. Returns false if the program
 * could not be run, or failed with the message in `failure`. */
bool slurm_run(const char *const *arguments, struct child_result *result, struct failure *failure);

#endif
