/* batch_grade.c: write and read grades. Only child processes read files of submissions. */
#define _GNU_SOURCE
#include "class/batch.h"

#include "base/paths.h"
#include "base/whole_file.h"
#include "goals/digest.h"
#include "goals/rubric.h"
#include "intake/text.h"
#include "judge/grade_flag.h"
#include "process/child.h"
#include "process/pool.h"
#include "run/attempt.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Grading takes 1 s or 2 s, but the time limits of compilers and kernels add up to minutes. */
enum { GRADE_SECONDS_MAX = 1800, SWEEP_SECONDS_MAX = 120, SIGN_SECONDS = 2 };

/* If the first HOPELESS submissions all fail, the grader is the likely cause, and grading stops. */
enum { HOPELESS = 8 };

static bool remove_file(const char *path, struct failure *failure)
{
    return !unlink(path) || errno == ENOENT ||
           failure_harness(failure, "cannot remove %s: %m", path);
}

/* Remove NAME.PID-N.tmp (an incomplete file) and TASK.alive (a heartbeat file). No process writes
 * these files, because the caller holds the lock and earlier tasks have ended. */
static bool remove_temporaries(const char *directory, struct failure *failure)
{
    DIR *open_directory = opendir(directory);
    if (!open_directory)
        return failure_harness(failure, "cannot open %s: %m", directory);
    for (struct dirent *entry; (entry = readdir(open_directory));)
        if (!fnmatch("?*.+([0-9])-+([0-9]).tmp", entry->d_name, FNM_EXTMATCH) ||
            !fnmatch("?*.alive", entry->d_name, 0))
            unlinkat(dirfd(open_directory), entry->d_name, 0);
    closedir(open_directory);
    return true;
}

static bool remove_report_temporaries(const struct batch *batch, struct failure *failure)
{
    for (size_t i = 0; i < batch->list.count; i++) {
        char path[PATH_SIZE];
        struct stat status;
        struct failure unused = {0};
        if (!path_format(path, failure, "%s/students/%s", batch->options->out,
                         batch->list.submissions[i].id))
            return false;
        if (!lstat(path, &status) && S_ISDIR(status.st_mode))
            remove_temporaries(path, &unused);
    }
    return true;
}

static bool same_text(const json_t *object, const char *field, const char *text)
{
    const char *value = json_string_value(json_object_get(object, field));
    return text ? value && !strcmp(value, text) : !value;
}

static bool is_good(const struct batch *batch, size_t index, const char *path,
                    struct failure *failure)
{
    const struct submission *submission = &batch->list.submissions[index];
    struct failure bad = {0};
    struct intake intake;
    char digest[DIGEST_TEXT_SIZE], uploads[DIGEST_TEXT_SIZE];
    json_t *grade = grade_load(path, &bad);
    if (!grade || !same_text(json_object_get(grade, "record"), "key", batch->key) ||
        !same_text(grade, "id", submission->id) || !same_text(grade, "name", submission->name) ||
        !same_text(grade, "email", submission->email) ||
        json_is_true(json_object_get(grade, "submitted")) != (submission->path != NULL)) {
        json_decref(grade);
        return false;
    }
    bool good = intake_read(submission, &intake, failure);
    if (good) {
        digest_text(intake.digest, sizeof intake.digest, digest);
        digest_text(intake.uploads_digest, sizeof intake.uploads_digest, uploads);
        good = same_text(grade, "digest", digest) &&
               same_text(json_object_get(grade, "record"), "uploads", uploads);
        intake_free(&intake);
    }
    json_decref(grade);
    return good;
}

static bool sweep_one(void *context, size_t index, struct failure *failure)
{
    struct batch *batch = context;
    char path[PATH_SIZE];
    if (!batch_path(batch, index, ".json", path, failure))
        return false;
    if (access(path, F_OK) || is_good(batch, index, path, failure))
        return true;
    return failure->kind != FAILURE_HARNESS && remove_file(path, failure);
}

static bool swept(void *context, size_t index, const struct failure *why, struct failure *failure)
{
    char path[PATH_SIZE];
    return why->kind == FAILURE_NONE ||
           (batch_path(context, index, ".json", path, failure) && remove_file(path, failure));
}

