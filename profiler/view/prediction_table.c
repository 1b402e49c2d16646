/* prediction_table.c: see prediction_table.h. The explanations are general: each says what the
 * counter is made of, with the figures of this run.
 */
#include "view/prediction_table.h"

#include "course/exercise.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_WIDTH = 100, WHY_SIZE = 512, NUMBER_SIZE = 40 };

/* Times closer than that are the same: the model knows them no better. */
#define SAME_TIME 0.05

/* A record, and what it is compared with. */
struct prediction_run {
    const struct prediction_sheet *sheet;
    const struct record *record;
    const struct line_watch *watch; /* NULL: nothing is known of lines */
    const struct device *device;    /* emulated; NULL: a GPU */
    bool first;                     /* the record is of the lab's first exercise */
    char before_lab[64];            /* that `against` is about; "": there is none */
    const struct record *before;    /* its first exercise; NULL: it is not right yet */
};

static uint64_t count_of(const struct prediction_run *run, enum column column)
{
    const struct record_value *value = &run->record->values[column];
    return value->known ? value->count : 0;
}

/* ---- Is the sheet about this run? ---- */

static uint64_t wanted_side(const struct prediction_run *run, uint64_t side)
{
    return side ? side : run->device ? RUN_DEFAULT_SIZE : RUN_DEFAULT_SIZE_GPU;
}

/* Rows x columns, which an exercise on one row has behind each other. */
static bool is_about(const struct prediction_run *run)
{
    const struct prediction_sheet *sheet = run->sheet;
    const char *device = record_text(run->record, COLUMN_device);
    const char *loop = record_text(run->record, COLUMN_loop);
    return (!*sheet->device || !strcmp(sheet->device, device)) &&
           !strcmp(sheet->defines, record_text(run->record, COLUMN_defines)) &&
           strcmp(loop, "kernel") != 0 &&
           wanted_side(run, sheet->rows) * wanted_side(run, sheet->cols) ==
               count_of(run, COLUMN_rows) * count_of(run, COLUMN_cols) &&
           (count_of(run, COLUMN_rows) == 1 ||
            wanted_side(run, sheet->rows) == count_of(run, COLUMN_rows));
}

static void print_other_run(FILE *out, const struct prediction_run *run)
{
    const struct prediction_sheet *sheet = run->sheet;
    fprintf(out,
            "\n%s predicts %s%s%" PRIu64 " x %" PRIu64
            "%s%s, and not this run: nothing to compare\n",
            sheet->path, sheet->device, *sheet->device ? ", " : "", wanted_side(run, sheet->rows),
            wanted_side(run, sheet->cols), *sheet->defines ? ", " : "", sheet->defines);
}

/* ---- Why ---- */

__attribute__((format(printf, 2, 3))) static void append(char why[WHY_SIZE], const char *format,
                                                         ...)
{
    size_t length = strlen(why);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why + length, WHY_SIZE - length, format, arguments);
    va_end(arguments);
}

/* The line with most sectors or wavefronts of that kind of access; NULL where none is known. */
static const struct access_sums *worst_line(const struct prediction_run *run, bool shared,
                                            enum line_access access, size_t *number)
{
    const struct access_sums *worst = NULL;
    double most = 0;
    for (size_t line = 1; run->watch && run->watch->lines && line < LINE_WATCH_LINES; line++) {
        const struct line_counters *counters = &run->watch->lines[line];
        const struct access_sums *sums =
            shared ? &counters->shared[access] : &counters->global[access];
        double amount = shared ? sums->wavefronts : sums->sectors;
        if (sums->requests && amount > most) {
            most = amount;
            worst = sums;
            *number = line;
        }
    }
    return worst;
}

static void append_distance(const struct prediction_run *run, bool shared, enum line_access access,
                            char why[WHY_SIZE])
{
    size_t line = 0;
    const struct access_sums *sums = worst_line(run, shared, access, &line);
    if (sums)
        append(why, "; neighbouring threads are %" PRId64 " bytes apart (line %zu)",
               sums->distance < 0 ? -sums->distance : sums->distance, line);
}

