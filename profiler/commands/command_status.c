/* command_status.c: tlab status [DIRECTORY...]: one line per lab of a course. */
#include "base/wording.h"
#include "commands/command.h"
#include "course/exercise.h"
#include "run/target_options.h"
#include "view/changes.h"
#include "view/hint.h"
#include "view/lab_run.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char about[] =
    "Prints one line for each lab of a directory (default: labs): the verdict, the goals\n"
    "reached, the highest percentage of the copy's bandwidth that a correct version reached,\n"
    "a bar for each of the last versions, and the effect of the last change. A lab that has\n"
    "not changed since its last run is not run again.\n\n"
    "Runs are saved in $XDG_STATE_HOME/transpose-lab, or ~/.local/state/transpose-lab.\n";

/* Get the record of a file's current version, from the history or by running it, on the device and
 * at the size of its lab. */
static bool find_now(const char *path, const struct target_options *all,
                     struct run_history *history, struct record *now, struct failure *failure)
{
    struct target_options options = *all;
    struct usual_run usual;
    if (!exercise_find_usual_run(path, &usual, failure) ||
        !target_options_take_usual(&options, &usual, failure))
        return false;
    history_load(path, history);
    const struct record *newest = history->count ? &history->records[history->count - 1] : NULL;
    if (newest && history->is_current &&
        !strcmp(record_text(newest, COLUMN_device), options.device.name) &&
        newest->values[COLUMN_rows].count * newest->values[COLUMN_cols].count ==
            (usual.rows ? usual.rows * usual.cols : RUN_DEFAULT_SIZE * RUN_DEFAULT_SIZE) &&
        !*record_text(newest, COLUMN_defines) &&
        !strcmp(record_text(newest, COLUMN_loop), "launch")) {
        *now = *newest;
        return true;
    }
    struct lab_run run;
    bool good = lab_run_do(&run, path, &options.run, failure);
    if (good) {
        *now = *lab_run_record(&run);
        history_add(path, now);
        history_free(history);
        history_load(path, history);
    }
    lab_run_free(&run);
    return good;
}

/* The verdict in one or two words. */
static const char *describe(const struct record *now)
{
    return record_is_right(now)     ? "correct"
           : hint_is_untouched(now) ? "not started"
                                    : record_text(now, COLUMN_status);
}

/* Append a bar for each saved correct run on the device of `now`, at most the last eight: its share
 * of the copy. */
