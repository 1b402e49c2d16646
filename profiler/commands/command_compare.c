/* command_compare.c: tlab compare A B: compare two kernels, two versions of a lab, or two CSV
 * files. The tolerances come from the repeatability of hardware counters (docs/gpu-counters.md). */
#include "base/paths.h"
#include "base/wording.h"
#include "commands/command.h"
#include "run/target_options.h"
#include "view/changes.h"
#include "view/lab_run.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char about[] =
    "With two kernels (labs or .cu files), runs both and prints each counter that differs. With\n"
    "one kernel, compares it with the last run of its previous version. (Runs are saved in\n"
    "$XDG_STATE_HOME/transpose-lab, or ~/.local/state/transpose-lab.) The exit status is 1 if a\n"
    "kernel is incorrect.\n\n"
    "With two CSV files, pairs their runs (same lab, kernel, size and macros) and prints each\n"
    "counter with the deviation of B from A. The exit status is 1 if a deviation exceeds its\n"
    "tolerance.\n";

/* The number of bank conflicts varies by 1.5 % for the unpadded tile on an H200. */
#define CONFLICT_NOISE 0.02

enum rule {
    RULE_EXACT,
    RULE_SHARE,
    RULE_CONFLICTS, /* `tolerance` is relative to the ideal number of wavefronts */
};

static const struct comparison {
    enum column column, reference;
    enum rule rule;
    double tolerance;
} comparisons[] = {
    {COLUMN_global_load_requests, COLUMN_COUNT, RULE_EXACT, 0},
    {COLUMN_global_load_sectors, COLUMN_COUNT, RULE_EXACT, 0},
    {COLUMN_global_store_requests, COLUMN_COUNT, RULE_EXACT, 0},
    {COLUMN_global_store_sectors, COLUMN_COUNT, RULE_EXACT, 0},
    {COLUMN_shared_load_ideal_wavefronts, COLUMN_COUNT, RULE_EXACT, 0},
    {COLUMN_shared_load_conflicts, COLUMN_shared_load_ideal_wavefronts, RULE_CONFLICTS, 0.2},
    {COLUMN_shared_store_ideal_wavefronts, COLUMN_COUNT, RULE_EXACT, 0},
    {COLUMN_shared_store_conflicts, COLUMN_shared_store_ideal_wavefronts, RULE_CONFLICTS, 0.2},
    {COLUMN_l2_read_bytes, COLUMN_COUNT, RULE_SHARE, 0.01},
    {COLUMN_l2_write_bytes, COLUMN_COUNT, RULE_SHARE, 0.10},
    {COLUMN_dram_read_bytes, COLUMN_COUNT, RULE_SHARE, 0.05},
    {COLUMN_dram_write_bytes, COLUMN_COUNT, RULE_SHARE, 0.25},
    {COLUMN_time_us, COLUMN_COUNT, RULE_SHARE, 0.15},
};

/* Returns true if the columns that identify a run are equal. An unknown value matches any value. */
static bool same_run(const struct record *a, const struct record *b)
{
    static const enum column keys[] = {
        COLUMN_lab,     COLUMN_variant, COLUMN_kernel,  COLUMN_rows, COLUMN_cols, COLUMN_block_x,
        COLUMN_block_y, COLUMN_block_z, COLUMN_defines, COLUMN_loop, COLUMN_cache};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (a->values[keys[i]].known && b->values[keys[i]].known && !record_same(a, b, &keys[i], 1))
            return false;
    return true;
}

static double value_of(const struct record *record, enum column column)
{
    double value;
    return record_number(record, column, &value) ? value : 0;
}

static bool is_within(const struct comparison *comparison, const struct record *a, double x,
                      double y)
{
    switch (comparison->rule) {
    case RULE_EXACT:
        return x == y;
    case RULE_SHARE:
        return fabs(y - x) <= comparison->tolerance * fabs(x);
    case RULE_CONFLICTS:
        if (!a->values[comparison->reference].known)
            return x == y;
        return fabs(y - x) <= comparison->tolerance * value_of(a, comparison->reference) ||
               fabs(y - x) <= CONFLICT_NOISE * x;
    }
    return false;
}

static const char *text_of(const struct record *record, enum column column)
{
    return record->values[column].known ? record_text(record, column) : "NA";
}

static unsigned compare_pair(const struct record *a, const struct record *b, bool markdown)
{
    unsigned exceeding = 0;
    printf(markdown ? "\n### %s, %s, %.0f x %.0f: %s (%s) against %s (%s)\n\n"
                      "| counter | %s | %s | deviation | tolerance | |\n"
                      "|---|---:|---:|---:|---|---|\n"
                    : "\n%s, %s, %.0f x %.0f: %s (%s) against %s (%s)\n",
           text_of(a, COLUMN_lab), text_of(a, COLUMN_variant), value_of(a, COLUMN_rows),
           value_of(a, COLUMN_cols), text_of(b, COLUMN_device), text_of(b, COLUMN_source),
           text_of(a, COLUMN_device), text_of(a, COLUMN_source), text_of(a, COLUMN_source),
           text_of(b, COLUMN_source));
    for (size_t i = 0; i < sizeof comparisons / sizeof *comparisons; i++) {
        const struct comparison *comparison = &comparisons[i];
        const char *name = column_describe(comparison->column)->name;
        if (!a->values[comparison->column].known || !b->values[comparison->column].known)
            continue;
        double x = value_of(a, comparison->column), y = value_of(b, comparison->column);
        char deviation[32], tolerance[32] = "exact";
        snprintf(deviation, sizeof deviation,
                 x == y   ? "0 %%"
                 : x == 0 ? "%+.0f"
                          : "%+.2f %%",
                 x == 0 ? y : 100 * (y - x) / x);
        if (comparison->rule != RULE_EXACT)
            snprintf(tolerance, sizeof tolerance, "%g %%%s", 100 * comparison->tolerance,
                     comparison->rule == RULE_CONFLICTS ? " of ideal, or 2 %" : "");
        bool within = is_within(comparison, a, x, y);
        exceeding += !within;
        printf(markdown ? "| %s | %.10g | %.10g | %s | %s | %s |\n"
                        : "  %-32s %14.10g %14.10g %12s  %-20s %s\n",
               name, x, y, deviation, tolerance, within ? "" : "exceeded");
    }
    return exceeding;
}

