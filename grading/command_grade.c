/* command_grade.c: the command `tlab grade SUBMISSIONS --out DIR`. */
#define _GNU_SOURCE
#include "base/paths.h"
#include "base/scratch.h"
#include "class/class.h"
#include "class/slurm.h"
#include "commands/command.h"
#include "goals/rubric.h"
#include "goals/seed.h"
#include "judge/hardware.h"
#include "process/allocate.h"
#include "process/parallel.h"
#include "report/report.h"
#include "run/options.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char about[] =
    "SUBMISSIONS is a class: a bulk download from Canvas or Moodle, or another folder or\n"
    "archive. In a folder or an archive, each folder, .zip, .tar, .tar.gz or .cu file is one\n"
    "submission. Grades and reports are written to DIR; start with DIR/index.html. Run the\n"
    "same command again after an interruption or for late submissions: only new or changed\n"
    "submissions are graded.\n";
static const char ending[] = "Exit status: 0 if all submissions are graded, even with 0 points; 2 "
                             "if a submission could not be graded, or the usage is incorrect.\n";

enum { JOBS_MAX = 256 };

struct grade_request {
    struct class_options options;
    struct hardware_device gpu;
    bool on_gpu, on_slurm, in_weak_sandbox;
    struct slurm_task task;
    char **labs;
    char *lab_text;
    struct word_list operands;
    char rubrics[PATH_SIZE], seed[PATH_SIZE], policy[PATH_SIZE];
};

static bool take_labs(void *context, const char *value, struct failure *failure)
{
    struct grade_request *request = context;
    size_t count = 0;
    free(request->lab_text);
    free(request->labs);
    request->lab_text = allocate_checked(strdup(value));
    request->labs = allocate_checked(calloc(strlen(value) + 1, sizeof *request->labs));
    char *next = NULL;
    for (char *lab = strtok_r(request->lab_text, ",", &next); lab; lab = strtok_r(NULL, ",", &next))
        request->labs[count++] = lab;
    request->options.grade.exercises = (const char *const *)request->labs;
    request->options.grade.exercise_count = count;
    return count || failure_harness(failure, "--labs needs exercises, such as --labs naive,padded");
}

static bool take_device(void *context, const char *value, struct failure *failure)
{
    *(bool *)context = true;
    return !strcmp(value, "gpu") ||
           failure_harness(failure,
                           "--device must be `gpu`, not `%s`: the rubrics select emulated devices",
                           value);
}

static bool parse_arguments(struct grade_request *request, int count, char **values,
                            struct failure *failure)
{
    struct class_options *options = &request->options;
    struct word_list *operands = &request->operands;
    uint64_t jobs = parallel_processors();
    const struct option_row rows[] = {
        TEXT_ROW("out", "DIR", &options->out, "the directory for grades and reports"),
        TEXT_ROW("roster", "FILE", &options->roster,
                 "CSV of the class (id, name, email), for example a gradebook's export.\n"
                 "Reports then contain names, and list students without a submission"),
        TEXT_ROW("one", "ID", &options->one, "SUBMISSIONS is a single submission, with this ID"),
        CALL_ROW("labs", "A,B", take_labs, request,
                 "grade only these exercises (default: all exercises with a rubric)"),
        TEXT_ROW("rubrics", "DIR", &options->grade.rubrics, "rubrics (default: grading/rubrics)"),
        TEXT_ROW("seed", "FILE", &options->seed,
                 "the secret from which hidden sizes are drawn. Default:\n"
                 "DIR/secret.seed, created if missing. Keep this file: the same seed\n"
                 "gives the same hidden sizes"),
        TEXT_ROW("adjust", "FILE", &options->marks.adjust,
                 "CSV of manual marks: id, exercise, points, reason.\n"
                 "A number such as 14 replaces the points. A number with a sign, such as +2\n"
                 "or -1, is added to the points. To change one check, write padded/ID in the\n"
                 "column `exercise`"),
        TEXT_ROW("pairs", "FILE", &options->marks.pairs,
                 "CSV of students that work together: one row of IDs per pair or group"),
        TEXT_ROW("policy", "FILE", &options->marks.policy,
                 "deadlines and deductions; default: policy.json beside the rubrics"),
        TEXT_ROW("gradebook", "EXPORT", &options->marks.gradebook,
                 "a gradebook's export (Canvas, Moodle): DIR/upload.csv is a copy\n"
                 "of this file with the marks filled in"),
        FLAG_ROW("zeros", &options->marks.zeros,
                 "write 0 to upload.csv for people without a submission (default: their\n"
                 "cells do not change)"),
        NUMBER_ROW("jobs", "N", &jobs, 1, JOBS_MAX,
                   "submissions graded in parallel (default: number of processors)"),
        CHOICE_ROW("engine", "local|slurm", &request->on_slurm,
                   "local (default), or slurm: a job array of N parallel tasks;\n"
                   "SBATCH_... variables choose the partition and the account; DIR must be on a\n"
                   "shared disk"),
        CALL_ROW("device", "gpu", take_device, &request->on_gpu,
                 "also run each kernel on this machine's GPU, and report the time and, for each\n"
                 "size, the GPU's verdict. Points come from the emulator, except the points\n"
                 "that a rubric gives for the run `gpu`. Disagreements are flagged. Only `gpu` is\n"
                 "accepted: rubrics name the emulated devices. Requires --engine local"),
        CHOICE_ROW("sandbox", "bubblewrap|seccomp", &request->in_weak_sandbox,
                   "the sandbox for compilers: bubblewrap (default), or seccomp, which is\n"
                   "weaker, but also works in containers in which bubblewrap does not work"),
        TEXT_ROW("task-of", "KEY", &request->task.key, NULL),
        NUMBER_ROW("task", "N", &request->task.number, 0, 1000000, NULL),
        NUMBER_ROW("tasks", "N", &request->task.count, 1, 1000000, NULL),
        TEXT_ROW("job", "ID", &request->task.job, NULL),
    };
    const struct command_line line = {"grade",
                                      "SUBMISSIONS --out DIR [OPTION...]",
                                      about,
                                      ROWS(rows),
                                      .ending = ending,
                                      .operands = operands};
    if (!command_line_parse(&line, count, values, failure))
        return false;
    options->jobs = (unsigned)jobs;
    options->engine = request->on_slurm ? CLASS_SLURM : CLASS_LOCAL;
    options->grade.sandbox = request->in_weak_sandbox ? SANDBOX_WEAK : SANDBOX_BUBBLEWRAP;
    if (operands->count > 1)
        return failure_harness(
            failure, "tlab grade accepts one class, not `%s` and `%s`; see `tlab grade --help`",
            operands->words[0], operands->words[1]);
    options->submissions = operands->count ? operands->words[0] : NULL;
    return true;
}

