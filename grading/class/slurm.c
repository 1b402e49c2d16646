#define _GNU_SOURCE
#include "class/slurm.h"

#include "base/child.h"
#include "base/paths.h"
#include "base/toolkit.h"
#include "base/whole_file.h"
#include "class/batch_order.h"

#include <errno.h>
#include <nettle/sha2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    TASKS_MAX = 1000,      /* MaxArraySize is 1001 unless an administrator says more */
    TASKS_FOR_A_JOB = 4,   /* so that a lost node takes less with it, and none idles at the end */
    ROUNDS_IN_VAIN = 3,    /* rounds that bring nothing, before giving up */
    SILENCE_SECONDS = 600, /* a controller may restart */
    POLL_SECONDS_MAX = 10,
};

static const struct child_limits limits = {
    .seconds = 120, .memory_bytes = (uint64_t)4 << 30, .output_bytes = 1 << 20};

/* The name of this DIR's jobs. */
struct job_name {
    char text[32];
};

static bool make_name(const struct batch *batch, struct job_name *name, struct failure *failure)
{
    uint8_t digest[SHA256_DIGEST_SIZE];
    char *path = realpath(batch->options->out, NULL);
    if (!path)
        return failure_harness(failure, "cannot find %s: %s", batch->options->out, strerror(errno));
    struct sha256_ctx hash;
    sha256_init(&hash);
    sha256_update(&hash, strlen(path), (const uint8_t *)path);
    sha256_digest(&hash, sizeof digest, digest);
    free(path);
    snprintf(name->text, sizeof name->text, "tlab-%02x%02x%02x%02x%02x%02x", digest[0], digest[1],
             digest[2], digest[3], digest[4], digest[5]);
    return true;
}

/* Run a program of Slurm. False: it cannot be run, or failed; `failure` has its words. */
static bool run_program(const char *const *arguments, struct child_result *result,
                        struct failure *failure)
{
    char program[PATH_SIZE];
    const char *words[24] = {program};
    if (!program_find(arguments[0], program, sizeof program))
        return failure_harness(failure, "--engine slurm: there is no %s in PATH", arguments[0]);
    for (size_t i = 1; i < 23 && arguments[i]; i++)
        words[i] = arguments[i];
    if (!child_run_program(words, NULL, NULL, &limits, result, failure))
        return false;
    if (result->end == CHILD_EXITED && result->code == 0)
        return true;
    char end[128];
    child_describe_end(result, &limits, end, sizeof end);
    failure_harness(failure, "%s failed (%s): %.1000s", arguments[0], end, result->messages);
    child_result_free(result);
    return false;
}

/* How many lines squeue has for our jobs, and the reason that the first gives for waiting. */
static bool count_jobs(const struct job_name *name, size_t *count, char *state, size_t state_size,
                       struct failure *failure)
{
    const char *const arguments[] = {"squeue",   "--noheader", "--name", name->text,
                                     "--format", "%T, %r",     NULL};
    struct child_result result = {0};
    *count = 0;
    if (!run_program(arguments, &result, failure))
        return false;
    size_t length = strcspn(result.output, "\n");
    snprintf(state, state_size, "%.*s", (int)length, result.output);
    for (const char *c = result.output; *c; c++)
        *count += *c == '\n';
    child_result_free(&result);
    return true;
}

static void show_progress(const struct batch *batch, const size_t *indices, size_t count,
                          const char *state, bool last)
{
    FILE *file = batch->options->progress;
    static size_t shown_done;
    static char shown_state[128];
    size_t done = 0;
    if (!file)
        return;
    bool terminal = isatty(fileno(file));
    for (size_t i = 0; i < count; i++)
        done += batch_is_graded(batch, indices[i]);
    if (!terminal && !last && !strcmp(shown_state, state) && done < shown_done + 100)
        return;
    shown_done = done;
    snprintf(shown_state, sizeof shown_state, "%s", state);
    if (count)
        fprintf(file, "%sgrading with Slurm: %zu of %zu (%s)%s", terminal ? "\r" : "", done, count,
                state, terminal && !last ? "    " : "\n");
    fflush(file);
}

