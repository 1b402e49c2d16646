#define _GNU_SOURCE
#include "class/slurm.h"

#include "base/paths.h"
#include "base/whole_file.h"
#include "class/slurm_jobs.h"
#include "process/allocate.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ORDER "batch.order"
enum {
    ORDER_BYTES_MAX = 64 << 20,
    TASKS_MAX = 1000, /* Slurm's default for MaxArraySize is 1001 */
    /* A job array has TASKS_FOR_A_JOB * jobs tasks (--jobs). With small tasks, a failed node loses
     * little work, and few nodes are idle at the end. */
    TASKS_FOR_A_JOB = 4,
    ROUNDS_IN_VAIN = 3,
    START_SECONDS = 30, /* limit for the first heartbeat; doubled after a round without a grade */
};

bool slurm_wait_for_earlier(const struct batch *batch, struct failure *failure)
{
    struct slurm_jobs jobs = {.batch = batch, .start_seconds = START_SECONDS};
    bool good = slurm_jobs_name(&jobs, failure) && slurm_jobs_wait(&jobs, failure);
    slurm_jobs_free(&jobs);
    return good;
}

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

static bool print_path(FILE *stream, const char *option, const char *path, struct failure *failure)
{
    char real[PATH_SIZE];
    if (path && !realpath(path, real))
        return failure_harness(failure, "cannot find %s: %m", path);
    if (path) {
        fprintf(stream, " %s ", option);
        print_quoted(stream, real);
    }
    return true;
}

static bool print_task(FILE *stream, const struct batch *batch, unsigned tasks,
                       struct failure *failure)
{
    const struct class_options *options = batch->options;
    const struct grade_options *grade = &options->grade;
    char program[PATH_SIZE];
    if (!paths_of_program(NULL, program, failure))
        return false;
    fputs("#!/bin/sh\nexec ", stream);
    print_quoted(stream, program);
    fputs(" grade", stream);
    if (!print_path(stream, "", options->submissions, failure) ||
        !print_path(stream, "--out", options->out, failure) ||
        !print_path(stream, "--roster", options->roster, failure) ||
        !print_path(stream, "--policy", options->marks.policy, failure) ||
        !print_path(stream, "--rubrics", grade->rubrics, failure) ||
        !print_path(stream, "--seed", options->seed, failure))
        return false;
    if (options->one) {
        fputs(" --one ", stream);
        print_quoted(stream, options->one);
    }
    for (size_t i = 0; i < grade->exercise_count; i++)
        fprintf(stream, "%s%s", i ? "," : " --labs ", grade->exercises[i]);
    fprintf(stream,
            "%s --task-of %s --tasks %u --task \"$SLURM_ARRAY_TASK_ID\""
            " --job \"${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID\"\n",
            grade->sandbox == SANDBOX_WEAK ? " --sandbox seccomp" : "", batch->key, tasks);
    return true;
}

static bool save_order(const struct batch *batch, const size_t *indices, size_t count,
                       unsigned tasks, char script[PATH_SIZE], struct failure *failure)
{
    struct whole_file file;
    char order[PATH_SIZE];
    if (!path_format(script, failure, "%s/work/task.sh", batch->options->out) ||
        !path_format(order, failure, "%s/work/" ORDER, batch->options->out) ||
        !whole_file_open(&file, order, failure))
        return false;
    for (size_t i = 0; i < count; i++)
        fprintf(file.stream, "%s\n", batch->list.submissions[indices[i]].id);
    if (!whole_file_keep(&file, failure) || !whole_file_open(&file, script, failure))
        return false;
    if (print_task(file.stream, batch, tasks, failure))
        return whole_file_keep(&file, failure);
    whole_file_drop(&file);
    return false;
}

static bool submit(const struct batch *batch, const char *name, const char *script, unsigned tasks,
                   struct failure *failure)
{
    char array[64], out[PATH_SIZE], log[PATH_SIZE + 32] = "/dev/null";
    snprintf(array, sizeof array, "0-%u%%%u", tasks - 1, batch->options->jobs);
    /* Slurm replaces % in the path of a log. If DIR contains a %, the log is discarded. */
    if (realpath(batch->options->out, out) && !strchr(out, '%'))
        snprintf(log, sizeof log, "%s/work/slurm-%%A_%%a.log", out);
    const char *const arguments[] = {
        "sbatch",     "--parsable",       "--no-requeue", "--job-name", name,   "--array", array,
        "--ntasks=1", "--propagate=NONE", "--output",     log,          script, NULL};
    struct child_result result = {0};
    bool good = slurm_run(arguments, &result, failure);
    child_result_free(&result);
    return good;
}

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
    char script[PATH_SIZE];
    return save_order(batch, missing, count, (unsigned)tasks, script, failure) &&
           submit(batch, jobs->name, script, (unsigned)tasks, failure) &&
           slurm_jobs_wait(jobs, failure);
}

bool slurm_grade(struct batch *batch, const size_t *indices, size_t count, size_t *graded,
                 struct failure *failure)
{
    struct slurm_jobs jobs = {.batch = batch, .indices = indices, .count = count};
    size_t *missing = allocate_checked(calloc(count + 1, sizeof *missing));
    for (size_t i = 0; i < count; i++) {
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

/* Task k of n grades the lines k, k + n, k + 2n, ... of batch.order. */
static bool grade_slice(struct batch *batch, const struct slurm_task *task, struct failure *failure)
{
    const struct class_list *list = &batch->list;
    char path[PATH_SIZE], *next = NULL;
    size_t size, place = 0, count = 0, graded;
    char *text = path_format(path, failure, "%s/work/" ORDER, batch->options->out)
                     ? whole_file_read(path, ORDER_BYTES_MAX, &size, failure)
                     : NULL;
    size_t *indices = allocate_checked(calloc(list->count + 1, sizeof *indices));
    bool good = text != NULL;
    for (char *id = good ? strtok_r(text, "\n", &next) : NULL; id && count < list->count;
         id = strtok_r(NULL, "\n", &next)) {
        const struct submission *found = intake_find(list, id);
        if (place++ % task->count == task->number && found)
            indices[count++] = (size_t)(found - list->submissions);
    }
    good = good && batch_grade(batch, indices, count, 1, &graded, failure);
    free(indices);
    free(text);
    return good;
}

bool slurm_grade_task(const struct class_options *options, const struct slurm_task *task,
                      struct failure *failure)
{
    struct batch batch = {.options = options, .lock = -1};
    struct policy policy = {.exercises = NULL}; /* policy_read sets the time zone */
    char sign[PATH_SIZE];
    if (task->job) {
        if (!slurm_jobs_sign(options->out, task->job, sign, failure))
            return false;
        batch.sign = sign;
    }
    bool good = policy_read(options->marks.policy, &policy, failure) &&
                sandbox_probe(options->grade.sandbox, failure) && batch_open(&batch, failure);
    if (good && strcmp(batch.key, task->key))
        good = failure_harness(
            failure,
            "tlab, the compiler or the rubrics on this node differ from the versions on the "
            "machine that started the grading: use the same versions on both machines");
    good = good && grade_slice(&batch, task, failure);
    policy_free(&policy);
    batch_close(&batch);
    return good;
}
