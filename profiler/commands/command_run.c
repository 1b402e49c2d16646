/* command_run.c: tlab run TARGET... */
#include "commands/command.h"
#include "course/exercise.h"
#include "hardware/gpu/gpu_runner.h"
#include "record/record.h"
#include "run/target_options.h"
#include "view/lab_run.h"
#include "view/prediction_table.h"
#include "view/run_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char about[] =
    "TARGET is a lab directory (labs/03_padded) or a .cu file. Each lab is compiled, verified on\n"
    "small and ragged sizes, then run, verified and counted at the size asked for. Below the "
    "table\n"
    "stands how far each right kernel is from the goals of its rubric, the worst first.\n";

struct run_command {
    struct target_options target;
    struct gpu_options gpu;
    uint64_t repeats, passes, ordinal; /* as given, or 0 */
    const char *csv;
    bool json;
    bool is_quiet; /* standard output has nothing but CSV or JSON */
    struct goal_watch *goals;
    bool points, counters, unchecked;
    FILE *saying; /* of goals, what is printed below the table; with --json, all */
    struct json_out document;
};

static bool take_loop(void *context, const char *value, struct failure *failure)
{
    static const char *const words[] = {"launch", "kernel", NULL};
    unsigned chosen;
    if (!options_choose("--loop", value, words, &chosen, failure))
        return false;
    *(bool *)context = chosen == 1;
    return true;
}

/* The device that was named; without a name, the GPU where there is one that can be used. */
static bool choose_device(struct run_command *run, struct failure *failure)
{
    struct run_options *options = &run->target.run;
    struct failure no_gpu = {0};
    const char *name = run->target.device_name;
    run->gpu.output = options->report.output;
    if ((!name || !strcmp(name, "gpu")) && gpu_open(&run->gpu, &options->gpu, &no_gpu))
        return true;
    if (name && !strcmp(name, "gpu"))
        return failure_harness(failure, "--device gpu: %s; without --device gpu, labs are emulated",
                               no_gpu.text);
    if (options->timing.warm)
        return failure_harness(failure, "--warm is for a GPU: emulated caches start empty%s%s",
                               name ? "" : ", and here labs are emulated: ", no_gpu.text);
    if (!name)
        run->target.device_name = OPTIONS_DEFAULT_DEVICE;
    return target_options_find_device(&run->target, failure);
}

static bool parse_arguments(struct run_command *run, int count, char **values, bool *helped,
                            struct failure *failure)
{
    struct run_options *options = &run->target.run;
    const struct option_row rows[] = {
        TEXT_ROW("device", "NAME", &run->target.device_name,
                 "gpu: this machine's; or one to emulate: a name (`tlab devices`), or\n"
                 "a file with a / in it. Default: the GPU where there is one, "
                 "else\n" OPTIONS_DEFAULT_DEVICE),
        TARGET_SIZE_ROWS(&run->target, "2048 emulated, 8192 on a GPU"),
        NUMBER_ROW("seed", "S", &options->size.seed, 0, UINT64_MAX,
                   "seed of the input (default 1)"),
        TEXT_ROW("csv", "FILE", &run->csv,
                 "write the records as CSV; `-` writes only CSV, to standard output"),
        FLAG_ROW("json", &run->json,
                 "write only JSON, to standard output: an object for each run, in a list\n"
                 "where there are several (docs/json.md)"),
        CALL_ROW("loop", "launch|kernel", take_loop, &options->build.loop_in_kernel,
                 "repeat by launching once (default), or inside the kernel"),
        NUMBER_ROW("repeats", "N", &run->repeats, 1, 10000,
                   "repetitions of --loop kernel (default 10); otherwise, timed launches\n"
                   "on a GPU (default 20)"),
        FLAG_ROW("points", &run->points,
                 "also show the points that grading gives for what is published"),
        FLAG_ROW("counters", &run->counters,
                 "also show grid, block, and the total of every counter, of each run"),
        FLAG_ROW("no-checks", &run->unchecked,
                 "do not look for races and uninitialised reads (to measure what the\n"
                 "checks cost)"),
        NUMBER_ROW("threads", "N", &options->workers, 1, 64,
                   "worker threads (default: the processors; no effect on any result)"),
        HEADING_ROW("On a GPU"),
        NUMBER_ROW("gpu-index", "N", &run->ordinal, 0, 255,
                   "which one, as the driver counts them (default 0)"),
        FLAG_ROW("warm", &options->timing.warm,
                 "leave the caches as the previous run left them, do not flush them"),
        NUMBER_ROW("passes", "1", &run->passes, 1, 1,
                   "only the counters that take one pass; the others are NA"),
    };
    const struct command_line line = {"run", "TARGET... [OPTION...]", about, ROWS(rows)};
    *run = (struct run_command){.target = target_options_default()};
    run->target.device_name = NULL;
    if (!target_options_parse(&run->target, &line, count, values, helped, failure))
        return false;
    options->build.repeats = run->repeats ? run->repeats : RUN_DEFAULT_REPEATS;
    options->timing.samples = run->repeats ? run->repeats : RUN_DEFAULT_SAMPLES;
    run->gpu.ordinal = (int)run->ordinal;
    run->gpu.max_passes = (unsigned)run->passes;
    options->emulation.mode = run->unchecked ? LAUNCH_COUNT : LAUNCH_CHECK;
    const bool csv_only = run->csv && !strcmp(run->csv, "-");
    if (csv_only && run->json)
        return failure_harness(failure, "--csv - and --json both write to standard output");
    run->is_quiet = csv_only || run->json;
    options->report.output = run->is_quiet ? stderr : stdout;
    return *helped || choose_device(run, failure);
}

