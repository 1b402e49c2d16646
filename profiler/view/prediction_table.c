#include "view/prediction_table.h"

#include "base/wording.h"
#include "course/exercise.h"
#include "view/explain.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { WHY_SIZE = 512, NUMBER_SIZE = EXPLAIN_NUMBER_SIZE };

/* Times that differ by at most this fraction are equal, because the model is not more precise. */
#define SAME_TIME 0.05

struct prediction_run {
    const struct prediction_sheet *sheet;
    struct explained_run is;
    struct usual_run usual;
    bool first;
    char before_lab[64]; /* The lab of the question `against`; "" if there is none. */
    /* Record of the first exercise of before_lab; NULL if the exercise is not correct yet. */
    const struct record *before;
};

static uint64_t side_or_default(const struct prediction_run *run, uint64_t side, uint64_t usual)
{
    return side ? side : !run->is.device ? RUN_DEFAULT_SIZE_GPU : usual ? usual : RUN_DEFAULT_SIZE;
}

/* Returns true if the worksheet is for this run. In a matrix of one row, only rows x cols count. */
static bool is_about(const struct prediction_run *run)
{
    const struct prediction_sheet *sheet = run->sheet;
    const struct record_value *values = run->is.record->values;
    const char *device = record_text(run->is.record, COLUMN_device);
    const char *loop = record_text(run->is.record, COLUMN_loop);
    return (!*sheet->device || !strcmp(sheet->device, device)) &&
           !strcmp(sheet->defines, record_text(run->is.record, COLUMN_defines)) &&
           strcmp(loop, "kernel") != 0 &&
           side_or_default(run, sheet->rows, run->usual.rows) *
                   side_or_default(run, sheet->cols, run->usual.cols) ==
               values[COLUMN_rows].count * values[COLUMN_cols].count &&
           (values[COLUMN_rows].count == 1 ||
            side_or_default(run, sheet->rows, run->usual.rows) == values[COLUMN_rows].count);
}

static void print_other_run(FILE *out, const struct prediction_run *run)
{
    const struct prediction_sheet *sheet = run->sheet;
    fprintf(out,
            "\n%s predicts the run %s%s%" PRIu64 " x %" PRIu64
            "%s%s, not this run. To compare, select that run with --device, --rows, --cols, -D\n",
            sheet->path, sheet->device, *sheet->device ? ", " : "",
            side_or_default(run, sheet->rows, run->usual.rows),
            side_or_default(run, sheet->cols, run->usual.cols), *sheet->defines ? ", " : "",
            sheet->defines);
}

static const char *compare_times(const struct prediction_run *run, char why[WHY_SIZE])
{
    double now = run->is.record->values[COLUMN_time_us].real,
           before = run->before->values[COLUMN_time_us].real;
    text_append(why, WHY_SIZE,
                "; %s takes %.4g us, limited by %s, and this lab takes %.4g us, limited by %s",
                run->before_lab, before, record_text(run->before, COLUMN_bound), now,
                record_text(run->is.record, COLUMN_bound));
    return now < (1 - SAME_TIME) * before   ? "faster"
           : now > (1 + SAME_TIME) * before ? "slower"
                                            : "same";
}

/* Set the counted value, its explanation, and *right. Returns false if the value is unknown. */
static bool outcome(const struct prediction_run *run, const struct prediction *prediction,
                    char counted[NUMBER_SIZE], char why[WHY_SIZE], bool *right)
{
    double value;
    snprintf(why, WHY_SIZE, "you predicted %s", prediction->text);
    if (prediction->quantity.how == PREDICTION_BOUND) {
        const char *bound = record_text(run->is.record, COLUMN_bound);
        snprintf(counted, NUMBER_SIZE, "%s", bound);
        if (run->is.watch && *run->is.watch->explanation)
            text_append(why, WHY_SIZE, "; the time is %s", run->is.watch->explanation);
        *right = !strcmp(bound, prediction->text);
        return *bound;
    }
    if (prediction->quantity.how == PREDICTION_AGAINST) {
        if (!run->before)
            return false;
        snprintf(counted, NUMBER_SIZE, "%s", compare_times(run, why));
        *right = !strcmp(counted, prediction->text);
        return true;
    }
    if (!prediction_value(&prediction->quantity, run->is.record, &value))
        return false;
    explain_number(value, counted);
    explain_column(&run->is, prediction->quantity.first, why, WHY_SIZE);
    *right = prediction_is_right(prediction, value);
    return true;
}

