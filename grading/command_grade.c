/* command_grade.c: tlab grade SUBMISSIONS --out DIR */
#include "base/parallel.h"
#include "base/paths.h"
#include "class/class.h"
#include "commands/command.h"
#include "judge/hardware.h"
#include "judge/seed.h"
#include "run/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: tlab grade SUBMISSIONS --out DIR [OPTION...]\n"
    "\n"
    "SUBMISSIONS is a class: a folder, or an archive of one, in which each folder, .zip, .tar,\n"
    ".tar.gz or .cu file is one submission; or what Canvas or Moodle give as a bulk download. "
    "Grades\n"
    "and reports go into DIR; start with DIR/index.html. Run again after an interruption or for "
    "late\n"
    "submissions: what is graded already, and would be graded the same, is not graded again.\n"
    "\n"
    "  --roster FILE       CSV of the class (id, name, email; a gradebook's export will do): "
    "gives\n"
    "                      names to submissions and shows who handed in nothing\n"
    "  --one ID            all of SUBMISSIONS is one submission\n"
    "  --labs A,B          only these exercises (default: all that have a rubric)\n"
    "  --rubrics DIR       default: grading/rubrics\n"
    "  --seed FILE         the secret that hidden sizes are drawn from. Default: DIR/secret.seed,\n"
    "                      made when it is not there; keep it to grade the same way again\n"
    "  --jobs N            submissions at a time (default: the processors; no effect on grades)\n"
    "  --engine ENGINE     local (default), or slurm: a job array of N tasks at a time; "
    "SBATCH_...\n"
    "                      variables choose partition and account; DIR must be on a shared disk\n"
    "  --device gpu        also run each kernel on this machine's GPU, and show its verdict for "
    "each\n"
    "                      size and its time. Points come from the emulator all the same; where "
    "both\n"
    "                      disagree is flagged. `gpu` is the only device: emulated ones are the\n"
    "                      rubrics'. With --engine local only\n"
    "  --sandbox CAGE      for compilers: bubblewrap (default), or seccomp, which is weaker, "
    "where\n"
    "                      bubblewrap cannot work (in some containers)\n"
    "\n"
    "Exit status: 0 all are judged, whatever the marks; 2 some could not be, or bad usage.\n";

enum { JOBS_MAX = 256 };

struct grade_request {
    struct class_options options;
    struct hardware_device gpu;
    bool on_gpu;
    const char *task_of; /* hidden: this process is a task of a job array; its DIR */
    uint64_t task;
    char **labs; /* of --labs, borrowed from lab_text */
    char *lab_text;
    char rubrics[PATH_SIZE], seed[PATH_SIZE];
};

/* --labs A,B */
static bool parse_labs(struct grade_request *request, const char *value, struct failure *failure)
{
    size_t count = 0;
    free(request->lab_text);
    free(request->labs);
    request->lab_text = strdup(value);
    request->labs = calloc(strlen(value) + 1, sizeof *request->labs);
    if (!request->lab_text || !request->labs)
        return failure_harness(failure, "not enough memory");
    char *next = NULL;
    for (char *lab = strtok_r(request->lab_text, ",", &next); lab; lab = strtok_r(NULL, ",", &next))
        request->labs[count++] = lab;
    request->options.grade.exercises = (const char *const *)request->labs;
    request->options.grade.exercise_count = count;
    return count || failure_harness(failure, "--labs needs names, such as --labs naive,padded");
}

static bool parse_engine(struct grade_request *request, const char *value, struct failure *failure)
{
    request->options.engine = strcmp(value, "slurm") ? CLASS_LOCAL : CLASS_SLURM;
    return !strcmp(value, "slurm") || !strcmp(value, "local") ||
           failure_harness(failure, "--engine must be `local` or `slurm`, not `%s`", value);
}

static bool parse_cage(struct grade_request *request, const char *value, struct failure *failure)
{
    request->options.grade.cage = strcmp(value, "seccomp") ? CAGE_BUBBLEWRAP : CAGE_WEAK;
    return !strcmp(value, "seccomp") || !strcmp(value, "bubblewrap") ||
           failure_harness(failure, "--sandbox must be `bubblewrap` or `seccomp`, not `%s`", value);
}

static bool parse_device(struct grade_request *request, const char *value, struct failure *failure)
{
    request->on_gpu = true;
    return !strcmp(value, "gpu") ||
           failure_harness(failure,
                           "--device must be `gpu`, not `%s`: emulated devices are named by the "
                           "rubrics",
                           value);
}

/* One option and its value. */
static bool take_option(struct grade_request *request, const char *name, const char *value,
                        struct failure *failure)
{
    struct class_options *options = &request->options;
    uint64_t number;
    if (!*value)
        return failure_harness(failure, "%s needs a value", name);
    if (!strcmp(name, "--labs"))
        return parse_labs(request, value, failure);
    if (!strcmp(name, "--engine"))
        return parse_engine(request, value, failure);
    if (!strcmp(name, "--sandbox"))
        return parse_cage(request, value, failure);
    if (!strcmp(name, "--device"))
        return parse_device(request, value, failure);
    if (!strcmp(name, "--task"))
        return options_number("--task", value, 0, 1000000, &request->task, failure);
    if (!strcmp(name, "--jobs")) {
        if (!options_number("--jobs", value, 1, JOBS_MAX, &number, failure))
            return false;
        options->jobs = (unsigned)number;
        return true;
    }
    const char **text = !strcmp(name, "--out")       ? &options->out
                        : !strcmp(name, "--roster")  ? &options->roster
                        : !strcmp(name, "--one")     ? &options->one
                        : !strcmp(name, "--rubrics") ? &options->grade.rubrics
                        : !strcmp(name, "--seed")    ? &options->seed
                                                     : &request->task_of;
    *text = value;
    return true;
}