/* Sectors or requests of global accesses. */
static void explain_global(const struct prediction_run *run, enum line_access access, bool requests,
                           char why[WHY_SIZE])
{
    size_t line = 0;
    const struct access_sums *sums = worst_line(run, false, access, &line);
    if (!count_of(run, access == LINE_LOAD ? COLUMN_global_load_requests
                                           : COLUMN_global_store_requests)) {
        append(why, ", and the kernel makes none");
    } else if (requests && sums) {
        append(why, "; a request is one access of one warp, and here moves %.4g bytes (line %zu)",
               sums->bytes / sums->requests, line);
    } else {
        append_distance(run, false, access, why);
        if (run->device && run->device->coalescing == COALESCE_SECTORS)
            append(why, ", and a sector has %zu", (size_t)run->device->sector_bytes);
    }
}

static void explain_shared(const struct prediction_run *run, enum line_access access, bool requests,
                           char why[WHY_SIZE])
{
    if (!count_of(run, access == LINE_LOAD ? COLUMN_shared_load_requests
                                           : COLUMN_shared_store_requests)) {
        append(why, ", and the kernel has no such access");
    } else if (requests) {
        append(why, "; a request is one access of one warp");
    } else {
        append_distance(run, true, access, why);
        if (run->device)
            append(why, ", and the banks begin anew every %zu",
                   (size_t)(run->device->shared_banks * run->device->shared_bank_bytes));
    }
}

static void explain_traffic(const struct prediction_run *run, char why[WHY_SIZE])
{
    append(
        why,
        "; the warps touch %.4g MB of sectors in loads and %.4g MB in stores, %.4g MB and %.4g MB "
        "of them reach the L2",
        (double)count_of(run, COLUMN_global_load_sectors) * 32 / 1e6,
        (double)count_of(run, COLUMN_global_store_sectors) * 32 / 1e6,
        (double)count_of(run, COLUMN_l2_read_bytes) / 1e6,
        (double)count_of(run, COLUMN_l2_write_bytes) / 1e6);
}

static void explain_shape(const struct prediction_run *run, char why[WHY_SIZE])
{
    append(why, "; LAB_LAUNCH asks for %" PRIu64, count_of(run, COLUMN_grid_x));
    append(why, " x %" PRIu64 " x %" PRIu64 " blocks of ", count_of(run, COLUMN_grid_y),
           count_of(run, COLUMN_grid_z));
    append(why, "%" PRIu64 " x %" PRIu64 " x %" PRIu64 " threads", count_of(run, COLUMN_block_x),
           count_of(run, COLUMN_block_y), count_of(run, COLUMN_block_z));
}