static void show_progress(void *context, const char *what, double share)
{
    (void)context;
    fprintf(stderr, "\r%-24.24s %3.0f %%", what, 100 * share);
    if (share >= 1)
        fputs("\r                              \r", stderr);
    fflush(stderr);
}

/* One source, and what its run left. */
struct source_run {
    char *path;
    struct prediction_sheet sheet;
    struct line_watch watch;
    struct record record; /* the last, which has the counters */
};

/* What the runs left. */
struct run_output {
    struct run_result *result; /* of the last */
    struct record *records;
    size_t count;
    struct source_run *sources;
    size_t source_count;
    int status;
    bool noted;
};

/* Append what one run left, and say what it notes, once for all runs. */
static bool keep_result(struct run_output *output, struct failure *failure)
{
    const struct run_result *result = output->result;
    struct record *more = realloc(output->records, (output->count + result->count) * sizeof *more);
    if (!more)
        return failure_harness(failure, "not enough memory");
    memcpy(more + output->count, result->records, result->count * sizeof *more);
    output->records = more;
    output->count += result->count;
    if (*result->note && !output->noted)
        fprintf(stderr, "tlab: %s\n", result->note);
    output->noted |= *result->note != 0;
    return true;
}

/* Append the sources of a target. Sheets that cannot be read fail before anything runs. */
static bool add_sources(const char *target, struct run_output *output, struct failure *failure)
{
    char **found;
    size_t count;
    if (!exercise_list_sources(target, &found, &count, failure))
        return false;
    struct source_run *more =
        realloc(output->sources, (output->source_count + count) * sizeof *more);
    bool good = more || failure_harness(failure, "not enough memory");
    if (more)
        output->sources = more;
    for (size_t i = 0; i < count && good; i++) {
        struct source_run *source = &output->sources[output->source_count++];
        *source = (struct source_run){.path = found[i], .watch.path = found[i]};
        found[i] = NULL;
        good = prediction_find(source->path, &source->sheet, failure);
    }
    exercise_free_sources(found, count);
    return good;
}

/* Below the table, for each lab that is right. */
static void say_goals(const struct run_command *run, const struct record *record)
{
    const struct goal_watch *goals = run->goals;
    char both[256];
    if (run->is_quiet)
        return;
    lab_run_name(record, both, sizeof both);
    if (goals->right)
        goal_list_print(run->saying, both, &goals->list);
    if (!run->points)
        return;
    if (!goals->list.count && goals->list.absent.kind == FAILURE_NONE)
        fprintf(run->saying, "%s: no points, because it cannot be run\n", both);
    else if (goals->list.absent.kind != FAILURE_NONE)
        fprintf(run->saying, "%s: no points: %s\n", both, goals->list.absent.text);
    else
        goal_list_print_points(run->saying, both, &goals->list);
}

/* Finish a run, if there is one, and keep what it left. */
static bool finish_run(struct run *work, struct run_command *run, struct source_run *source,
                       struct run_output *output, struct failure *failure)
{
    struct failure wrong = {0};
    if (!work)
        return true;
    goal_watch_begin(run->goals, &source->watch);
    if (!run_finish(work, output->result, &wrong))
        return failure_harness(failure, "%s: %s", source->path, wrong.text);
    if (failure_exit_status(&wrong) > output->status)
        output->status = failure_exit_status(&wrong);
    source->record = output->result->records[output->result->count - 1];
    if (run->json)
        run_json_write(&run->document, source->path, &source->record, &wrong, &run->goals->list,
                       run->points);
    say_goals(run, &output->result->records[0]);
    kept_add(source->path, &source->record);
    return keep_result(output, failure);
}

