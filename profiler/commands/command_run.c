/* command_run.c: tlab run TARGET...: run and verify labs, and collect their counters. */
#include "commands/command.h"
#include "course/exercise.h"
#include "hardware/gpu/gpu_runner.h"
#include "process/allocate.h"
#include "record/record.h"
#include "run/target_options.h"
#include "view/hint.h"
#include "view/lab_run.h"
#include "view/prediction_table.h"
#include "view/run_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char about[] =
    "TARGET is a lab directory (labs/03_padded) or a .cu file. Each lab is compiled and verified\n"
    "on small sizes and on sizes that are not multiples of the tile. Then it is run, verified\n"
    "and profiled at the requested size. Below the table, each correct kernel is listed with\n"
    "the goals of its rubric that it misses. The goal that loses the most points is first.\n";

struct source_run {
    char *path;
    struct prediction_sheet sheet;
    struct line_watch watch;
    struct record record; /* from the last run of the source, with counters */
};

struct run_command {
    struct target_options target;
    struct gpu_options gpu;
    uint64_t repeats, passes, ordinal;
    const char *csv;
    bool json;
    bool is_quiet;
    struct goal_watch *goals;
    bool points, counters, explain_time, unchecked;
    FILE *deferred; /* text below the table: the goals, or with --json the whole document */
    struct json_out document;
    struct run_result *result;
    struct record *records;
    size_t count;
    struct source_run *sources;
    size_t source_count;
    int status;
    bool noted;
};

/* Choose --device, the lab's device, a GPU or the default device, in this order. */
static bool choose_device(struct run_command *run, struct failure *failure)
{
    struct run_options *options = &run->target.run;
    struct failure no_gpu = {0};
    struct usual_run usual;
    if (!target_options_find_usual(&run->target, &usual, failure))
        return false;
    const char *name = run->target.device_name;
    run->gpu.output = options->report.output;
    if ((name ? !strcmp(name, "gpu") : !*usual.device) &&
        gpu_open(&run->gpu, &options->gpu, &no_gpu))
        return true;
    if (name && !strcmp(name, "gpu"))
        return failure_harness(
            failure, "--device gpu: %s; without --device gpu, tlab emulates labs", no_gpu.text);
    if (options->timing.warm)
        return failure_harness(failure, "--warm requires a GPU: emulated caches start empty%s%s",
                               name ? "" : ", and this machine emulates labs: ", no_gpu.text);
    return target_options_take_usual(&run->target, &usual, failure);
}

static bool parse_arguments(struct run_command *run, int count, char **values,
                            struct failure *failure)
{
    struct run_options *options = &run->target.run;
    const struct option_row rows[] = {
        TEXT_ROW("device", "NAME", &run->target.device_name,
                 "gpu: run on this machine's GPU. A name from `tlab devices`, or the path\n"
                 "of a device file (the path must contain a /): emulate this device. Default:\n"
                 "for a single lab, the device in its lab.conf, if there is one. Otherwise,\n"
                 "tlab uses the GPU, or emulates " OPTIONS_DEFAULT_DEVICE " without a GPU"),
        TARGET_SIZE_ROWS(&run->target, "the lab's size, or 2048 emulated, 8192 on a GPU"),
        NUMBER_ROW("seed", "S", &options->size.seed, 0, UINT64_MAX,
                   "seed of the input (default 1)"),
        TEXT_ROW("csv", "FILE", &run->csv,
                 "write the records as CSV; `-` prints only CSV, to standard output"),
        FLAG_ROW("json", &run->json,
                 "print only JSON, to standard output: one object per run, in a list if\n"
                 "there are several runs (docs/json.md)"),
        CHOICE_ROW("loop", "launch|kernel", &options->build.loop_in_kernel,
                   "repeat the launch (default) or repeat the work inside the kernel"),
        NUMBER_ROW("repeats", "N", &run->repeats, 1, 10000,
                   "number of repetitions with --loop kernel (default 10), or of timed "
                   "launches\non a GPU (default 20)"),
        FLAG_ROW("repair", &options->report.repairs,
                 "also print the change that makes an incorrect kernel correct, if tlab has\n"
                 "found one; `tlab hint` leads to this change step by step"),
        FLAG_ROW("points", &run->points, "also print the points for the published checks"),
        FLAG_ROW("counters", &run->counters,
                 "also print the grid, the block and the total of every counter"),
        FLAG_ROW("explain-time", &run->explain_time,
                 "also print the time that each limit of the time model alone would cause"),
        FLAG_ROW("no-checks", &run->unchecked,
                 "do not check for races and uninitialized reads (to measure the cost of\n"
                 "the checks)"),
        NUMBER_ROW("threads", "N", &options->workers, 1, 64,
                   "number of worker threads (default: number of processors); the number has\n"
                   "no effect on results"),
        HEADING_ROW("On a GPU"),
        NUMBER_ROW("gpu-index", "N", &run->ordinal, 0, 255,
                   "index of the GPU in the driver's order (default 0)"),
        FLAG_ROW("warm", &options->timing.warm, "do not flush the caches before each launch"),
        NUMBER_ROW("passes", "1", &run->passes, 1, 1,
                   "collect only the counters of a single pass; all other counters are NA"),
    };
    const struct command_line line = {"run", "TARGET... [OPTION...]", about, ROWS(rows)};
    *run = (struct run_command){.target = target_options_default()};
    if (!target_options_parse(&run->target, &line, count, values, failure))
        return false;
    options->build.repeats = run->repeats ? run->repeats : RUN_DEFAULT_REPEATS;
    options->timing.samples = run->repeats ? run->repeats : RUN_DEFAULT_SAMPLES;
    run->gpu.ordinal = (int)run->ordinal;
    run->gpu.max_passes = (unsigned)run->passes;
    options->emulation.mode = run->unchecked ? LAUNCH_COUNT : LAUNCH_CHECK;
    const bool csv_only = record_csv_only(run->csv);
    if (csv_only && run->json)
        return failure_harness(failure, "--csv - and --json cannot be combined: both write to "
                                        "standard output");
    run->is_quiet = csv_only || run->json;
    options->report.output = run->is_quiet ? stderr : stdout;
    return choose_device(run, failure);
}

