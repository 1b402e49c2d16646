/* command_run.c: tlab run TARGET... */
#include "base/parallel.h"
#include "commands/command.h"
#include "gpu/gpu_runner.h"
#include "record/record.h"
#include "run/options.h"
#include "run/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char command_run_usage[] =
    "usage: tlab run TARGET... [OPTION...]\n"
    "\n"
    "TARGET is a lab directory (labs/03_padded) or a .cu file. Each lab is compiled, verified on\n"
    "small and ragged sizes, then run, verified and counted at the size asked for.\n"
    "\n"
    "  --device NAME         gpu: this machine's; or one to emulate: a name (`tlab devices`), or "
    "a\n"
    "                        file with a / in it. Default: the GPU where there is one, else\n"
    "                        " OPTIONS_DEFAULT_DEVICE "\n"
    "  --rows R, --cols C    size of the input matrix (default 2048 x 2048 emulated, 8192 x 8192 "
    "on\n"
    "                        a GPU)\n"
    "  --seed S              seed of the input (default 1)\n"
    "  --csv FILE            write the records as CSV; `-` writes only CSV, to standard output\n"
    "  -D NAME=VALUE         define a macro, to sweep block shapes; may be repeated\n"
    "  --loop launch|kernel  repeat by launching once (default), or inside the kernel\n"
    "  --repeats N           repetitions of --loop kernel (default 10); otherwise, timed launches "
    "on\n"
    "                        a GPU (default 20)\n"
    "  --no-checks           do not look for races and uninitialised reads (to measure what the\n"
    "                        checks cost)\n"
    "  --threads N           worker threads (default: the processors; no effect on any result)\n"
    "\n"
    "On a GPU\n"
    "  --gpu-index N         which one, as the driver counts them (default 0)\n"
    "  --warm                leave the caches as the previous run left them, do not flush them\n"
    "  --passes 1            only the counters that take one pass; the others are NA\n";

struct run_command {
    struct run_options options;
    struct gpu_options gpu;
    const char *device_name; /* NULL: none was named */
    struct device device;
    const char *csv;
    bool only_csv; /* nothing else goes to standard output */
    char **targets;
    size_t target_count;
    const char **defines;
};