static void explain_number(const struct prediction_run *run, enum column column, char why[WHY_SIZE])
{
    switch (column) {
    case COLUMN_global_load_requests:
    case COLUMN_global_store_requests:
        explain_global(run, column == COLUMN_global_load_requests ? LINE_LOAD : LINE_STORE, true,
                       why);
        return;
    case COLUMN_global_load_sectors:
    case COLUMN_global_store_sectors:
        explain_global(run, column == COLUMN_global_load_sectors ? LINE_LOAD : LINE_STORE, false,
                       why);
        return;
    case COLUMN_shared_load_requests:
    case COLUMN_shared_store_requests:
        explain_shared(run, column == COLUMN_shared_load_requests ? LINE_LOAD : LINE_STORE, true,
                       why);
        return;
    case COLUMN_shared_load_wavefronts:
    case COLUMN_shared_load_ideal_wavefronts:
    case COLUMN_shared_load_conflicts:
        explain_shared(run, LINE_LOAD, false, why);
        return;
    case COLUMN_shared_store_wavefronts:
    case COLUMN_shared_store_ideal_wavefronts:
    case COLUMN_shared_store_conflicts:
        explain_shared(run, LINE_STORE, false, why);
        return;
    case COLUMN_l2_read_bytes:
    case COLUMN_l2_write_bytes:
        explain_traffic(run, why);
        return;
    case COLUMN_grid_x:
    case COLUMN_grid_y:
    case COLUMN_grid_z:
    case COLUMN_block_x:
    case COLUMN_block_y:
    case COLUMN_block_z:
        explain_shape(run, why);
        return;
    case COLUMN_dram_read_bytes:
    case COLUMN_dram_write_bytes:
        append(
            why, "; the matrices are worth %.4g MB, and %.4g MB cross between the SMs and the L2",
            run->record->values[COLUMN_bandwidth_gbps].real *
                run->record->values[COLUMN_time_us].real / 1e3,
            (double)(count_of(run, COLUMN_l2_read_bytes) + count_of(run, COLUMN_l2_write_bytes)) /
                1e6);
        return;
    case COLUMN_shared_bytes:
        append(why, "; %" PRIu64, count_of(run, column));
        append(why, " bytes are %" PRIu64 " words of 4, for ", count_of(run, column) / 4);
        append(why, "%" PRIu64 " x %" PRIu64 " threads", count_of(run, COLUMN_block_x),
               count_of(run, COLUMN_block_y));
        return;
    case COLUMN_partition_imbalance:
        append(why, "; 1 is even, %zu is all that moves in a while in one DRAM partition",
               run->device ? (size_t)run->device->partitions : 8);
        return;
    case COLUMN_time_us:
    case COLUMN_bandwidth_gbps:
    case COLUMN_copy_pct:
        if (run->watch && *run->watch->explanation)
            append(why, "; %s", run->watch->explanation);
        return;
    default:
        append(why, ": %s", column_describe(column)->meaning);
        return;
    }
}

/* ---- The table ---- */

/* As `tlab run` writes numbers: three or four digits, counts whole. */
static void number_print(double number, char text[NUMBER_SIZE])
{
    if (number >= 1000 || number == (double)(int64_t)number)
        snprintf(text, NUMBER_SIZE, "%.0f", number);
    else
        snprintf(text, NUMBER_SIZE, "%.3g", number);
}

/* "    ...", broken at blanks. */
static void print_wrapped(FILE *out, const char *text)
{
    while (*text) {
        size_t length = strlen(text), room = LINE_WIDTH - 4;
        if (length > room)
            for (length = room; length > 0 && text[length] != ' ';)
                length--;
        if (!length)
            length = strlen(text) < room ? strlen(text) : room;
        fprintf(out, "    %.*s\n", (int)length, text);
        text += length + (text[length] == ' ');
    }
}

/* A word against a word. */
static const char *compare_times(const struct prediction_run *run, char why[WHY_SIZE])
{
    double now = run->record->values[COLUMN_time_us].real,
           before = run->before->values[COLUMN_time_us].real;
    append(why, "; %s takes %.4g us, limited by %s, and this one %.4g us, limited by %s",
           run->before_lab, before, record_text(run->before, COLUMN_bound), now,
           record_text(run->record, COLUMN_bound));
    return now < (1 - SAME_TIME) * before   ? "faster"
           : now > (1 + SAME_TIME) * before ? "slower"
                                            : "same";
}