static bool compare_files(const char *first, const char *second, bool markdown, int *status,
                          struct failure *failure)
{
    struct record *a = NULL, *b = NULL;
    size_t a_count = 0, b_count = 0, pairs = 0;
    unsigned exceeding = 0;
    bool good =
        records_load(first, &a, &a_count, failure) && records_load(second, &b, &b_count, failure);
    for (size_t i = 0; good && i < a_count; i++)
        for (size_t k = 0; k < b_count; k++) {
            if (!same_run(&a[i], &b[k]) || !record_is_right(&a[i]) || !record_is_right(&b[k]))
                continue;
            exceeding += compare_pair(&a[i], &b[k], markdown);
            pairs++;
            break;
        }
    free(a);
    free(b);
    if (good && !pairs)
        return failure_harness(
            failure,
            "%s and %s have no verified run in common (same lab, variant, kernel, "
            "size, block, macros, loop and cache)",
            first, second);
    if (good)
        printf("\n%zu run%s compared; %u counter%s exceed%s the tolerance\n", pairs,
               plural((double)pairs), exceeding, plural(exceeding), exceeding == 1 ? "s" : "");
    *status = exceeding != 0;
    return good;
}

static bool run_target(const char *target, struct target_options *options, struct lab_run *lab,
                       char **path, struct failure *failure)
{
    *path = block_run_source(target, failure);
    if (!*path || !lab_run_do(lab, *path, &options->run, failure))
        return false;
    printf("%s\n", *path);
    lab_run_print_verdict(stdout, lab);
    return true;
}

static void print_changes(const struct record *before, const struct record *now, const char *of)
{
    printf("\n%s, %" PRIu64 " x %" PRIu64 " on %s\n", of, now->values[COLUMN_rows].count,
           now->values[COLUMN_cols].count, record_text(now, COLUMN_device));
    if (!changes_print(stdout, before, now))
        puts("  no counter differs");
}

static bool compare_kernels(struct target_options *options, int *status, struct failure *failure)
{
    const size_t count = options->targets.count;
    struct lab_run lab[2] = {0};
    struct run_history history = {0};
    char *path[2] = {0};
    bool good = true;
    for (size_t i = 0; i < count && good; i++) {
        good = run_target(options->targets.words[i], options, &lab[i], &path[i], failure);
        *status |= good ? failure_exit_status(&lab[i].wrong) : 0;
    }
    if (good) {
        const struct record *first = lab_run_record(&lab[0]), *before = NULL;
        if (count == 1) {
            history_load(path[0], &history);
            before = history_previous(&history, first);
        }
        if (count == 2)
            print_changes(first, lab_run_record(&lab[1]), "first -> second");
        else if (before)
            print_changes(before, first, "before -> now");
        else
            printf("\nNo other version of this kernel was run at this size on %s: there is "
                   "nothing to compare with yet. Change the kernel and run it again.\n",
                   record_text(first, COLUMN_device));
    }
    for (size_t i = 0; i < count; i++) {
        if (good)
            history_add(path[i], lab_run_record(&lab[i]));
        lab_run_free(&lab[i]);
        free(path[i]);
    }
    history_free(&history);
    return good;
}

static bool is_csv(const char *name)
{
    struct stat file;
    return text_ends_with(name, ".csv") ||
           (!text_ends_with(name, ".cu") && !stat(name, &file) && !S_ISDIR(file.st_mode));
}

int command_compare(int count, char **values, struct failure *failure)
{
    struct target_options options = target_options_default();
    const struct word_list *targets = &options.targets;
    bool markdown = false;
    int status = 0;
    const struct option_row rows[] = {
        FLAG_ROW("markdown", &markdown, "for CSV files: print Markdown tables"),
        HEADING_ROW("For kernels"),
        TARGET_ROWS(&options),
    };
    const struct command_line line = {"compare", "TARGET [TARGET] | A.csv B.csv [OPTION...]", about,
                                      ROWS(rows)};
    bool good = target_options_parse(&options, &line, count, values, failure);
    unsigned csv = 0;
    for (size_t i = 0; i < targets->count; i++)
        csv += is_csv(targets->words[i]);
    if (good && targets->count > 2)
        good = failure_harness(failure,
                               "tlab compare accepts two kernels or two CSV files; remove `%s`",
                               targets->words[2]);
    else if (good && csv && targets->count < 2)
        good = failure_harness(failure,
                               "tlab compare requires two CSV files; see `tlab compare --help`");
    else if (good && csv == 1)
        good = failure_harness(
            failure,
            "tlab compare accepts two kernels or two CSV files, not a kernel and a CSV file");
    else if (good && csv)
        good = compare_files(targets->words[0], targets->words[1], markdown, &status, failure);
    else
        good = good && target_options_find_device(&options, failure) &&
               compare_kernels(&options, &status, failure);
    target_options_free(&options);
    return good ? status : 2;
}