bool batch_sweep(struct batch *batch, struct failure *failure)
{
    char directory[PATH_SIZE];
    snprintf(directory, sizeof directory, "%s/work", batch->options->out);
    if (!remove_temporaries(directory, failure) ||
        !remove_temporaries(batch->options->out, failure) ||
        !remove_report_temporaries(batch, failure))
        return false;
    struct pool pool = {.count = batch->list.count,
                        .jobs = batch->options->jobs,
                        .seconds = SWEEP_SECONDS_MAX,
                        .context = batch,
                        .work = sweep_one,
                        .finished = swept};
    return pool_run(&pool, failure);
}

struct grading {
    struct batch *batch;
    const size_t *indices;
    size_t total, done, graded;
    time_t started, shown, signed_at;
    bool terminal;
};

static bool save_grade(const struct batch *batch, const char *path, json_t *grade,
                       struct failure *failure)
{
    struct failure wrong = {0};
    json_t *record = json_object_get(grade, "record");
    if (!record || json_object_set_new(record, "key", json_string(batch->key)))
        return failure_harness(failure, "the grade has no record");
    if (!grade_check(grade, &wrong))
        return failure_harness(failure, "the grade is malformed: %s", wrong.text);
    return grade_save(path, grade, failure);
}

static bool grade_one(void *context, size_t task, struct failure *failure)
{
    const struct grading *grading = context;
    struct batch *batch = grading->batch;
    size_t index = grading->indices[task];
    char path[PATH_SIZE], problem[PATH_SIZE];
    if (batch->lock >= 0)
        close(batch->lock); /* only the parent process may hold the lock */
    if (!batch_path(batch, index, ".json", path, failure) ||
        !batch_path(batch, index, ".problem", problem, failure))
        return false;
    if (access(path, F_OK) == 0)
        return true;
    json_t *grade = batch->options->steps->grade(&batch->list.submissions[index],
                                                 &batch->options->grade, failure);
    bool good = grade && save_grade(batch, path, grade, failure) && remove_file(problem, failure);
    json_decref(grade);
    return good ||
           (failure->kind == FAILURE_HARNESS ? false : failure_harness(failure, "no grade"));
}

static bool graded(void *context, size_t task, const struct failure *why, struct failure *failure)
{
    struct grading *grading = context;
    struct failure unwritten = {0};
    char path[PATH_SIZE];
    grading->done++;
    if (why->kind == FAILURE_NONE) {
        grading->graded++;
        return true;
    }
    if (batch_path(grading->batch, grading->indices[task], ".problem", path, &unwritten))
        whole_file_write(path, why->text, strlen(why->text), false, &unwritten);
    if (!grading->graded && grading->done >= HOPELESS)
        return failure_harness(failure, "none of the first %d submissions could be graded: %s",
                               HOPELESS, why->text);
    return true;
}

static void show_progress(struct grading *grading)
{
    FILE *file = grading->batch->options->progress;
    time_t now = clock_seconds(), elapsed = now - grading->started;
    if (!file || now - grading->shown < (grading->terminal ? 1 : 60))
        return;
    grading->shown = now;
    char left[64] = "";
    if (grading->done && elapsed >= 2) {
        double seconds =
            (double)elapsed * (double)(grading->total - grading->done) / (double)grading->done;
        if (seconds < 90)
            snprintf(left, sizeof left, ", about %.0f s left", seconds);
        else
            snprintf(left, sizeof left, ", about %.0f min left", seconds / 60);
    }
    fprintf(file, "%sgrading: %zu of %zu%s%s", grading->terminal ? "\r" : "", grading->done,
            grading->total, left, grading->terminal ? "   " : "\n");
    fflush(file);
}

/* Opening the file updates its state on network file systems. A removed file ends this process. */
static void show_sign(const char *path, int flags)
{
    int file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | flags, 0666);
    if (file < 0 && errno == ENOENT)
        kill(getpid(), SIGKILL);
    if (file < 0)
        return;
    ssize_t written = write(file, ".", 1);
    (void)written;
    close(file);
}