/* What was counted of a prediction, in `counted`; false: that is not known, and why says so. */
static bool outcome(const struct prediction_run *run, const struct prediction *prediction,
                    char counted[NUMBER_SIZE], char why[WHY_SIZE], bool *right)
{
    double value;
    snprintf(why, WHY_SIZE, "you expected %s", prediction->text);
    if (prediction->quantity.how == PREDICTION_BOUND) {
        const char *bound = record_text(run->record, COLUMN_bound);
        snprintf(counted, NUMBER_SIZE, "%s", bound);
        if (run->watch && *run->watch->explanation)
            append(why, "; the time is %s", run->watch->explanation);
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
    if (!prediction_value(&prediction->quantity, run->record, &value))
        return false;
    number_print(value, counted);
    explain_number(run, prediction->quantity.first, why);
    *right = prediction_is_right(prediction, value);
    return true;
}

static void print_unknown(FILE *out, const struct prediction_run *run,
                          const struct prediction *prediction)
{
    if (prediction->quantity.how != PREDICTION_AGAINST)
        print_wrapped(out, "not known here");
    else if (*run->before_lab)
        fprintf(out, "    %s is not right yet: there is no time to compare with\n",
                run->before_lab);
    else
        print_wrapped(out, "there is no lab before this one");
}

/* In so many columns; of a long one the end of its words goes, and the key behind them stays. */
static void print_title(FILE *out, const char *title)
{
    enum { COLUMNS = 62 };
    const char *key = strlen(title) > COLUMNS ? strrchr(title, '(') : NULL;
    const int words = key ? COLUMNS - 4 - (int)strlen(key) : 0;
    if (words > 0)
        fprintf(out, "%.*s... %s", words, title, key);
    else
        fprintf(out, "%-*.*s", COLUMNS, COLUMNS, title);
}

/* A prediction of this exercise that is filled in? */
static bool is_asked(const struct prediction_run *run, const struct prediction *prediction)
{
    return prediction->filled &&
           prediction_is_for(prediction, record_text(run->record, COLUMN_variant), run->first);
}

static void print_table(FILE *out, const struct prediction_run *run)
{
    size_t printed = 0, as_predicted = 0;
    for (size_t i = 0; i < run->sheet->count; i++) {
        const struct prediction *prediction = &run->sheet->predictions[i];
        char counted[NUMBER_SIZE] = "-", why[WHY_SIZE];
        bool right = false;
        if (!is_asked(run, prediction))
            continue;
        if (!printed++)
            fprintf(out, "\n%-62.62s %15s %15s\n", record_text(run->record, COLUMN_variant),
                    "predicted", "counted");
        bool known = outcome(run, prediction, counted, why, &right);
        print_title(out, prediction->quantity.title);
        fprintf(out, " %15s %15s\n", prediction->text, counted);
        as_predicted += right;
        if (!known)
            print_unknown(out, run, prediction);
        else if (!right)
            print_wrapped(out, why);
    }
    fprintf(out, "%zu of %zu as predicted\n", as_predicted, printed);
}

/* ---- The lab before ---- */

/* The first exercise of the lab in a directory, a path to be freed with the list; NULL: none. */
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

/* Run it, and compare with its record where it is right. False: a harness failure. */
static bool run_before(const char *path, const struct run_options *options,
                       struct prediction_run *run, struct run_result *result,
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
    bool good = !first || run_source(first, &same, result, &wrong) ||
                failure_harness(failure, "%s: %s", first, wrong.text);
    if (good && first && wrong.kind == FAILURE_NONE)
        run->before = &result->records[0];
    exercise_free_sources(sources, count);
    return good;
}

bool prediction_table_print(FILE *out, const char *path, const struct prediction_sheet *sheet,
                            const struct record *record, const struct line_watch *watch,
                            const struct run_options *options, struct failure *failure)
{
    struct prediction_run run = {
        .sheet = sheet, .record = record, .watch = watch, .device = options->device};
    bool asked = false, against = false, good = true;
    if (!sheet->count || strcmp(record_text(record, COLUMN_status), "ok") != 0)
        return true;
    run.first = is_first_source(path);
    for (size_t i = 0; i < sheet->count; i++)
        if (is_asked(&run, &sheet->predictions[i])) {
            asked = true;
            against |= sheet->predictions[i].quantity.how == PREDICTION_AGAINST;
        }
    if (!asked)
        return true;
    if (!is_about(&run)) {
        print_other_run(out, &run);
        return true;
    }
    struct run_result *result = malloc(sizeof *result);
    if (!result)
        return failure_harness(failure, "not enough memory");
    if (against)
        good = run_before(path, options, &run, result, failure);
    if (good)
        print_table(out, &run);
    free(result);
    return good;
}