static void append_spark(const struct run_history *history, const struct record *now, char *text,
                         size_t size)
{
    static const char *const bars[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const enum column same[] = {COLUMN_device, COLUMN_rows, COLUMN_cols, COLUMN_defines};
    enum { BARS = sizeof bars / sizeof *bars };
    size_t used = 0;
    double share[HISTORY_MAX];
    for (size_t i = 0; i < history->count; i++) {
        const struct record *record = &history->records[i];
        if (record_is_right(record) && record->values[COLUMN_copy_pct].known &&
            record_same(record, now, same, sizeof same / sizeof *same))
            share[used++] = record->values[COLUMN_copy_pct].real;
    }
    for (size_t i = used > BARS ? used - BARS : 0; used > 1 && i < used; i++) {
        const double level = share[i] / 100 * BARS;
        text_append(text, size, "%s",
                    bars[!(level > 0)   ? 0
                         : level < BARS ? (size_t)level
                                        : BARS - 1]);
    }
}

static void print_row(const struct record *now, const struct run_history *history)
{
    const struct record *best = history_best(history, now);
    const struct record *before = history_previous(history, now);
    const struct record_value *values = now->values;
    char name[256], goals[32] = "-", share[32] = "-", change[256] = "", spark[64] = "";
    lab_run_name(now, name, sizeof name);
    const bool right = record_is_right(now);
    if (right && values[COLUMN_goals].known)
        snprintf(goals, sizeof goals, "%d of %d", (int)values[COLUMN_goals_reached].count,
                 (int)values[COLUMN_goals].count);
    append_spark(history, now, spark, sizeof spark);
    if (best)
        snprintf(share, sizeof share, "%.1f %%", best->values[COLUMN_copy_pct].real);
    if (before)
        changes_summarize(before, now, change, sizeof change);
    printf("%-24s %-14s %8s %10s  %s%s%s\n", name, describe(now), goals, share, spark,
           *spark && *change ? " " : "", change);
}

struct totals {
    struct target_options *options;
    unsigned labs, right;
    uint64_t goals, reached;
};

static bool show_source(void *context, const char *path, struct failure *failure)
{
    struct totals *totals = context;
    struct run_history history = {0};
    struct record now;
    const bool is_terminal = isatty(STDOUT_FILENO) && isatty(STDERR_FILENO);
    if (is_terminal)
        fprintf(stderr, "\r%-40.40s\r", path);
    bool good = find_now(path, totals->options, &history, &now, failure);
    if (is_terminal)
        fprintf(stderr, "\r%40s\r", "");
    if (good) {
        print_row(&now, &history);
        totals->labs++;
        totals->right += record_is_right(&now);
        totals->goals += now.values[COLUMN_goals].known ? now.values[COLUMN_goals].count : 0;
        totals->reached +=
            now.values[COLUMN_goals_reached].known ? now.values[COLUMN_goals_reached].count : 0;
        fflush(stdout);
    }
    history_free(&history);
    return good;
}

/* A lab's directory has a manifest. */
static bool is_lab(const char *directory)
{
    char path[PATH_SIZE];
    return snprintf(path, sizeof path, "%s/lab.conf", directory) < PATH_SIZE && !access(path, R_OK);
}

/* A lab, or a directory of labs. */
static bool show_directory(const char *directory, struct totals *totals, struct failure *failure)
{
    struct dirent **entries;
    if (is_lab(directory))
        return exercise_visit_sources(directory, show_source, totals, failure);
    int count = scandir(directory, &entries, NULL, alphasort);
    if (count < 0)
        return failure_harness(failure, "%s is not a directory of labs: %m", directory);
    bool good = true, any = false;
    for (int i = 0; i < count; i++) {
        char path[PATH_SIZE];
        if (good &&
            snprintf(path, sizeof path, "%s/%s", directory, entries[i]->d_name) < PATH_SIZE &&
            entries[i]->d_name[0] != '.' && is_lab(path)) {
            good = exercise_visit_sources(path, show_source, totals, failure);
            any = true;
        }
        free(entries[i]);
    }
    free(entries);
    return good && (any || failure_harness(failure, "%s has no lab (a directory with a lab.conf)",
                                           directory));
}

static bool show_status(struct target_options *options, struct failure *failure)
{
    struct totals totals = {.options = options};
    char labs[PATH_SIZE];
    const char *usual = labs;
    const char **directories = options->targets.count ? options->targets.words : &usual;
    if (!paths_in_root("labs", labs, failure))
        return false;
    printf("%-24s %-14s %8s %10s  %s\n", "lab", "verdict", "goals", "% of copy", "last change");
    for (size_t i = 0; i < (options->targets.count ? options->targets.count : 1); i++)
        if (!show_directory(directories[i], &totals, failure))
            return false;
    printf("\n%u of %u labs correct, %llu of %llu goals reached; %% of copy is modelled, on %s\n",
           totals.right, totals.labs, (unsigned long long)totals.reached,
           (unsigned long long)totals.goals,
           options->device_name ? options->device_name : "the device of each lab");
    return true;
}

int command_status(int count, char **values, struct failure *failure)
{
    struct target_options options = target_options_default();
    bool helped;
    const struct option_row rows[] = {
        TARGET_DEVICE_ROW(&options),
    };
    const struct command_line line = {"status", "[DIRECTORY...] [OPTION...]", about, ROWS(rows),
                                      .operands = &options.targets};
    bool good = command_line_parse(&line, count, values, &helped, failure);
    if (good && !helped)
        good = show_status(&options, failure);
    target_options_free(&options);
    return good ? 0 : 2;
}
