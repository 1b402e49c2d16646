/* command_annotate.c: tlab annotate TARGET... */
#include "annotate.h"
#include "command.h"
#include "exercise.h"
#include "options.h"
#include "parallel.h"
#include "run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: tlab annotate TARGET... [--device NAME] [--rows R] [--cols C] [-D NAME=VALUE]\n"
    "\n"
    "Emulates a lab and prints its source: beside each line, how many requests it makes of global "
    "or\n"
    "shared memory, and how many sectors or wavefronts each takes, against the fewest that the "
    "same\n"
    "bytes need; then one sentence on the worst line.\n";

enum { MAX_LINES = 1 << 16 };

struct annotation {
    const char *path;
    struct annotate_line *lines;
    char explanation[256]; /* of the time */
};

static void gather(void *context, const struct emulator_launch *launch,
                   const struct emulator_result *result)
{
    struct annotation *annotation = context;
    annotate_gather(launch, result, annotation->path, annotation->lines, MAX_LINES);
    snprintf(annotation->explanation, sizeof annotation->explanation, "%s", result->explanation);
}

static bool annotate_source(const char *path, struct run_options *options, int *status,
                            struct failure *failure)
{
    struct annotation annotation = {.path = path,
                                    .lines = calloc(MAX_LINES, sizeof *annotation.lines)};
    struct run_result *result = calloc(1, sizeof *result);
    struct failure wrong = {0};
    options->inspect = gather;
    options->inspect_context = &annotation;
    bool good = annotation.lines && result;
    if (!good)
        failure_harness(failure, "not enough memory");
    else if (!run_source(path, options, result, &wrong))
        good = failure_harness(failure, "%s: %s", path, wrong.text);
    if (good && wrong.kind == FAILURE_STUDENT) {
        printf("%s: %s\n%s\n", path, status_name(wrong.status), wrong.text);
        *status = 1;
    } else if (good) {
        const struct record_value *values = result->records[0].values;
        char advice[512];
        printf("%s on %s, %" PRIu64 " x %" PRIu64 ": %.4g us modelled, %s\n\n", path,
               options->device->title, values[COLUMN_rows].count, values[COLUMN_cols].count,
               values[COLUMN_time_us].real, annotation.explanation);
        if (!annotate_print(stdout, path, annotation.lines, MAX_LINES, options->device))
            good = failure_harness(failure, "cannot read %s", path);
        annotate_advise(annotation.lines, MAX_LINES, options->device, advice, sizeof advice);
        printf("\n%s\n", advice);
    }
    free(annotation.lines);
    free(result);
    return good;
}

static bool annotate_targets(char **targets, int count, struct run_options *options, int *status,
                             struct failure *failure)
{
    for (int t = 0; t < count; t++) {
        char **sources;
        size_t source_count;
        if (!exercise_list_sources(targets[t], &sources, &source_count, failure))
            return false;
        bool good = true;
        for (size_t s = 0; s < source_count && good; s++)
            good = annotate_source(sources[s], options, status, failure);
        exercise_free_sources(sources, source_count);
        if (!good)
            return false;
    }
    return true;
}

int command_annotate(int count, char **values, struct failure *failure)
{
    struct arguments arguments = {.count = count, .values = values};
    struct device device;
    struct run_options options = {.device = &device,
                                  .seed = 1,
                                  .repeats = 1,
                                  .workers = parallel_processors(),
                                  .output = NULL};
    const char *device_name = OPTIONS_DEFAULT_DEVICE;
    char **targets = calloc((size_t)count + 1, sizeof *targets);
    const char **defines = calloc((size_t)count + 1, sizeof *defines);
    int target_count = 0, status = 0;
    bool good = (targets && defines) || failure_harness(failure, "not enough memory");
    while (good && arguments.at < count) {
        const char *value, *argument = values[arguments.at];
        if (!strcmp(argument, "--help") || !strcmp(argument, "-h")) {
            fputs(usage, stdout);
            goto done;
        }
        int found = arguments_option(&arguments, "--device", 0, &value, failure);
        if (found > 0) {
            device_name = value;
            continue;
        }
        if (!found && (found = arguments_option(&arguments, "--rows", 0, &value, failure)) > 0) {
            good = options_number("--rows", value, 1, INT32_MAX, &options.rows, failure);
            continue;
        }
        if (!found && (found = arguments_option(&arguments, "--cols", 0, &value, failure)) > 0) {
            good = options_number("--cols", value, 1, INT32_MAX, &options.cols, failure);
            continue;
        }
        if (!found && (found = arguments_option(&arguments, "-D", 'D', &value, failure)) > 0) {
            defines[options.define_count++] = value;
            continue;
        }
        if (found < 0)
            good = false;
        else if (argument[0] == '-')
            good = failure_harness(failure, "tlab annotate has no option `%s`", argument);
        else
            targets[target_count++] = values[arguments.at++];
    }
    options.defines = defines;
    if (good && !target_count)
        good =
            failure_harness(failure, "tlab annotate needs a lab directory or a .cu file, such as "
                                     "labs/01_naive");
    good = good && options_device(device_name, &device, failure) &&
           annotate_targets(targets, target_count, &options, &status, failure);
done:
    free(targets);
    free(defines);
    return good ? status : 2;
}
