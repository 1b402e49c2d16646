/* command_annotate.c: tlab annotate TARGET... */
#include "commands/command.h"
#include "course/exercise.h"
#include "run/target_options.h"
#include "view/block_run.h"
#include "view/listing.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char about[] =
    "Emulates a lab and prints its source. Beside each line that accesses global or shared "
    "memory:\n"
    "requests, how many sectors (global) or wavefronts (shared) each takes, against the fewest "
    "that\n"
    "the same bytes need, bank conflicts per request, and the line's share of the modelled time.\n"
    "Below: what bounds the time, and one sentence on the worst line. Of a wrong kernel: the "
    "verdict\n"
    "in a line, and what its accesses are all the same.\n";

static bool print_annotation(const struct line_watch *watch, const struct record *record,
                             const struct device *device, struct failure *failure)
{
    const struct record_value *values = record->values;
    char advice[512];
    if (watch->no_memory || !watch->lines)
        return failure_harness(failure, "not enough memory");
    printf("%s on %s, %" PRIu64 " x %" PRIu64 ": %.4g us modelled,\n%s\n\n", watch->path,
           device->title, values[COLUMN_rows].count, values[COLUMN_cols].count,
           values[COLUMN_time_us].real, watch->explanation);
    if (!listing_print(stdout, watch->path, watch->lines, LINE_WATCH_LINES, device))
        return failure_harness(failure, "cannot read %s", watch->path);
    listing_advise(watch->lines, LINE_WATCH_LINES, device, &watch->time_goes, advice,
                   sizeof advice);
    printf("\nThe launch itself takes %.1f %% of the time.\n%s\n", 100 * watch->launch_share,
           advice);
    return true;
}

/* Its lines are shown all the same; what to make faster is not. */
static bool print_wrong(const struct line_watch *watch, const struct failure *wrong,
                        const struct device *device, struct failure *failure)
{
    if (!watch->lines || watch->no_memory) {
        printf("%s: %s\n%s\n", watch->path, status_name(wrong->status), wrong->text);
        return true;
    }
    block_run_say_wrong(watch->path, wrong);
    putchar('\n');
    return listing_print(stdout, watch->path, watch->lines, LINE_WATCH_LINES, device) ||
           failure_harness(failure, "cannot read %s", watch->path);
}

/* Nothing is to be forgotten: line_watch_inspect keeps the last launch. */
static void watch_wrong(void *context, const struct failure *wrong)
{
    (void)context, (void)wrong;
}

struct annotate_command {
    struct target_options target;
    int status;
};

static bool annotate_source(void *context, const char *path, struct failure *failure)
{
    struct annotate_command *annotate = context;
    struct run_options *options = &annotate->target.run;
    struct line_watch watch = {.path = path};
    struct run_result *result = calloc(1, sizeof *result);
    struct failure wrong = {0};
    options->watch.inspect = line_watch_inspect;
    options->watch.wrong = watch_wrong;
    options->watch.context = &watch;
    bool good = result != NULL;
    if (!good)
        failure_harness(failure, "not enough memory");
    else if (!run_source(path, options, result, &wrong))
        good = failure_harness(failure, "%s: %s", path, wrong.text);
    if (good && wrong.kind == FAILURE_STUDENT) {
        good = print_wrong(&watch, &wrong, options->device, failure);
        annotate->status = 1;
    } else if (good) {
        good = print_annotation(&watch, &result->records[0], options->device, failure);
    }
    free(watch.lines);
    free(result);
    return good;
}

int command_annotate(int count, char **values, struct failure *failure)
{
    struct annotate_command annotate = {.target = target_options_default()};
    const struct option_row rows[] = {TARGET_ROWS(&annotate.target)};
    const struct command_line line = {"annotate", "TARGET... [OPTION...]", about, ROWS(rows)};
    bool helped;
    bool good = target_options_parse(&annotate.target, &line, count, values, &helped, failure);
    good = good && (helped || target_options_find_device(&annotate.target, failure));
    for (size_t t = 0; good && !helped && t < annotate.target.targets.count; t++)
        good = exercise_visit_sources(annotate.target.targets.words[t], annotate_source, &annotate,
                                      failure);
    target_options_free(&annotate.target);
    return good ? annotate.status : 2;
}