static bool parse_argument(struct grade_request *request, struct arguments *arguments,
                           struct failure *failure)
{
    static const char *const names[] = {"--out",     "--roster",  "--one",     "--labs",
                                        "--rubrics", "--seed",    "--jobs",    "--engine",
                                        "--device",  "--sandbox", "--task-of", "--task"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value;
        int found = arguments_option(arguments, names[i], 0, &value, failure);
        if (found)
            return found > 0 && take_option(request, names[i], value, failure);
    }
    const char *argument = arguments->values[arguments->at++];
    if (argument[0] == '-' && argument[1])
        return failure_harness(failure, "tlab grade has no option `%s`; see `tlab grade --help`",
                               argument);
    if (request->options.submissions)
        return failure_harness(failure,
                               "tlab grade takes one class, not `%s` and `%s`; see `tlab grade "
                               "--help`",
                               request->options.submissions, argument);
    request->options.submissions = argument;
    return true;
}

/* What was not said. */
static bool complete(struct grade_request *request, struct failure *failure)
{
    struct class_options *options = &request->options;
    if (!options->submissions)
        return failure_harness(failure, "tlab grade needs a folder or an archive of submissions; "
                                        "see `tlab grade --help`");
    if (!options->out)
        return failure_harness(failure, "tlab grade needs --out DIR, where the grades go");
    if (options->one && options->roster)
        return failure_harness(failure, "--one and --roster exclude each other");
    if (request->on_gpu && options->engine == CLASS_SLURM)
        return failure_harness(failure, "--device gpu works with --engine local only");
    if (!options->grade.rubrics) {
        if (!paths_in_root("grading/rubrics", request->rubrics, failure))
            return false;
        options->grade.rubrics = request->rubrics;
    }
    return true;
}

/* The seed is made only when all else is right: after the lock, a grader at a time. */
static bool prepare_seed(struct grade_request *request, struct failure *failure)
{
    struct class_options *options = &request->options;
    bool created = false;
    if (!options->seed) {
        if (snprintf(request->seed, sizeof request->seed, "%s/secret.seed", options->out) >=
            PATH_SIZE)
            return failure_harness(failure, "path too long: %s", options->out);
        options->seed = request->seed;
        if (!class_make_directories(options->out, failure) ||
            !seed_create(request->seed, &created, failure))
            return false;
    }
    if (created)
        fprintf(stderr,
                "A secret seed was made: %s. Keep it: with the same seed the hidden sizes are the "
                "same.\n",
                options->seed);
    return seed_read(options->seed, options->grade.secret, failure);
}

/* The GPU, and a compiler for it. */
static bool prepare_gpu(struct grade_request *request, struct failure *failure)
{
    struct grade_options *grade = &request->options.grade;
    grade->gpu = &request->gpu;
    return hardware_find(grade->gpu, failure) &&
           cage_probe_machine(grade->cage, grade->gpu->facts.compute_capability, failure);
}

static void print_summary(const struct class_options *options, const struct class_summary *summary)
{
    printf("%zu %s, %zu with something handed in, %zu graded now\n", summary->count,
           summary->count == 1 ? "person" : "people", summary->handed_in, summary->graded_now);
    if (summary->not_graded)
        printf("NOT GRADED: %zu, through no fault of theirs\n", summary->not_graded);
    if (summary->lab_count)
        printf("\n%-20s %9s %14s\n", "exercise", "handed in", "mean");
    for (size_t i = 0; i < summary->lab_count; i++) {
        double count = (double)summary->labs[i].handed_in;
        char mean[64] = "-";
        if (count > 0)
            snprintf(mean, sizeof mean, "%.1f of %g", summary->labs[i].score / count,
                     summary->labs[i].points / count);
        printf("%-20s %9zu %14s\n", summary->labs[i].exercise, summary->labs[i].handed_in, mean);
    }
    printf("%sThe class: %s/index.html, gradebook.csv, grade.json; each student's feedback: "
           "%s/students/ID/\n",
           summary->lab_count ? "\n" : "", options->out, options->out);
}

static bool grade(struct grade_request *request, int count, char **values, struct failure *failure)
{
    struct arguments arguments = {.count = count, .values = values};
    struct class_options *options = &request->options;
    struct class_summary summary = {0};
    *options = (struct class_options){
        .jobs = parallel_processors(), .progress = stderr, .steps = &class_real_steps};
    while (arguments.at < count)
        if (!parse_argument(request, &arguments, failure))
            return false;
    if (request->task_of)
        return class_grade_task(request->task_of, (unsigned)request->task, options->steps, failure);
    if (!complete(request, failure) ||
        (options->engine == CLASS_LOCAL && !cage_probe(options->grade.cage, failure)) ||
        (request->on_gpu && !prepare_gpu(request, failure)) || !prepare_seed(request, failure))
        return false;
    bool good = class_grade(options, &summary, failure);
    if (summary.count)
        print_summary(options, &summary);
    return good;
}

int command_grade(int count, char **values, struct failure *failure)
{
    if (count == 1 && (!strcmp(values[0], "--help") || !strcmp(values[0], "-h"))) {
        fputs(usage, stdout);
        return 0;
    }
    struct grade_request request = {0};
    bool good = grade(&request, count, values, failure);
    free(request.labs);
    free(request.lab_text);
    return good ? 0 : 2;
}

bool grading_probe(struct failure *failure)
{
    return cage_probe(CAGE_BUBBLEWRAP, failure);
}