/* Wait until no job of that name is left. */
static bool wait_for_jobs(const struct batch *batch, const struct job_name *name,
                          const size_t *indices, size_t count, struct failure *failure)
{
    char state[128] = "";
    time_t heard = time(NULL);
    for (unsigned seconds = 1;; seconds += seconds < POLL_SECONDS_MAX) {
        struct failure why = {0};
        size_t jobs;
        if (count_jobs(name, &jobs, state, sizeof state, &why)) {
            heard = time(NULL);
            if (!jobs)
                return true;
            show_progress(batch, indices, count, state, false);
        } else if (time(NULL) - heard > SILENCE_SECONDS) {
            return failure_harness(failure, "%s", why.text);
        }
        sleep(seconds);
    }
}

bool slurm_wait_for_earlier(const struct batch *batch, struct failure *failure)
{
    struct job_name name;
    char state[128];
    size_t jobs;
    if (!make_name(batch, &name, failure) ||
        !count_jobs(&name, &jobs, state, sizeof state, failure))
        return false;
    if (!jobs)
        return true;
    if (batch->options->progress)
        fprintf(batch->options->progress,
                "waiting for jobs that an earlier `tlab grade` left (%s)\n", name.text);
    return wait_for_jobs(batch, &name, NULL, 0, failure);
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
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (!out || length < 0 || snprintf(path, PATH_SIZE, "%s/work/task.sh", out) >= PATH_SIZE) {
        free(out);
        return failure_harness(failure, "cannot name %s for a job", batch->options->out);
    }
    program[length] = 0;
    if (!whole_file_open(&file, path, failure)) {
        free(out);
        return false;
    }
    fputs("#!/bin/sh\nexec ", file.stream);
    print_quoted(file.stream, program);
    fputs(" grade --task-of ", file.stream);
    print_quoted(file.stream, out);
    fputs(" --task \"$SLURM_ARRAY_TASK_ID\"\n", file.stream);
    free(out);
    return whole_file_keep(&file, failure);
}

static bool submit(const struct batch *batch, const struct job_name *name, unsigned tasks,
                   struct failure *failure)
{
    char script[PATH_SIZE], array[64], log[PATH_SIZE + 32];
    if (!save_script(batch, script, failure))
        return false;
    snprintf(array, sizeof array, "0-%u%%%u", tasks - 1, batch->options->jobs);
    /* Beside the script; Slurm would take a % in the path for a pattern of its own. */
    snprintf(log, sizeof log, "%.*s/slurm-%%A_%%a.log", (int)(strrchr(script, '/') - script),
             script);
    const char *const arguments[] = {"sbatch",
                                     "--parsable",
                                     "--requeue",
                                     "--job-name",
                                     name->text,
                                     "--array",
                                     array,
                                     "--ntasks=1",
                                     "--propagate=NONE",
                                     "--open-mode=append",
                                     "--output",
                                     strchr(script, '%') ? "/dev/null" : log,
                                     script,
                                     NULL};
    struct child_result result = {0};
    if (!run_program(arguments, &result, failure))
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

static bool run_round(struct batch *batch, const struct job_name *name, const size_t *missing,
                      size_t count, struct failure *failure)
{
    size_t tasks = (size_t)batch->options->jobs * TASKS_FOR_A_JOB;
    tasks = tasks > count ? count : tasks;
    tasks = tasks > TASKS_MAX ? TASKS_MAX : tasks;
    return batch_order_save(batch, missing, count, (unsigned)tasks, failure) &&
           submit(batch, name, (unsigned)tasks, failure) &&
           wait_for_jobs(batch, name, missing, count, failure);
}

bool slurm_grade(struct batch *batch, const size_t *indices, size_t count, size_t *graded,
                 struct failure *failure)
{
    struct job_name name;
    size_t *missing = calloc(count + 1, sizeof *missing);
    if (!missing || !make_name(batch, &name, failure)) {
        free(missing);
        return failure_harness(failure, "not enough memory");
    }
    for (size_t i = 0; i < count; i++) { /* what failed before is tried again */
        struct failure unused = {0};
        char problem[PATH_SIZE];
        if (batch_path(batch, indices[i], ".problem", problem, &unused))
            unlink(problem);
    }
    bool good = true;
    size_t left = find_missing(batch, indices, count, missing);
    for (unsigned in_vain = 0; good && left && in_vain < ROUNDS_IN_VAIN;) {
        good = run_round(batch, &name, missing, left, failure);
        size_t still = find_missing(batch, indices, count, missing);
        in_vain = still < left ? 0 : in_vain + 1;
        left = still;
    }
    *graded = 0;
    for (size_t i = 0; i < count; i++)
        *graded += batch_is_graded(batch, indices[i]);
    if (good)
        show_progress(batch, indices, count, "done", true);
    free(missing);
    return good;
}