static void show_progress(void *context, const char *what, double share)
{
    (void)context;
    fprintf(stderr, "\r%-24.24s %3.0f %%", what, 100 * share);
    if (share >= 1)
        fputs("\r                              \r", stderr);
    fflush(stderr);
}

static void add_result(struct run_command *run)
{
    const struct run_result *result = run->result;
    for (size_t i = 0; i < result->count; i++) {
        allocate_room(&run->records, run->count, sizeof *run->records);
        run->records[run->count++] = result->records[i];
    }
    if (*result->note && !run->noted)
        fprintf(stderr, "tlab: %s\n", result->note);
    run->noted |= *result->note != 0;
}

static bool add_sources(struct run_command *run, const char *target, struct failure *failure)
{
    char **found;
    size_t count;
    if (!exercise_list_sources(target, &found, &count, failure))
        return false;
    for (size_t i = 0; i < count; i++) {
        allocate_room(&run->sources, run->source_count, sizeof *run->sources);
        struct source_run *source = &run->sources[run->source_count++];
        *source = (struct source_run){.path = found[i], .watch.path = found[i]};
        found[i] = NULL;
        struct failure unreadable = {0};
        if (!prediction_find(source->path, &source->sheet, &unreadable))
            fprintf(stderr, "warning: %s\n", unreadable.text);
    }
    exercise_free_sources(found, count);
    return true;
}

static void write_goals(const struct run_command *run, const struct record *record,
                        const char *limits)
{
    const struct goal_watch *goals = run->goals;
    char name[256];
    if (run->is_quiet)
        return;
    lab_run_name(record, name, sizeof name);
    if (run->explain_time && *limits)
        fprintf(run->deferred, "%s: %s\n", name, limits);
    if (goals->right)
        goal_list_print(run->deferred, name, &goals->list);
    if (!run->points)
        return;
    if (!goals->list.count && goals->list.absent.kind == FAILURE_NONE)
        fprintf(run->deferred, "%s: no points, because the kernel cannot be run\n", name);
    else if (goals->list.absent.kind != FAILURE_NONE)
        fprintf(run->deferred, "%s: no points: %s\n", name, goals->list.absent.text);
    else
        goal_list_print_points(run->deferred, name, &goals->list);
}

