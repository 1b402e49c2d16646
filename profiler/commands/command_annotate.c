/* command_annotate.c: tlab annotate TARGET...: the source with the cost of each line. */
#include "commands/command.h"
#include "run/target_options.h"
#include "view/explain.h"
#include "view/lab_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char about[] =
    "Emulates a lab and prints its kernel and the functions that the kernel calls. Beside each\n"
    "line that accesses global or shared memory, tlab prints the sectors (global) or wavefronts\n"
    "(shared) per request, the minimum for the same bytes, and the line's share of the modelled\n"
    "time. After the source, tlab names the resource that limits the time and gives advice on\n"
    "the most expensive line. If the kernel is incorrect, the verdict replaces the advice.\n";

static bool print_annotation(const struct line_watch *watch, const struct record *record,
                             const struct device *device, struct failure *failure)
{
    const struct record_value *values = record->values;
    struct advice advice;
    printf("%s on %s, %" PRIu64 " x %" PRIu64 ": %.4g us modelled,\n%s\n\n", watch->path,
           device->title, values[COLUMN_rows].count, values[COLUMN_cols].count,
           values[COLUMN_time_us].real, watch->explanation);
    if (!line_counters_print(stdout, watch->path, watch->lines, LINE_WATCH_LINES))
        return failure_harness(failure, "cannot read %s", watch->path);
    explain_lines(watch->lines, LINE_WATCH_LINES, device, &watch->time_goes, &advice);
    printf("\nThe launch overhead takes %.1f %% of the time.\n%s\n", 100 * watch->launch_share,
           advice.text);
    return true;
}

static bool print_wrong(const struct line_watch *watch, const struct failure *wrong,
                        struct failure *failure)
{
    if (!watch->lines) {
        printf("%s: %s\n%s\n", watch->path, status_name(wrong->status), wrong->text);
        return true;
    }
    block_run_print_wrong(watch->path, wrong);
    putchar('\n');
    return line_counters_print(stdout, watch->path, watch->lines, LINE_WATCH_LINES) ||
           failure_harness(failure, "cannot read %s", watch->path);
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
    struct failure wrong = {0};
    options->watch.inspect = line_watch_inspect;
    options->watch.wrong = line_watch_wrong;
    options->watch.context = &watch;
    struct run_result *result = run_source_new(path, options, &wrong, failure);
    bool good = result;
    if (good && wrong.kind == FAILURE_STUDENT) {
        good = print_wrong(&watch, &wrong, failure);
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
    return target_options_visit(&annotate.target, &line, count, values, annotate_source, &annotate,
                                &annotate.status, failure);
}
