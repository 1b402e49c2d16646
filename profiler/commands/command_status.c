/* command_status.c: tlab status [DIRECTORY...]: one line per lab of a course. */
#include "base/array.h"
#include "base/wording.h"
#include "commands/command.h"
#include "course/exercise.h"
#include "course/target.h"
#include "process/parallel.h"
#include "process/pool.h"
#include "run/target_options.h"
#include "view/changes.h"
#include "view/lab_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static const char about[] =
    "Prints one line for each lab of a directory (default: labs). The line has the verdict, the\n"
    "number of goals reached, and the highest percentage of the copy's bandwidth that a correct\n"
    "version reached. The line ends with a bar for each of the last versions, and the effect of\n"
    "the last change. A lab is run again only if its files or tlab itself have changed since its\n"
    "last run.\n\n"
    "Runs are saved in $XDG_STATE_HOME/transpose-lab, or ~/.local/state/transpose-lab.\n";

/* Set *now to the record of the current file at the usual size. If none is saved, run the file. */
static bool find_now(const char *path, const struct target_options *all, struct record *now,
                     struct failure *failure)
{
    struct target_options options = *all;
    struct usual_run usual;
    struct run_history history;
    if (!exercise_find_usual_run(path, &usual, failure) ||
        !target_options_take_usual(&options, &usual, failure))
        return false;
    history_load(path, &history);
    const struct record *newest = history.count ? &history.records[history.count - 1] : NULL;
    const bool is_known =
        newest && history.is_current &&
        !strcmp(record_text(newest, COLUMN_device), options.device.name) &&
        newest->values[COLUMN_rows].count * newest->values[COLUMN_cols].count ==
            (usual.rows ? usual.rows * usual.cols : RUN_DEFAULT_SIZE * RUN_DEFAULT_SIZE) &&
        !*record_text(newest, COLUMN_defines) &&
        !strcmp(record_text(newest, COLUMN_loop), "launch");
    if (is_known)
        *now = *newest;
    history_free(&history);
    if (is_known)
        return true;
    struct lab_run run;
    const bool good = lab_run_do(&run, path, &options.run, failure);
    if (good) {
        *now = *lab_run_record(&run);
        history_add(path, now);
    }
    lab_run_free(&run);
    return good;
}

static const char *describe(const struct record *now)
{
    return record_is_right(now)                 ? "correct"
           : record_has(now, FINDING_NOT_BEGUN) ? "not started"
                                                : record_text(now, COLUMN_status);
}

/* Append bars of the last eight comparable correct runs: their shares of a copy's bandwidth. */
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

enum { RUN_SECONDS = 1800 };

struct totals {
    struct target_options *options;
    char **paths;
    size_t count;
    struct record *records;
};

static bool add_source(void *context, const char *path, struct failure *failure)
{
    struct totals *totals = context;
    if (!array_make_room(&totals->paths, totals->count, sizeof *totals->paths) ||
        !(totals->paths[totals->count] = strdup(path)))
        return failure_harness(failure, "not enough memory");
    totals->count++;
    return true;
}

static bool find_lab(void *context, size_t task, struct failure *failure)
{
    struct totals *totals = context;
    return find_now(totals->paths[task], totals->options, &totals->records[task], failure);
}

static bool pass_failure(void *context, size_t task, const struct failure *why,
                         struct failure *failure)
{
    const struct totals *totals = context;
    return why->kind == FAILURE_NONE ||
           failure_harness(failure, "%s: %s", totals->paths[task], why->text);
}

static void show_labs(const struct totals *totals)
{
    unsigned right = 0;
    uint64_t goals = 0, reached = 0;
    printf("%-24s %-14s %8s %10s  %s\n", "lab", "verdict", "goals", "% of copy", "last change");
    for (size_t i = 0; i < totals->count; i++) {
        const struct record *now = &totals->records[i];
        const struct record_value *values = now->values;
        struct run_history history;
        history_load(totals->paths[i], &history);
        print_row(now, &history);
        history_free(&history);
        right += record_is_right(now);
        goals += values[COLUMN_goals].known ? values[COLUMN_goals].count : 0;
        reached += values[COLUMN_goals_reached].known ? values[COLUMN_goals_reached].count : 0;
    }
    printf("\n%u of %zu labs correct, %" PRIu64 " of %" PRIu64
           " goals reached; \"%% of copy\" is modelled, on %s\n",
           right, totals->count, reached, goals,
           totals->options->device_name ? totals->options->device_name : "the device of each lab");
}

static bool add_directory(const char *directory, struct totals *totals, struct failure *failure)
{
    struct dirent **entries;
    char manifest[PATH_SIZE], path[PATH_SIZE];
    if (target_manifest(directory, NULL, manifest))
        return exercise_visit_sources(directory, add_source, totals, failure);
    int count = directory_list(directory, NULL, &entries);
    if (count < 0)
        return failure_harness(failure, "%s is not a directory of labs: %m", directory);
    bool good = true, any = false;
    for (int i = 0; i < count && good; i++)
        if (target_manifest(directory, entries[i]->d_name, manifest)) {
            any = true;
            good = path_format(path, failure, "%s/%s", directory, entries[i]->d_name) &&
                   exercise_visit_sources(path, add_source, totals, failure);
        }
    directory_free(entries, count);
    return good && (any || failure_harness(failure, "%s has no lab (a directory with a lab.conf)",
                                           directory));
}

static bool show_status(struct totals *totals, struct failure *failure)
{
    const size_t bytes = totals->count * sizeof *totals->records;
    const unsigned processors = parallel_processors();
    const struct pool pool = {.count = totals->count,
                              .jobs =
                                  processors < totals->count ? processors : (unsigned)totals->count,
                              .seconds = RUN_SECONDS,
                              .context = totals,
                              .work = find_lab,
                              .finished = pass_failure};
    totals->options->run.workers = processors / pool.jobs;
    totals->records = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (totals->records == MAP_FAILED)
        return failure_harness(failure, "not enough memory");
    const bool good = pool_run(&pool, failure);
    if (good)
        show_labs(totals);
    munmap(totals->records, bytes);
    return good;
}

static bool show_directories(struct target_options *options, struct failure *failure)
{
    struct totals totals = {.options = options};
    char labs[PATH_SIZE];
    const char *usual = labs;
    const char **directories = options->targets.count ? options->targets.words : &usual;
    bool good = paths_in_root("labs", labs, failure);
    for (size_t i = 0; good && i < (options->targets.count ? options->targets.count : 1); i++)
        good = add_directory(directories[i], &totals, failure);
    good = good && show_status(&totals, failure);
    for (size_t i = 0; i < totals.count; i++)
        free(totals.paths[i]);
    free(totals.paths);
    return good;
}

int command_status(int count, char **values, struct failure *failure)
{
    struct target_options options = target_options_default();
    const struct option_row rows[] = {
        TARGET_DEVICE_ROW(&options),
    };
    const struct command_line line = {"status", "[DIRECTORY...] [OPTION...]", about, ROWS(rows),
                                      .operands = &options.targets};
    const bool good =
        command_line_parse(&line, count, values, failure) && show_directories(&options, failure);
    target_options_free(&options);
    return good ? 0 : 2;
}