static bool finish_run(struct run *work, struct run_command *run, struct source_run *source,
                       struct failure *failure)
{
    struct failure wrong = {0};
    if (!work)
        return true;
    goal_watch_begin(run->goals, &source->watch);
    if (!run_finish(work, run->result, &wrong))
        return failure_harness(failure, "%s: %s", source->path, wrong.text);
    if (failure_exit_status(&wrong) > run->status)
        run->status = failure_exit_status(&wrong);
    source->record = run->result->records[run->result->count - 1];
    if (run->json)
        run_json_write(&run->document, source->path, &source->record, &wrong, &run->goals->list,
                       run->points);
    if (!run->is_quiet)
        fputs(wrong.map, run->deferred);
    write_goals(run, &run->result->records[0], source->watch.limits);
    if (!run->is_quiet && failure_has(&wrong, FINDING_REPAIR_TESTED) &&
        !run->target.run.report.repairs)
        fprintf(run->deferred,
                "A repair was found. `build/tlab hint %s` leads to it step by step; "
                "`build/tlab run %s --repair` prints it.\n",
                source->path, source->path);
    hint_remember(source->path, &wrong, &run->goals->list, 0);
    history_add(source->path, &source->record);
    add_result(run);
    return true;
}

/* Compile each source while the GPU runs the previous source. */
static bool run_sources(struct run_command *run, struct failure *failure)
{
    struct run *last = NULL;
    bool good = true;
    for (size_t i = 0; i <= run->source_count && good; i++) {
        bool more = i < run->source_count;
        struct run *next =
            more ? allocate_checked(run_prepare(run->sources[i].path, &run->target.run)) : NULL;
        good = finish_run(last, run, i ? &run->sources[i - 1] : NULL, failure);
        last = next;
        if (more && good)
            run_start(next);
    }
    run_abandon(last);
    return good;
}

static bool run_targets(struct run_command *run, struct failure *failure)
{
    bool good = true;
    for (size_t t = 0; t < run->target.targets.count && good; t++)
        good = add_sources(run, run->target.targets.words[t], failure);
    const bool several = run->source_count > 1;
    run->document = (struct json_out){.file = run->deferred};
    if (run->json && several)
        json_out_open(&run->document, NULL, '[');
    good = good && run_sources(run, failure);
    if (run->json)
        fputs(several ? "]\n" : "\n", run->deferred);
    return good;
}

static void free_sources(struct run_command *run)
{
    for (size_t i = 0; i < run->source_count; i++) {
        free(run->sources[i].path);
        prediction_free(&run->sources[i].sheet);
        free(run->sources[i].watch.lines);
    }
    free(run->sources);
}

static void show_predictions(const struct run_command *run, struct failure *failure)
{
    bool good = true;
    for (size_t i = 0; i < run->source_count && good; i++) {
        const struct source_run *source = &run->sources[i];
        good = prediction_table_print(stdout, source->path, &source->sheet, &source->record,
                                      &source->watch, &run->target.run, failure);
    }
}

static void show_records(const struct run_command *run, struct failure *failure)
{
    const struct record *records = run->records;
    if (run->csv)
        records_save(run->csv, records, run->count, failure);
    if (!run->is_quiet && failure->kind == FAILURE_NONE) {
        records_print(stdout, records, run->count);
        if (run->counters)
            records_print_counters(stdout, records, run->count);
        show_predictions(run, failure);
    }
    if (!run->is_quiet || run->json)
        return;
    for (size_t i = 0; i < run->count; i++)
        if (!record_is_right(&records[i]))
            fprintf(stderr, "%s: %s\n", record_text(&records[i], COLUMN_variant),
                    record_text(&records[i], COLUMN_reason));
}

static void run_and_show(struct run_command *run, struct failure *failure)
{
    char *deferred = NULL;
    size_t deferred_bytes = 0;
    run->result = allocate_checked(malloc(sizeof *run->result));
    run->goals = allocate_checked(calloc(1, sizeof *run->goals));
    run->deferred = allocate_checked(open_memstream(&deferred, &deferred_bytes));
    run->goals->points = run->points;
    goal_watch_attach(run->goals, &run->target.run);
    if (run_targets(run, failure))
        show_records(run, failure);
    fclose(run->deferred);
    if (deferred && failure->kind != FAILURE_HARNESS)
        fputs(deferred, stdout);
    free(deferred);
    free(run->goals);
    free(run->result);
    free(run->records);
    free_sources(run);
}

int command_run(int count, char **values, struct failure *failure)
{
    struct run_command run = {0};
    if (parse_arguments(&run, count, values, failure)) {
        if (isatty(STDOUT_FILENO) && isatty(STDERR_FILENO))
            run.target.run.report.progress = show_progress;
        run_and_show(&run, failure);
    }
    gpu_close(run.target.run.gpu);
    target_options_free(&run.target);
    return failure->kind == FAILURE_HARNESS ? 2 : run.status;
}