/* Compares inodes, because a path may contain symbolic links. */
static bool lies_within(const struct stat *outer, const char *inner)
{
    struct stat here, before = {0};
    int directory = open(inner, O_PATH | O_DIRECTORY | O_CLOEXEC);
    bool within = false;
    while (directory >= 0 && !fstat(directory, &here)) {
        within = here.st_dev == outer->st_dev && here.st_ino == outer->st_ino;
        if (within || (here.st_dev == before.st_dev && here.st_ino == before.st_ino))
            break; /* the root is its own parent */
        before = here;
        int parent = openat(directory, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
        close(directory);
        directory = parent;
    }
    if (directory >= 0)
        close(directory);
    return within;
}

static bool check_places(const struct class_options *options, struct failure *failure)
{
    struct stat class, out;
    char there[PATH_SIZE]; /* the part of the path --out that exists */
    if (stat(options->submissions, &class) || !S_ISDIR(class.st_mode))
        return true; /* an archive, or an invalid path, which class_grade reports */
    if (!path_format(there, failure, "%s", options->out))
        return false;
    while (stat(there, &out)) {
        char *slash = strrchr(there, '/');
        if (!strcmp(slash ? slash + 1 : there, ".."))
            return failure_harness(failure, "--out %s: the directory before .. does not exist",
                                   options->out);
        if (slash)
            slash[slash == there] = 0;
        else
            strcpy(there, ".");
    }
    if (lies_within(&class, there))
        return failure_harness(
            failure, "--out %s is inside the folder of submissions, %s: choose another folder",
            options->out, options->submissions);
    if (!stat(options->out, &out) && lies_within(&out, options->submissions))
        return failure_harness(
            failure, "the submissions, %s, are inside --out %s: choose another folder for --out",
            options->submissions, options->out);
    return true;
}

static bool complete(struct grade_request *request, struct failure *failure)
{
    struct class_options *options = &request->options;
    if (!options->submissions)
        return failure_harness(failure, "tlab grade needs a folder or an archive of submissions; "
                                        "see `tlab grade --help`");
    if (!options->out)
        return failure_harness(failure,
                               "tlab grade needs --out DIR, the directory for grades and reports");
    if (options->one && options->roster)
        return failure_harness(failure, "--one and --roster cannot be used together");
    if (request->on_gpu && options->engine == CLASS_SLURM)
        return failure_harness(failure, "--device gpu works with --engine local only");
    if (!check_places(options, failure))
        return false;
    if (!options->grade.rubrics) {
        if (!paths_in_root("grading/rubrics", request->rubrics, failure))
            return false;
        options->grade.rubrics = request->rubrics;
    }
    if (!path_format(request->policy, failure, "%s/" RUBRIC_POLICY, options->grade.rubrics))
        return false;
    if (!options->marks.policy && !access(request->policy, F_OK))
        options->marks.policy = request->policy;
    return true;
}

/* If a rubric is invalid, `broken` receives a message, and the other exercises are graded. */
static bool check_rubrics(const struct grade_options *grade, struct failure *broken,
                          struct failure *failure)
{
    static const unsigned char any_secret[32];
    size_t count;
    struct rubric *rubrics = rubric_read_all(grade->rubrics, grade->exercises,
                                             grade->exercise_count, any_secret, &count, failure);
    free(rubrics);
    if (rubrics && *failure->text) {
        failure_harness(broken, "%s: this exercise is not graded; all other exercises are graded",
                        failure->text);
        fprintf(stderr, "%s\n", broken->text);
    }
    return rubrics != NULL;
}

/* Call this after all checks, so that an invalid command creates no seed. */
static bool prepare_seed(struct grade_request *request, struct failure *failure)
{
    struct class_options *options = &request->options;
    bool created = false;
    if (!options->seed) {
        options->seed = request->seed;
        if (!path_format(request->seed, failure, "%s/secret.seed", options->out) ||
            !batch_make_directories(options->out, failure) ||
            !seed_create(request->seed, &created, failure))
            return false;
    }
    if (created)
        fprintf(stderr,
                "Created a secret seed: %s. Keep it: the same seed gives the same hidden sizes.\n",
                options->seed);
    return seed_read(options->seed, options->grade.secret, failure);
}

static bool prepare_gpu(struct grade_request *request, struct failure *failure)
{
    struct grade_options *grade = &request->options.grade;
    grade->gpu = &request->gpu;
    return hardware_find(grade->gpu, failure) &&
           sandbox_probe_machine(grade->sandbox, grade->gpu->facts.compute_capability, failure);
}

static void print_summary(const struct class_options *options, const struct class_summary *summary)
{
    printf("%zu %s, %zu with a submission, %zu graded now\n", summary->count,
           summary->count == 1 ? "person" : "people", summary->handed_in, summary->graded_now);
    if (summary->not_graded)
        printf("NOT GRADED: %zu, because the grader failed\n", summary->not_graded);
    if (summary->lab_count)
        printf("\n%-20s %9s %14s\n", "exercise", "submitted", "mean");
    for (size_t i = 0; i < summary->lab_count; i++) {
        double count = (double)summary->labs[i].handed_in;
        char mean[64] = "-";
        if (count > 0)
            snprintf(mean, sizeof mean, "%.1f of %g", summary->labs[i].score / count,
                     summary->labs[i].points / count);
        printf("%-20s %9zu %14s\n", summary->labs[i].exercise, summary->labs[i].handed_in, mean);
    }
    if (*summary->left_out)
        printf("\nThese exercises are not counted, because the class has no submission for them: "
               "%s. To count these exercises as 0,\nname all exercises with --labs.\n",
               summary->left_out);
    printf("%sThe class: %s/index.html, gradebook.csv, grade.json; each student's feedback: "
           "%s/students/ID/\n",
           summary->lab_count ? "\n" : "", options->out, options->out);
}

static bool grade(struct grade_request *request, int count, char **values, struct failure *failure)
{
    struct class_options *options = &request->options;
    struct class_summary summary = {0};
    struct failure broken = {0};
    *options = (struct class_options){.progress = stderr, .steps = &class_real_steps};
    if (!parse_arguments(request, count, values, failure))
        return false;
    static const char *const purposes[] = {"grade", "sandbox", "report", "nvcc"};
    for (size_t i = 0; i < sizeof purposes / sizeof *purposes; i++)
        scratch_sweep(purposes[i]);
    if (!complete(request, failure))
        return false;
    if (request->task.key)
        return (options->seed || failure_harness(failure, "a task needs --seed")) &&
               seed_read(options->seed, options->grade.secret, failure) &&
               slurm_grade_task(options, &request->task, failure);
    if (!check_rubrics(&options->grade, &broken, failure) || !report_probe(failure) ||
        (options->engine == CLASS_LOCAL && !sandbox_probe(options->grade.sandbox, failure)) ||
        (request->on_gpu && !prepare_gpu(request, failure)) || !prepare_seed(request, failure))
        return false;
    bool good = class_grade(options, &summary, failure);
    if (summary.count)
        print_summary(options, &summary);
    return good && failure_pass(failure, &broken);
}

int command_grade(int count, char **values, struct failure *failure)
{
    struct grade_request request = {.task.count = 1};
    bool good = grade(&request, count, values, failure);
    free(request.labs);
    free(request.lab_text);
    free(request.operands.words);
    return good ? 0 : 2;
}

bool grading_probe(struct failure *failure)
{
    return report_probe(failure) && sandbox_probe(SANDBOX_BUBBLEWRAP, failure);
}