static void tick(void *context)
{
    struct grading *grading = context;
    time_t now = clock_seconds();
    if (grading->batch->sign && now - grading->signed_at >= SIGN_SECONDS) {
        show_sign(grading->batch->sign, 0);
        grading->signed_at = now;
    }
    show_progress(grading);
}

bool batch_grade(struct batch *batch, const size_t *indices, size_t count, unsigned jobs,
                 size_t *graded_count, struct failure *failure)
{
    FILE *progress = batch->options->progress;
    struct grading grading = {.batch = batch,
                              .indices = indices,
                              .total = count,
                              .started = clock_seconds(),
                              .terminal = progress && isatty(fileno(progress))};
    grading.shown = grading.started;
    struct pool pool = {.count = count,
                        .jobs = jobs,
                        .seconds = GRADE_SECONDS_MAX,
                        .context = &grading,
                        .work = grade_one,
                        .finished = graded,
                        .tick = tick};
    if (count)
        attempt_prepare(rubric_huge_seed(batch->options->grade.secret),
                        RUBRIC_HUGE_SIDE * RUBRIC_HUGE_SIDE);
    if (batch->sign)
        show_sign(batch->sign, O_CREAT);
    bool good = pool_run(&pool, failure);
    if (batch->sign)
        unlink(batch->sign);
    if (grading.terminal)
        fprintf(progress, "\r%60s\r", "");
    *graded_count = grading.graded;
    return good;
}

static char *read_problem(const struct batch *batch, size_t index)
{
    struct failure unread = {0};
    char path[PATH_SIZE];
    size_t length;
    char *text = batch_path(batch, index, ".problem", path, &unread)
                     ? whole_file_read(path, FAILURE_TEXT_SIZE, &length, &unread)
                     : NULL;
    const char *why = text && *text ? text : "not graded, for an unknown reason";
    char *clean = text_clean(why, strlen(why));
    free(text);
    return clean;
}

static json_t *labs_without_grade(const json_t *pattern)
{
    json_t *labs = json_array();
    size_t index;
    const json_t *lab;
    json_array_foreach (json_object_get(pattern, "labs"), index, lab) {
        json_t *empty = json_pack(
            "{s:O, s:O, s:O, s:n, s:s, s:s, s:i, s:O, s:[], s:[], s:[], s:n, s:[], s:s, s:s, s:s}",
            "lab", json_object_get(lab, "lab"), "exercise", json_object_get(lab, "exercise"),
            "title", json_object_get(lab, "title"), "file", "status", "missing", "reason",
            "not graded", "score", 0, "points", json_object_get(lab, "points"), "checks", "sizes",
            "runs", "source", "lines", "advice", "", "compiler", "", "rubric", "");
        json_array_append_new(labs, empty);
    }
    return labs;
}

static json_t *not_graded(const struct batch *batch, size_t index, const json_t *pattern)
{
    static const char note[] = "NOT GRADED: the grader failed, so this score is not valid";
    const struct submission *submission = &batch->list.submissions[index];
    char *why = read_problem(batch, index);
    json_t *grade = json_pack(
        "{s:s, s:s, s:s, s:s?, s:b, s:s, s:i, s:f, s:[s], s:[{s:s, s:s}], s:o, s:{s:s, s:s, s:i}}",
        "format", GRADE_FORMAT, "id", submission->id, "name", submission->name, "email",
        submission->email, "submitted", submission->path != NULL, "digest", "", "score", 0,
        "points", json_number_value(json_object_get(pattern, "points")), "notes", note, "flags",
        "kind", grade_flag_name(GRADE_FLAG_NOT_GRADED), "evidence", why, "labs",
        labs_without_grade(pattern), "record", "tlab", "", "seed", "", "seconds", 0);
    free(why);
    return grade;
}

json_t *batch_load(const struct batch *batch, size_t index, const json_t *pattern,
                   struct failure *failure)
{
    char path[PATH_SIZE];
    if (!batch_path(batch, index, ".json", path, failure))
        return NULL;
    return access(path, F_OK) ? not_graded(batch, index, pattern) : grade_load(path, failure);
}