/* Run the sources; each is compiled while the GPU works on the one before. */
static bool run_sources(struct run_command *run, struct run_output *output, struct failure *failure)
{
    struct run *last = NULL;
    bool good = true;
    for (size_t i = 0; i <= output->source_count && good; i++) {
        bool more = i < output->source_count;
        struct run *next = more ? run_prepare(output->sources[i].path, &run->target.run) : NULL;
        good = finish_run(last, run, i ? &output->sources[i - 1] : NULL, output, failure);
        last = next;
        if (more && !next)
            good = failure_harness(failure, "not enough memory");
        else if (more && good)
            run_start(next);
    }
    run_abandon(last);
    return good;
}

/* All sources of all targets. */
static bool run_targets(struct run_command *run, struct run_output *output, struct failure *failure)
{
    bool good = true;
    for (size_t t = 0; t < run->target.targets.count && good; t++)
        good = add_sources(run->target.targets.words[t], output, failure);
    const bool several = output->source_count > 1;
    run->document = (struct json_out){.file = run->saying};
    if (run->json && several)
        json_out_open(&run->document, NULL, '[');
    good = good && run_sources(run, output, failure);
    if (run->json)
        fputs(several ? "]\n" : "\n", run->saying);
    return good;
}

static void free_sources(struct run_output *output)
{
    for (size_t i = 0; i < output->source_count; i++) {
        free(output->sources[i].path);
        prediction_free(&output->sources[i].sheet);
        free(output->sources[i].watch.lines);
    }
    free(output->sources);
}

/* What was predicted of each source, beside what was counted. */
static bool show_predictions(const struct run_command *run, const struct run_output *output,
                             struct failure *failure)
{
    bool good = true;
    for (size_t i = 0; i < output->source_count && good; i++) {
        const struct source_run *source = &output->sources[i];
        good = prediction_table_print(stdout, source->path, &source->sheet, &source->record,
                                      &source->watch, &run->target.run, failure);
    }
    return good;
}

/* Table, CSV, or both. */
static void show_records(const struct run_command *run, const struct run_output *output,
                         struct failure *failure)
{
    const struct record *records = output->records;
    if (run->csv)
        records_save(run->csv, records, output->count, failure);
    if (!run->is_quiet && failure->kind == FAILURE_NONE) {
        records_print(stdout, records, output->count);
        if (run->counters)
            records_print_counters(stdout, records, output->count);
        show_predictions(run, output, failure);
    }
    if (!run->is_quiet || run->json)
        return;
    for (size_t i = 0; i < output->count; i++)
        if (!record_is_right(&records[i]))
            fprintf(stderr, "%s: %s\n", record_text(&records[i], COLUMN_variant),
                    record_text(&records[i], COLUMN_reason));
}

/* Run, with an eye on goals, and print everything. */
static void run_and_show(struct run_command *run, struct run_output *output,
                         struct failure *failure)
{
    char *said = NULL;
    size_t said_bytes = 0;
    output->result = malloc(sizeof *output->result);
    run->goals = calloc(1, sizeof *run->goals);
    run->saying = open_memstream(&said, &said_bytes);
    if (!output->result || !run->goals || !run->saying) {
        failure_harness(failure, "not enough memory");
    } else {
        run->goals->points = run->points;
        goal_watch_attach(run->goals, &run->target.run);
        if (run_targets(run, output, failure))
            show_records(run, output, failure);
    }
    if (run->saying)
        fclose(run->saying);
    if (said && failure->kind != FAILURE_HARNESS)
        fputs(said, stdout);
    free(said);
    free(run->goals);
    free(output->result);
    free(output->records);
    free_sources(output);
}

int command_run(int count, char **values, struct failure *failure)
{
    struct run_command run = {0};
    struct run_output output = {0};
    bool helped;
    if (parse_arguments(&run, count, values, &helped, failure) && !helped) {
        if (isatty(STDOUT_FILENO) && isatty(STDERR_FILENO))
            run.target.run.report.progress = show_progress;
        run_and_show(&run, &output, failure);
    }
    gpu_close(run.target.run.gpu);
    target_options_free(&run.target);
    return failure->kind == FAILURE_HARNESS ? 2 : output.status;
}