static bool is_macro(const char *define)
{
    size_t name = strspn(define, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
    return name && (define[0] < '0' || define[0] > '9') && (!define[name] || define[name] == '=');
}

static bool parse_loop(struct run_command *run, const char *value, struct failure *failure)
{
    run->options.loop_in_kernel = !strcmp(value, "kernel");
    return run->options.loop_in_kernel || !strcmp(value, "launch") ||
           failure_harness(failure, "--loop must be `launch` or `kernel`, not `%s`", value);
}

/* One argument. */
static bool parse_argument(struct run_command *run, struct arguments *arguments,
                           struct failure *failure)
{
    static const struct {
        const char *name;
        char short_name;
    } options[] = {{"--device", 0},  {"--rows", 0},      {"--cols", 0},  {"--seed", 0},
                   {"--csv", 0},     {"-D", 'D'},        {"--loop", 0},  {"--repeats", 0},
                   {"--threads", 0}, {"--gpu-index", 0}, {"--passes", 0}};
    enum {
        DEVICE,
        ROWS,
        COLS,
        SEED,
        CSV,
        DEFINE,
        LOOP,
        REPEATS,
        THREADS,
        GPU_INDEX,
        PASSES,
        COUNT
    };
    const char *value = NULL;
    int which = 0, found = 0;
    for (; which < COUNT; which++)
        if ((found = arguments_option(arguments, options[which].name, options[which].short_name,
                                      &value, failure)))
            break;
    if (found < 0)
        return false;
    struct run_options *out = &run->options;
    uint64_t number;
    switch (found ? which : COUNT) {
    case DEVICE:
        run->device_name = value;
        return true;
    case ROWS:
        return options_number("--rows", value, 1, INT32_MAX, &out->rows, failure);
    case COLS:
        return options_number("--cols", value, 1, INT32_MAX, &out->cols, failure);
    case SEED:
        return options_number("--seed", value, 0, UINT64_MAX, &out->seed, failure);
    case CSV:
        run->csv = value;
        return *value || failure_harness(failure, "--csv needs a file name");
    case DEFINE:
        if (!is_macro(value))
            return failure_harness(failure, "-D needs NAME or NAME=VALUE, not `%s`", value);
        run->defines[out->define_count++] = value;
        return true;
    case LOOP:
        return parse_loop(run, value, failure);
    case REPEATS:
        if (!options_number("--repeats", value, 1, 10000, &number, failure))
            return false;
        out->repeats = out->samples = (unsigned)number;
        return true;
    case THREADS:
        if (!options_number("--threads", value, 1, 64, &number, failure))
            return false;
        out->workers = (unsigned)number;
        return true;
    case GPU_INDEX:
        if (!options_number("--gpu-index", value, 0, 255, &number, failure))
            return false;
        run->gpu.ordinal = (int)number;
        return true;
    case PASSES:
        if (!options_number("--passes", value, 1, 1, &number, failure))
            return false;
        run->gpu.max_passes = (unsigned)number;
        return true;
    default:
        break;
    }
    char *argument = arguments->values[arguments->at];
    if (!strcmp(argument, "--warm")) {
        out->warm = true;
        arguments->at++;
        return true;
    }
    if (!strcmp(argument, "--no-checks")) {
        out->unchecked = true;
        arguments->at++;
        return true;
    }
    if (argument[0] == '-' && argument[1])
        return failure_harness(failure, "tlab run has no option `%s`; see `tlab run --help`",
                               argument);
    run->targets[run->target_count++] = argument;
    arguments->at++;
    return true;
}

/* The device that was named; without a name, the GPU where there is one that can be used. */
static bool choose_device(struct run_command *run, struct failure *failure)
{
    struct failure no_gpu = {0};
    const char *name = run->device_name;
    run->gpu.output = run->options.output;
    if ((!name || !strcmp(name, "gpu")) && gpu_open(&run->gpu, &run->options.gpu, &no_gpu))
        return true;
    if (name && !strcmp(name, "gpu"))
        return failure_harness(failure, "--device gpu: %s; without --device gpu, labs are emulated",
                               no_gpu.text);
    if (run->options.warm)
        return failure_harness(failure, "--warm is for a GPU: emulated caches start empty%s%s",
                               name ? "" : ", and here labs are emulated: ", no_gpu.text);
    run->options.device = &run->device;
    return options_device(name ? name : OPTIONS_DEFAULT_DEVICE, &run->device, failure);
}

static bool parse_arguments(struct run_command *run, int count, char **values,
                            struct failure *failure)
{
    struct arguments arguments = {.count = count, .values = values};
    run->options = (struct run_options){.seed = 1,
                                        .repeats = RUN_DEFAULT_REPEATS,
                                        .samples = RUN_DEFAULT_SAMPLES,
                                        .workers = parallel_processors()};
    run->targets = calloc((size_t)count + 1, sizeof *run->targets);
    run->defines = calloc((size_t)count + 1, sizeof *run->defines);
    if (!run->targets || !run->defines)
        return failure_harness(failure, "not enough memory");
    run->options.defines = run->defines;
    while (arguments.at < count)
        if (!parse_argument(run, &arguments, failure))
            return false;
    if (!run->target_count)
        return failure_harness(failure, "tlab run needs a lab directory or a .cu file, such as "
                                        "labs/01_naive; see `tlab run --help`");
    run->only_csv = run->csv && !strcmp(run->csv, "-");
    run->options.output = run->only_csv ? stderr : stdout;
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

/* What the runs left. */
struct run_output {
    struct run_result *result; /* of the last */
    struct record *records;
    size_t count;
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
        fprintf(stderr,
                "tlab: %s\nThe GPU's rows have times; the counters are in the rows of the "
                "emulator.\n",
                result->note);
    output->noted |= *result->note != 0;
    return true;
}

/* Append the sources of a target to the list. */
static bool add_sources(const char *target, char ***sources, size_t *count, struct failure *failure)
{
    char **found;
    size_t found_count;
    if (!exercise_list_sources(target, &found, &found_count, failure))
        return false;
    char **more = realloc(*sources, (*count + found_count) * sizeof *more);
    if (!more) {
        exercise_free_sources(found, found_count);
        return failure_harness(failure, "not enough memory");
    }
    memcpy(more + *count, found, found_count * sizeof *more);
    free(found);
    *sources = more;
    *count += found_count;
    return true;
}

/* Finish a run, if there is one, and keep what it left. */
static bool finish_run(struct run *run, const char *path, struct run_output *output,
                       struct failure *failure)
{
    struct failure wrong = {0};
    if (!run)
        return true;
    if (!run_finish(run, output->result, &wrong))
        return failure_harness(failure, "%s: %s", path, wrong.text);
    if (failure_exit_status(&wrong) > output->status)
        output->status = failure_exit_status(&wrong);
    return keep_result(output, failure);
}

/* Run the sources; each is compiled while the GPU works on the one before. */
static bool run_sources(const struct run_command *run, char **sources, size_t count,
                        struct run_output *output, struct failure *failure)
{
    struct run *last = NULL;
    bool good = true;
    for (size_t i = 0; i < count && good; i++) {
        struct run *next = run_prepare(sources[i], &run->options);
        good = finish_run(last, i ? sources[i - 1] : "", output, failure);
        last = next;
        if (!next)
            good = failure_harness(failure, "not enough memory");
        else if (good)
            run_start(next);
    }
    if (good)
        return finish_run(last, count ? sources[count - 1] : "", output, failure);
    run_abandon(last);
    return false;
}

/* All sources of all targets. */
static bool run_targets(const struct run_command *run, struct run_output *output,
                        struct failure *failure)
{
    char **sources = NULL;
    size_t count = 0;
    bool good = true;
    for (size_t t = 0; t < run->target_count && good; t++)
        good = add_sources(run->targets[t], &sources, &count, failure);
    good = good && run_sources(run, sources, count, output, failure);
    exercise_free_sources(sources, count);
    return good;
}

/* Table, CSV, or both. */
static void show_records(const struct run_command *run, const struct record *records, size_t count,
                         struct failure *failure)
{
    if (run->csv)
        records_save(run->csv, records, count, failure);
    if (!run->only_csv && failure->kind == FAILURE_NONE)
        records_print(stdout, records, count);
    if (!run->only_csv)
        return;
    for (size_t i = 0; i < count; i++)
        if (strcmp(record_text(&records[i], COLUMN_status), "ok"))
            fprintf(stderr, "%s: %s\n", record_text(&records[i], COLUMN_variant),
                    record_text(&records[i], COLUMN_reason));
}

int command_run(int count, char **values, struct failure *failure)
{
    if (count == 1 && (!strcmp(values[0], "--help") || !strcmp(values[0], "-h"))) {
        fputs(command_run_usage, stdout);
        return 0;
    }
    struct run_command run = {0};
    struct run_output output = {.result = malloc(sizeof *output.result)};
    if (!output.result)
        failure_harness(failure, "not enough memory");
    else if (parse_arguments(&run, count, values, failure)) {
        if (isatty(STDOUT_FILENO) && isatty(STDERR_FILENO))
            run.options.progress = show_progress;
        if (run_targets(&run, &output, failure))
            show_records(&run, output.records, output.count, failure);
    }
    gpu_close(run.options.gpu);
    free(output.result);
    free(output.records);
    free(run.targets);
    free(run.defines);
    return failure->kind == FAILURE_HARNESS ? 2 : output.status;
}
