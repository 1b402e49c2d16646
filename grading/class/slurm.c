/* slurm.c: see slurm.h. */
#define _GNU_SOURCE
#include "class/slurm.h"

#include "base/paths.h"
#include "base/whole_file.h"
#include "class/batch_order.h"
#include "class/slurm_jobs.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    TASKS_MAX = 1000,    /* MaxArraySize is 1001 unless an administrator says more */
    TASKS_FOR_A_JOB = 4, /* so that a lost node takes less with it, and none idles at the end */
    ROUNDS_IN_VAIN = 3,  /* rounds that bring nothing, before giving up */
    START_SECONDS = 30,  /* for a task's first sign; doubled by each round in vain */
};

bool slurm_wait_for_earlier(const struct batch *batch, struct failure *failure)
{
    struct slurm_jobs jobs = {.batch = batch, .start_seconds = START_SECONDS};
    bool good = slurm_jobs_name(&jobs, failure) && slurm_jobs_wait(&jobs, failure);
    slurm_jobs_free(&jobs);
    return good;
}

/* ---- A round ---- */

/* 'text' for the shell. */
static void print_quoted(FILE *stream, const char *text)
{
    putc('\'', stream);
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\''", stream);
        else
            putc(*text, stream);
    }
    putc('\'', stream);
}

/* DIR/work/task.sh: what a task runs. */
static bool save_script(const struct batch *batch, char *path, struct failure *failure)
{
    struct whole_file file;
    char program[PATH_SIZE];
    char *out = realpath(batch->options->out, NULL);
    if (!out || !paths_of_program(NULL, program, &(struct failure){0}) ||
        snprintf(path, PATH_SIZE, "%s/work/task.sh", out) >= PATH_SIZE) {
        free(out);
        return failure_harness(failure, "cannot name %s for a job", batch->options->out);
    }
    if (!whole_file_open(&file, path, failure)) {
        free(out);
        return false;
    }
    fputs("#!/bin/sh\nexec ", file.stream);
    print_quoted(file.stream, program);
    fputs(" grade --task-of ", file.stream);
    print_quoted(file.stream, out);
    fputs(" --task \"$SLURM_ARRAY_TASK_ID\""
          " --job \"${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID\"\n",
          file.stream);
    free(out);
    return whole_file_keep(&file, failure);
}

static bool submit(const struct batch *batch, const char *name, unsigned tasks,
                   struct failure *failure)
{
    char script[PATH_SIZE], array[64], log[PATH_SIZE + 32];
    if (!save_script(batch, script, failure))
        return false;
    snprintf(array, sizeof array, "0-%u%%%u", tasks - 1, batch->options->jobs);
    /* Beside the script; Slurm would take a % in the path for a pattern of its own. */
    snprintf(log, sizeof log, "%.*s/slurm-%%A_%%a.log", (int)(strrchr(script, '/') - script),
             script);
    const char *output = strchr(script, '%') ? "/dev/null" : log;
    const char *const arguments[] = {
        "sbatch",     "--parsable",       "--no-requeue", "--job-name", name,   "--array", array,
        "--ntasks=1", "--propagate=NONE", "--output",     output,       script, NULL};
    struct child_result result = {0};
    if (!slurm_run(arguments, &result, failure))
        return false;
    child_result_free(&result);
    return true;
}

/* Those without a grade that nobody has said why; `missing` has room for `count`. */
static size_t find_missing(const struct batch *batch, const size_t *indices, size_t count,
                           size_t *missing)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        struct failure unused = {0};
        char problem[PATH_SIZE];
        bool known = batch_path(batch, indices[i], ".problem", problem, &unused) &&
                     access(problem, F_OK) == 0;
        if (!known && !batch_is_graded(batch, indices[i]))
            missing[found++] = indices[i];
    }
    return found;
}

static bool run_round(struct batch *batch, struct slurm_jobs *jobs, const size_t *missing,
                      size_t count, struct failure *failure)
{
    size_t tasks = (size_t)batch->options->jobs * TASKS_FOR_A_JOB;
    tasks = tasks > count ? count : tasks;
    tasks = tasks > TASKS_MAX ? TASKS_MAX : tasks;
    return batch_order_save(batch, missing, count, (unsigned)tasks, failure) &&
           submit(batch, jobs->name, (unsigned)tasks, failure) && slurm_jobs_wait(jobs, failure);
}

bool slurm_grade(struct batch *batch, const size_t *indices, size_t count, size_t *graded,
                 struct failure *failure)
{
    struct slurm_jobs jobs = {.batch = batch, .indices = indices, .count = count};
    size_t *missing = calloc(count + 1, sizeof *missing);
    if (!missing)
        return failure_harness(failure, "not enough memory");
    for (size_t i = 0; i < count; i++) { /* what failed before is tried again */
        struct failure unused = {0};
        char problem[PATH_SIZE];
        if (batch_path(batch, indices[i], ".problem", problem, &unused))
            unlink(problem);
    }
    bool good = slurm_jobs_name(&jobs, failure);
    size_t left = find_missing(batch, indices, count, missing);
    for (unsigned in_vain = 0; good && left && in_vain < ROUNDS_IN_VAIN;) {
        jobs.start_seconds = START_SECONDS << in_vain;
        good = run_round(batch, &jobs, missing, left, failure);
        size_t still = find_missing(batch, indices, count, missing);
        in_vain = still < left ? 0 : in_vain + 1;
        left = still;
    }
    *graded = 0;
    for (size_t i = 0; i < count; i++)
        *graded += batch_is_graded(batch, indices[i]);
    snprintf(jobs.state, sizeof jobs.state, "done");
    if (good && count)
        slurm_jobs_show(&jobs, true);
    slurm_jobs_free(&jobs);
    free(missing);
    return good;
}
