/* slurm_jobs.h: wait until the jobs of a class have ended.
 *
 * Theory of operation. Slurm may report the state of tasks late. For example, Slurm reports a node
 * that does not respond as down only after SlurmdTimeout (300 s by default). Therefore:
 *   - Each task writes heartbeats (batch.h, `sign`). A task without heartbeats is cancelled, and
 *     its heartbeat file is removed, which ends the task if it still runs.
 *   - Jobs are never requeued, because a requeued job starts two minutes later at the earliest.
 *   - If no node accepts tasks or the jobs cannot start, the wait has a time limit. */
#ifndef SLURM_JOBS_H
#define SLURM_JOBS_H

#include "base/paths.h"
#include "class/batch.h"
#include "process/child.h"

struct slurm_task;

/* The jobs of one DIR. The caller sets batch, indices and count; all other members are zero. */
struct slurm_jobs {
    const struct batch *batch;
    const size_t *indices; /* submissions to count in progress messages; NULL for no messages */
    size_t count;

    char name[32];
    struct slurm_task *tasks;
    size_t task_count;
    /* number of running tasks; number of lines that squeue prints for pending tasks */
    size_t working, waiting;
    char state[256], state_shown[256], nodes_shown[160];
    size_t done_shown;
    unsigned start_seconds; /* time limit in seconds for the first heartbeat of a running task */
};

/* Set jobs->name. It depends only on DIR, so that a restarted `tlab grade` finds earlier jobs. */
bool slurm_jobs_name(struct slurm_jobs *jobs, struct failure *failure);

/* Wait until all jobs have ended. Returns false for a harness failure if the jobs cannot start and
 * were cancelled, or if Slurm's controller does not answer. */
bool slurm_jobs_wait(struct slurm_jobs *jobs, struct failure *failure);

void slurm_jobs_free(struct slurm_jobs *jobs);

/* Set `path` to DIR/work/ID.alive, the heartbeat file. ID "12_3" is task 3 of job array 12. */
bool slurm_jobs_sign(const char *out, const char *id, char path[PATH_SIZE],
                     struct failure *failure);

/* Print the number of grades and the state; `last` is true for the final line. In a log file, print
 * only every 100th grade, changed states and the final line. */
void slurm_jobs_show(struct slurm_jobs *jobs, bool last);

/* Run a program of Slurm with at most 22 arguments after its name. Returns false for a harness
 * failure if the program fails. Free the result with child_result_free. */
bool slurm_run(const char *const *arguments, struct child_result *result, struct failure *failure);

#endif