static void print_unknown(FILE *out, const struct prediction_run *run,
                          const struct prediction *prediction)
{
    if (prediction->quantity.how != PREDICTION_AGAINST)
        fputs("    not available in this run\n", out);
    else if (*run->before_lab)
        fprintf(out, "    %s is not correct yet, so its time is not available for the comparison\n",
                run->before_lab);
    else
        fputs("    there is no earlier lab to compare with\n", out);
}

/* Print the title in COLUMNS columns. In a longer title, "..." replaces words before the key. */
static void print_title(FILE *out, const char *title)
{
    enum { COLUMNS = 60 };
    const char *key = strlen(title) > COLUMNS ? strrchr(title, '(') : NULL;
    const int words = key ? COLUMNS - 4 - (int)strlen(key) : 0;
    if (words > 0)
        fprintf(out, "%.*s... %s", words, title, key);
    else
        fprintf(out, "%-*.*s", COLUMNS, COLUMNS, title);
}

static bool is_requested(const struct prediction_run *run, const struct prediction *prediction)
{
    return prediction->filled &&
           prediction_is_for(prediction, record_text(run->is.record, COLUMN_variant), run->first);
}

static void print_table(FILE *out, const struct prediction_run *run)
{
    size_t printed = 0, as_predicted = 0;
    for (size_t i = 0; i < run->sheet->count; i++) {
        const struct prediction *prediction = &run->sheet->predictions[i];
        char counted[NUMBER_SIZE] = "-", why[WHY_SIZE];
        bool right = false;
        if (!is_requested(run, prediction))
            continue;
        if (!printed++)
            fprintf(out, "\n%-60.60s %13s %13s\n", record_text(run->is.record, COLUMN_variant),
                    "predicted", "counted");
        bool known = outcome(run, prediction, counted, why, &right);
        print_title(out, prediction->quantity.title);
        fprintf(out, " %13s %13s  %s\n", prediction->text, counted,
                !known  ? "-"
                : right ? "correct"
                        : "incorrect");
        as_predicted += right;
        if (!known)
            print_unknown(out, run, prediction);
        else if (!right)
            text_wrap(out, "    ", why, 4);
    }
    fprintf(out, "%zu of %zu value%s as predicted\n", as_predicted, printed,
            plural((double)printed));
}

static const char *first_source(const char *directory, char ***sources, size_t *count)
{
    struct failure none = {0};
    return exercise_list_sources(directory, sources, count, &none) ? (*sources)[0] : NULL;
}

static bool is_first_source(const char *path)
{
    char directory[PATH_SIZE];
    char **sources = NULL;
    size_t count = 0;
    snprintf(directory, sizeof directory, "%.*s.", (int)(path_basename(path) - path), path);
    const char *first = first_source(directory, &sources, &count);
    bool is_first = !first || !strcmp(path_basename(first), path_basename(path));
    exercise_free_sources(sources, count);
    return is_first;
}

static bool run_before(const char *path, const struct run_options *options,
                       struct prediction_run *run, struct run_result **result,
                       struct failure *failure)
{
    char directory[PATH_SIZE];
    char **sources = NULL;
    size_t count = 0;
    struct run_options same = *options;
    struct failure wrong = {0};
    memset(&same.watch, 0, sizeof same.watch);
    if (!exercise_find_before(path, run->sheet->before, directory))
        return true;
    snprintf(run->before_lab, sizeof run->before_lab, "%s", path_basename(directory));
    const char *first = first_source(directory, &sources, &count);
    if (first)
        *result = run_source_new(first, &same, &wrong, failure);
    if (*result && wrong.kind == FAILURE_NONE)
        run->before = &(*result)->records[0];
    exercise_free_sources(sources, count);
    return !first || *result;
}

bool prediction_table_print(FILE *out, const char *path, const struct prediction_sheet *sheet,
                            const struct record *record, const struct line_watch *watch,
                            const struct run_options *options, struct failure *failure)
{
    struct prediction_run run = {.sheet = sheet, .is = {record, watch, options->device}};
    bool requested = false, against = false, good = true;
    if (!sheet->count || !record_is_right(record))
        return true;
    run.first = is_first_source(path);
    exercise_find_usual_run(path, &run.usual, &(struct failure){0});
    for (size_t i = 0; i < sheet->count; i++)
        if (is_requested(&run, &sheet->predictions[i])) {
            requested = true;
            against |= sheet->predictions[i].quantity.how == PREDICTION_AGAINST;
        }
    if (!requested)
        return true;
    if (!is_about(&run)) {
        print_other_run(out, &run);
        return true;
    }
    struct run_result *result = NULL;
    if (against)
        good = run_before(path, options, &run, &result, failure);
    if (good)
        print_table(out, &run);
    free(result);
    return good;
}
