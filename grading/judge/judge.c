/* judge.c: see judge.h. */
#include "judge/judge.h"

#include "judge/json_text.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Text that grows ---- */

enum { TEXT_SIZE = 16384 };

struct text {
    char bytes[TEXT_SIZE];
    size_t length;
};

static void text_add(struct text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void text_add(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text->bytes + text->length, TEXT_SIZE - text->length, format, arguments);
    va_end(arguments);
    if (length > 0)
        text->length += (size_t)length < TEXT_SIZE - text->length ? (size_t)length
                                                                  : TEXT_SIZE - 1 - text->length;
}

/* "out_of_bounds" as words. */
static const char *status_words(enum status status, char words[32])
{
    snprintf(words, 32, "%s", status_name(status));
    for (char *c = words; *c; c++)
        if (*c == '_')
            *c = ' ';
    return words;
}

void judge_redact(const char *reason, char *text, size_t size)
{
    unsigned long rows, cols;
    int prefix = 0;
    size_t used = 0;
    if (sscanf(reason, "at %lu x %lu: %n", &rows, &cols, &prefix) == 2)
        reason += prefix;
    for (const char *c = reason; *c && *c != '\n' && used + 1 < size;) {
        if (isdigit((unsigned char)*c)) {
            text[used++] = 'N';
            while (isdigit((unsigned char)*c) || (*c == '.' && isdigit((unsigned char)c[1])))
                c++;
        } else {
            text[used++] = *c++;
        }
    }
    text[used] = 0;
}

/* ---- Measures and mechanisms ---- */

static bool count_of(const struct record *record, enum column column, double *value)
{
    *value = (double)record->values[column].count;
    return record->values[column].known;
}

/* (a + b) / (compulsory x n); one column may be given alone (b < 0). */
static bool ratio_of(const struct record *record, int a, int b, double compulsory, double *value)
{
    double rows, cols, first, second = 0;
    if (!count_of(record, COLUMN_rows, &rows) || !count_of(record, COLUMN_cols, &cols) ||
        !count_of(record, (enum column)a, &first) ||
        (b >= 0 && !count_of(record, (enum column)b, &second)))
        return false;
    *value = (first + second) / (compulsory * rows * cols);
    return isfinite(*value);
}

static bool real_of(const struct record *record, enum column column, double *value)
{
    *value = record->values[column].real;
    return record->values[column].known;
}

bool judge_measure(enum rubric_measure measure, const struct measured_run *counted, double *value)
{
    const struct record *record = &counted->record;
    const double sector = 4.0 / 32, wavefront = 4.0 / 128, request = 1.0 / 32;
    switch (measure) {
    case RUBRIC_SECTORS:
        return ratio_of(record, COLUMN_global_load_sectors, COLUMN_global_store_sectors, 2 * sector,
                        value);
    case RUBRIC_LOAD_SECTORS:
        return ratio_of(record, COLUMN_global_load_sectors, -1, sector, value);
    case RUBRIC_STORE_SECTORS:
        return ratio_of(record, COLUMN_global_store_sectors, -1, sector, value);
    case RUBRIC_WAVEFRONTS:
        return ratio_of(record, COLUMN_shared_load_wavefronts, COLUMN_shared_store_wavefronts,
                        2 * wavefront, value);
    case RUBRIC_CONFLICTS:
        return ratio_of(record, COLUMN_shared_load_conflicts, COLUMN_shared_store_conflicts,
                        2 * request, value);
    case RUBRIC_L2_BYTES:
        return ratio_of(record, COLUMN_l2_read_bytes, COLUMN_l2_write_bytes, 8, value);
    case RUBRIC_DRAM_BYTES:
        return ratio_of(record, COLUMN_dram_read_bytes, COLUMN_dram_write_bytes, 8, value);
    case RUBRIC_IMBALANCE:
        return real_of(record, COLUMN_partition_imbalance, value);
    case RUBRIC_INSTRUCTIONS:
        return ratio_of(record, COLUMN_ptx_warp_instructions, -1, request, value);
    case RUBRIC_COPY_PCT:
        return real_of(record, COLUMN_copy_pct, value);
    default:
        return false;
    }
}

double judge_ratio(const struct rubric_check *check, double value)
{
    double share = (check->zero - value) / (check->zero - check->full);
    return share < 0 ? 0 : share > 1 ? 1 : share;
}

bool judge_mechanism(enum rubric_mechanism mechanism, bool forbid,
                     const struct measured_run *counted)
{
    const struct record_value *values = counted->record.values;
    double matrix_bytes =
        4.0 * (double)values[COLUMN_rows].count * (double)values[COLUMN_cols].count;
    double blocks = (double)values[COLUMN_grid_x].count * (double)values[COLUMN_grid_y].count *
                    (double)values[COLUMN_grid_z].count;
    double stored = (double)counted->shared_stored_bytes;
    double loaded = (double)counted->shared_loaded_bytes;
    switch (mechanism) {
    case RUBRIC_USES_SHARED:
        return forbid ? stored + loaded > 0 : stored >= matrix_bytes && loaded >= matrix_bytes;
    case RUBRIC_USES_BARRIER:
        return counted->barriers && (forbid || (double)counted->barriers >= blocks);
    case RUBRIC_USES_VECTOR:
        return counted->vector_bytes &&
               (forbid || (double)counted->vector_bytes >= 2 * matrix_bytes);
    case RUBRIC_USES_SHUFFLE:
        return counted->shuffles;
    default:
        return false;
    }
}

/* ---- One check ---- */

enum verdict { PASSED, PARTIAL, FAILED, SKIPPED };
static const char *const verdict_names[] = {"passed", "partial", "failed", "skipped"};

/* What is known about a lab, and about its checks so far. */
struct judgement {
    const struct rubric *rubric;
    const struct measurement *measurement; /* NULL: nothing was handed in */
    bool right;                            /* on every size and in every run */
    enum verdict verdicts[RUBRIC_CHECKS_MAX];
    /* Of the check at hand. */
    double share, value;
    bool has_value;
    bool hint_fits;
    struct text student, instructor;
};

static enum status run_status(const struct measured_run *counted)
{
    const char *text = record_text(&counted->record, COLUMN_status);
    for (int i = 0; i < STATUS_COUNT; i++)
        if (!strcmp(text, status_name((enum status)i)))
            return (enum status)i;
    return STATUS_UNTRUSTED;
}

static bool run_is_right(const struct measured_run *counted)
{
    return run_status(counted) == STATUS_OK;
}

/* Runs but the first and its twin are on other devices than the sizes, which may not take such a
 * launch. That costs what is asked of that device, and says nothing about the result. */
static bool run_is_wrong(const struct rubric *rubric, const struct measurement *measurement,
                         unsigned index)
{
    enum status status = run_status(&measurement->runs[index]);
    bool elsewhere = index && index != rubric->runs[0].twin;
    return status != STATUS_OK && !(elsewhere && status == STATUS_LAUNCH_ERROR);
}

static bool everything_right(const struct rubric *rubric, const struct measurement *measurement)
{
    bool right = measurement && measurement->status == STATUS_OK && measurement->run_count;
    for (unsigned i = 0; right && i < measurement->size_count; i++)
        right = measurement->sizes[i].status == STATUS_OK;
    for (unsigned i = 0; right && i < measurement->run_count; i++)
        right = !run_is_wrong(rubric, measurement, i);
    return right;
}

/* Rubrics' hints are about results. A race, a deadlock, a launch that no device takes say
 * themselves what to do. */
static bool is_about_results(enum status status)
{
    return status == STATUS_WRONG_RESULT || status == STATUS_OUT_OF_BOUNDS;
}

/* What a student may hear of a failure on a hidden size. */
static void tell_hidden(enum rubric_size_kind kind, enum status status, const char *reason,
                        struct text *text)
{
    char words[32], mistake[256];
    text_add(text, "%son a hidden size %s: %s", text->length ? "\n" : "",
             rubric_size_kind_phrase(kind), status_words(status, words));
    if (status != STATUS_WRONG_RESULT)
        return;
    judge_redact(reason, mistake, sizeof mistake);
    text_add(text, ": %s", mistake);
}

/* Is a published size of that kind wrong, too? Then a hint on what is special about hidden sizes
 * would lead astray. */
static bool is_wrong_in_public(const struct judgement *judgement, enum rubric_size_kind kind)
{
    for (unsigned i = 0; i < judgement->measurement->size_count; i++)
        if (!judgement->rubric->sizes[i].hidden && judgement->rubric->sizes[i].kind == kind &&
            judgement->measurement->sizes[i].status != STATUS_OK)
            return true;
    return false;
}

static bool counts_size(const struct rubric_check *check, enum rubric_size_kind kind, bool hidden)
{
    return check->of_hidden[hidden] && check->of_kind[kind];
}

/* The sizes of a `correct` check, and of the counted runs and their hidden twins. The student
 * reads the first published failure as `tlab run` tells it, and one of each kind of hidden ones. */
static void judge_correct(struct judgement *judgement, const struct rubric_check *check)
{
    const struct rubric *rubric = judgement->rubric;
    const struct measurement *measurement = judgement->measurement;
    unsigned total = 0, right = 0;
    bool told[RUBRIC_SIZE_KIND_COUNT] = {false}, told_published = false;
    struct text *student = &judgement->student, *instructor = &judgement->instructor;
    for (unsigned i = 0; i < measurement->size_count; i++) {
        const struct rubric_size *size = &rubric->sizes[i];
        const struct measured_size *measured = &measurement->sizes[i];
        if (!counts_size(check, size->kind, size->hidden))
            continue;
        total++;
        if (measured->status == STATUS_OK) {
            right++;
            continue;
        }
        judgement->hint_fits |= is_about_results(measured->status) &&
                                !(size->hidden && is_wrong_in_public(judgement, size->kind));
        text_add(instructor, "\n%" PRIu64 " x %" PRIu64 " (%s%s, seed %" PRIu64 "): %s: %s",
                 size->rows, size->cols, size->hidden ? "hidden, " : "",
                 rubric_size_kind_name(size->kind), size->seed, status_name(measured->status),
                 measured->reason);
        if (size->hidden && !told[size->kind])
            tell_hidden(size->kind, measured->status, measured->reason, student);
        else if (!size->hidden && !told_published)
            text_add(student, "%s%s", student->length ? "\n" : "", measured->reason);
        *(size->hidden ? &told[size->kind] : &told_published) = true;
    }
    for (unsigned i = 0; i < measurement->run_count; i++) {
        const struct measured_run *counted = &measurement->runs[i];
        const struct rubric_run *run = &rubric->runs[i];
        if (!counts_size(check, run->kind, run->hidden))
            continue;
        total++;
        if (!run_is_wrong(rubric, measurement, i)) {
            right++;
            continue;
        }
        const char *reason = record_text(&counted->record, COLUMN_reason);
        judgement->hint_fits |= is_about_results(run_status(counted));
        text_add(instructor, "\nrun %s (%s%" PRIu64 " x %" PRIu64 ", seed %" PRIu64 "): %s: %s",
                 run->name, run->hidden ? "hidden twin, " : "", run->rows, run->cols, run->seed,
                 record_text(&counted->record, COLUMN_status), reason);
        if (run->hidden && !told[run->kind])
            tell_hidden(run->kind, run_status(counted), reason, student);
        else if (!run->hidden && !told_published)
            text_add(student, "%s%s", student->length ? "\n" : "", reason);
        *(run->hidden ? &told[run->kind] : &told_published) = true;
    }
    judgement->share = !total ? 0 : check->all ? right == total : (double)right / total;
    struct text details = *student;
    student->length = 0;
    text_add(student, "right on %u of %u sizes%s%s", right, total, details.length ? "\n" : "",
             details.length ? details.bytes : "");
    details = *instructor;
    instructor->length = 0;
    text_add(instructor, "right on %u of %u sizes%s", right, total,
             details.length ? details.bytes : "");
}

/* The line that has most in excess of what a measure counts, or 0. Lines are those of run 0. */
static uint32_t worst_line(const struct measurement *measurement, const struct rubric_check *check)
{
    bool shared = check->measure == RUBRIC_WAVEFRONTS || check->measure == RUBRIC_CONFLICTS;
    bool loads = check->measure != RUBRIC_STORE_SECTORS;
    bool stores = check->measure != RUBRIC_LOAD_SECTORS;
    uint64_t worst = 0;
    uint32_t found = 0;
    if (check->run || check->measure > RUBRIC_L2_BYTES)
        return 0;
    for (unsigned i = 0; i < measurement->line_count; i++) {
        const struct measured_line *line = &measurement->lines[i];
        uint64_t excess = line->used > line->ideal ? line->used - line->ideal : 0;
        if (line->shared == shared && (line->store ? stores : loads) && excess > worst) {
            worst = excess;
            found = line->line;
        }
    }
    return found;
}

/* "loads touch 32 sectors for 32 elements; full points up to 4.2, none from 18 on". */
static void tell_ratio(struct judgement *judgement, const struct rubric_check *check,
                       bool with_line)
{
    double scale;
    const char *phrase = rubric_measure_phrase(check->measure, &scale), *gap = strstr(phrase, "%s");
    struct text *text = &judgement->student;
    bool smaller = check->full < check->zero;
    text_add(text, "%.*s%.3g", (int)(gap - phrase), phrase, judgement->value * scale);
    text_add(text, "%s; full points %s %.3g, none %s %.3g", gap + 2, smaller ? "up to" : "from",
             check->full * scale, smaller ? "from" : "up to", check->zero * scale);
    uint32_t line =
        with_line && judgement->share < 1 ? worst_line(judgement->measurement, check) : 0;
    if (line)
        text_add(text, " (most of the excess is in line %u)", line);
}

/* Does more than an eighth of the matrix go through atomics? The counters of loads and stores leave
 * those out, here as on hardware (op_ld and op_st), so ratios of them would flatter such a kernel.
 * A counter of work, an atomic for each block of at least 16 x 16 elements, is none. */
static bool evades_counters(enum rubric_measure measure, const struct measured_run *counted)
{
    const struct record_value *values = counted->record.values;
    double warps = (double)values[COLUMN_rows].count * (double)values[COLUMN_cols].count / 32;
    return measure <= RUBRIC_CONFLICTS && (double)counted->atomics > warps / 8;
}

static void judge_ratio_check(struct judgement *judgement, const struct rubric_check *check,
                              const struct measured_run *counted)
{
    bool of_shared = check->measure == RUBRIC_WAVEFRONTS || check->measure == RUBRIC_CONFLICTS;
    judgement->has_value = judge_measure(check->measure, counted, &judgement->value);
    if (!judgement->has_value) {
        text_add(&judgement->student, "this could not be counted");
    } else if (evades_counters(check->measure, counted)) {
        text_add(&judgement->student, "atomic operations move elements here, and are not counted: "
                                      "use loads and stores");
    } else if (of_shared && !judge_mechanism(RUBRIC_USES_SHARED, false, counted)) {
        judgement->share = check->without_shared;
        text_add(&judgement->student, "the kernel %s",
                 rubric_mechanism_phrase(RUBRIC_USES_SHARED, false));
    } else {
        judgement->share = judge_ratio(check, judgement->value);
        tell_ratio(judgement, check, counted == judgement->measurement->runs);
    }
}

static void judge_mechanism_check(struct judgement *judgement, const struct rubric_check *check,
                                  const struct measured_run *counted)
{
    bool seen = judge_mechanism(check->mechanism, check->forbid, counted);
    bool good = seen != check->forbid;
    judgement->share = good;
    text_add(&judgement->student, "%s %s", good ? "the kernel" : "asked for is a kernel that",
             rubric_mechanism_phrase(check->mechanism, !check->forbid));
    if (!good)
        text_add(&judgement->student, "; this one does%s", check->forbid ? "" : " not");
}

/* What is said of a check that only the GPU can settle, until judge_gpu does. */
static const char needs_gpu[] = "not measured on a GPU";

/* Why a ratio or mechanism is not judged, or NULL. */
static const char *obstacle(const struct judgement *judgement, const struct rubric_check *check,
                            char text[RUBRIC_TEXT + 64])
{
    const bool of_gpu = check->run == RUBRIC_RUN_GPU;
    if (!of_gpu && check->run >= judgement->measurement->run_count)
        return "not counted, because the result is right on no size";
    if (!judgement->right)
        return "counts only when the result is right on every size";
    if (check->after < 0 || judgement->verdicts[check->after] == PASSED)
        return of_gpu ? needs_gpu : NULL;
    snprintf(text, RUBRIC_TEXT + 64, "counts only when \"%s\" is passed",
             judgement->rubric->checks[check->after].title);
    return text;
}

static void judge_counted(struct judgement *judgement, const struct rubric_check *check,
                          const struct measured_run *counted)
{
    if (check->kind == RUBRIC_RATIO)
        judge_ratio_check(judgement, check, counted);
    else
        judge_mechanism_check(judgement, check, counted);
}

/* Where the run's twin is worse than the run, it decides. What it says holds no size, and no line,
 * since lines are those of the run. */
static void judge_twin(struct judgement *judgement, const struct rubric_check *check)
{
    static const char where[] = "on a size that nobody knows before: ";
    const unsigned index = judgement->rubric->runs[check->run].twin;
    const struct measured_run *counted = &judgement->measurement->runs[index];
    const double share = judgement->share, value = judgement->value;
    const bool has_value = judgement->has_value;
    const struct text student = judgement->student;
    char words[32];
    if (!index)
        return;
    judgement->share = 0;
    judgement->student.length = 0;
    text_add(&judgement->student, "%s", where);
    if (run_is_right(counted))
        judge_counted(judgement, check, counted);
    else
        text_add(&judgement->student, "%s", status_words(run_status(counted), words));
    if (judgement->share < share)
        return;
    judgement->share = share;
    judgement->value = value;
    judgement->has_value = has_value;
    judgement->student = student;
}

static void judge_run_check(struct judgement *judgement, const struct rubric_check *check,
                            enum verdict *verdict)
{
    char text[RUBRIC_TEXT + 64], words[32];
    const struct measurement *measurement = judgement->measurement;
    const char *reason = obstacle(judgement, check, text);
    const struct measured_run *counted =
        check->run < measurement->run_count ? &measurement->runs[check->run] : NULL;
    if (counted && run_is_right(counted)) {
        judge_counted(judgement, check, counted);
        judge_twin(judgement, check);
    } else if (counted && !reason) {
        text_add(&judgement->student, "%s: %s", status_words(run_status(counted), words),
                 record_text(&counted->record, COLUMN_reason));
    }
    if (reason) {
        *verdict = SKIPPED;
        text_add(&judgement->student, "%s%s", judgement->student.length ? "; " : "", reason);
        judgement->share = 0;
    }
    text_add(&judgement->instructor, "%s", judgement->student.bytes);
}

/* ---- JSON ---- */

static json_t *text_value(const struct text *text)
{
    return json_text(text->bytes, text->length);
}

static json_t *number_or_null(bool known, double number)
{
    return known ? json_number(number) : json_null();
}

/* Points have two decimals, so that they add up on paper. */
static double round_points(double points)
{
    return round(points * 100) / 100;
}

/* Judge a check; its points go to *score. */
static json_t *judge_check(struct judgement *judgement, unsigned index, double *score)
{
    const struct rubric_check *check = &judgement->rubric->checks[index];
    const struct measurement *measurement = judgement->measurement;
    enum verdict *verdict = &judgement->verdicts[index];
    bool ratio = check->kind == RUBRIC_RATIO;
    *verdict = FAILED;
    judgement->share = 0;
    judgement->has_value = false;
    judgement->hint_fits = check->kind != RUBRIC_CORRECT;
    judgement->student = judgement->instructor = (struct text){.length = 0};
    if (!measurement || measurement->status != STATUS_OK) {
        *verdict = SKIPPED;
        text_add(&judgement->student,
                 measurement ? "the file could not be run" : "nothing was handed in");
        judgement->instructor = judgement->student;
    } else if (check->kind == RUBRIC_CORRECT) {
        judge_correct(judgement, check);
    } else {
        judge_run_check(judgement, check, verdict);
    }
    if (*verdict != SKIPPED)
        *verdict = judgement->share >= 1 ? PASSED : judgement->share > 0 ? PARTIAL : FAILED;
    *score = round_points(check->points * judgement->share);
    bool lost = *verdict == PARTIAL || *verdict == FAILED;
    const char *hint = lost && judgement->hint_fits ? check->hint : "";
    static const char *const kinds[] = {"correct", "ratio", "mechanism"};
    return json_pack(
        "{s:s, s:s, s:s, s:o, s:o, s:b, s:s, s:o, s:o, s:o, s:s, s:o, s:o, s:s}", "id", check->id,
        "title", check->title, "kind", kinds[check->kind], "points", json_number(check->points),
        "score", json_number(*score), "visible", check->visible, "result", verdict_names[*verdict],
        "value", number_or_null(judgement->has_value, judgement->value), "full",
        number_or_null(ratio, check->full), "zero", number_or_null(ratio, check->zero), "unit",
        ratio ? rubric_measure_unit(check->measure) : "", "text", text_value(&judgement->student),
        "instructor", text_value(&judgement->instructor), "hint", hint);
}

static json_t *sizes_json(const struct rubric *rubric, const struct measurement *measurement)
{
    json_t *sizes = json_array();
    for (unsigned i = 0; measurement && i < measurement->size_count; i++) {
        const struct rubric_size *size = &rubric->sizes[i];
        const struct measured_size *measured = &measurement->sizes[i];
        json_array_append_new(sizes, json_pack("{s:I, s:I, s:b, s:s, s:s, s:o}", "rows",
                                               (json_int_t)size->rows, "cols",
                                               (json_int_t)size->cols, "hidden", size->hidden,
                                               "kind", rubric_size_kind_name(size->kind), "status",
                                               status_name(measured->status), "reason",
                                               json_format("%s", measured->reason)));
    }
    return sizes;
}

json_t *judge_counters(const struct record *record)
{
    json_t *counters = json_object();
    for (unsigned i = 0; i < COLUMN_COUNT; i++) {
        const struct column_info *info = column_describe((enum column)i);
        const struct record_value *value = &record->values[i];
        if ((info->type == RECORD_TEXT && i != COLUMN_bound) || i == COLUMN_seed ||
            i == COLUMN_passes)
            continue;
        json_t *copy = !value->known ? json_null()
                       : info->type == RECORD_TEXT
                           ? json_format("%s", record_text(record, (enum column)i))
                       : info->type == RECORD_REAL ? json_number(value->real)
                                                   : json_integer((json_int_t)value->count);
        json_object_set_new(counters, info->name, copy);
    }
    return counters;
}

static json_t *runs_json(const struct rubric *rubric, const struct measurement *measurement)
{
    json_t *runs = json_array();
    for (unsigned i = 0; measurement && i < measurement->run_count; i++) {
        const struct record *record = &measurement->runs[i].record;
        json_array_append_new(
            runs, json_pack("{s:s, s:s, s:b, s:o, s:o, s:o}", "name", rubric->runs[i].name,
                            "device", rubric->runs[i].device.name, "hidden", rubric->runs[i].hidden,
                            "status", json_format("%s", record_text(record, COLUMN_status)),
                            "reason", json_format("%s", record_text(record, COLUMN_reason)),
                            "counters", judge_counters(record)));
    }
    return runs;
}

static json_t *lines_json(const struct measurement *measurement)
{
    json_t *lines = json_array();
    for (unsigned i = 0; measurement && i < measurement->line_count; i++) {
        const struct measured_line *line = &measurement->lines[i];
        json_array_append_new(
            lines, json_pack("{s:I, s:s, s:s, s:I, s:I, s:I, s:o}", "line", (json_int_t)line->line,
                             "space", line->shared ? "shared" : "global", "access",
                             line->store ? "store" : "load", "requests", (json_int_t)line->requests,
                             "used", (json_int_t)line->used, "ideal", (json_int_t)line->ideal,
                             "time_share", json_number(line->time_share)));
    }
    return lines;
}

/* The lab's own verdict: that of loading, else the first published failure, else a hidden one,
 * about which the student hears no more than tell_hidden says. */
static const char *lab_status(const struct judgement *judgement, struct text *reason)
{
    const struct measurement *measurement = judgement->measurement;
    if (!measurement)
        return "missing";
    if (measurement->status != STATUS_OK) {
        text_add(reason, "%s", measurement->reason);
        return status_name(measurement->status);
    }
    for (int hidden = 0; hidden < 2; hidden++) {
        for (unsigned i = 0; i < measurement->size_count; i++) {
            const struct measured_size *measured = &measurement->sizes[i];
            const struct rubric_size *size = &judgement->rubric->sizes[i];
            if (size->hidden != hidden || measured->status == STATUS_OK)
                continue;
            if (hidden)
                tell_hidden(size->kind, measured->status, measured->reason, reason);
            else
                text_add(reason, "%s", measured->reason);
            return status_name(measured->status);
        }
        for (unsigned i = 0; i < measurement->run_count; i++) {
            const struct rubric_run *run = &judgement->rubric->runs[i];
            const struct measured_run *counted = &measurement->runs[i];
            const char *said = record_text(&counted->record, COLUMN_reason);
            if (run->hidden != hidden || !run_is_wrong(judgement->rubric, measurement, i))
                continue;
            if (hidden)
                tell_hidden(run->kind, run_status(counted), said, reason);
            else
                text_add(reason, "%s", said);
            return status_name(run_status(counted));
        }
    }
    return status_name(STATUS_OK);
}

static json_t *compiler_json(const struct measurement *measurement)
{
    if (!measurement || !measurement->run_count)
        return json_string("");
    return json_format("%s", record_text(&measurement->runs[0].record, COLUMN_compiler));
}

json_t *judge_lab(const struct rubric *rubric, const struct intake_file *file,
                  const struct measurement *measurement)
{
    struct judgement *judgement = calloc(1, sizeof *judgement);
    struct text *reason = calloc(1, sizeof *reason);
    json_t *checks = json_array(), *lab = NULL;
    double score = 0, points;
    if (!judgement || !reason)
        goto done;
    judgement->rubric = rubric;
    judgement->measurement = measurement;
    judgement->right = everything_right(rubric, measurement);
    for (unsigned i = 0; i < rubric->check_count; i++) {
        json_array_append_new(checks, judge_check(judgement, i, &points));
        score += points;
    }
    const char *status = lab_status(judgement, reason);
    bool source = file && file->size;
    lab = json_pack(
        "{s:s, s:s, s:s, s:o, s:s, s:o, s:o, s:o, s:O, s:o, s:o, s:o, s:o, s:o, s:o, s:s}", "lab",
        rubric->exercise.lab, "exercise", rubric->exercise.name, "title", rubric->title, "file",
        file ? json_format("%s", file->name) : json_null(), "status", status, "reason",
        text_value(reason), "score", json_number(round_points(score)), "points",
        json_number(rubric->points), "checks", checks, "sizes", sizes_json(rubric, measurement),
        "runs", runs_json(rubric, measurement), "source",
        source ? json_text((const char *)file->bytes, file->size) : json_null(), "lines",
        lines_json(measurement), "advice",
        json_format("%s", measurement ? measurement->advice : ""), "compiler",
        compiler_json(measurement), "rubric", rubric->digest);
done:
    json_decref(checks);
    free(judgement);
    free(reason);
    return lab;
}

/* ---- A GPU ---- */

/* Settle a check with the GPU's run. Returns its points. */
static double judge_gpu_check(struct judgement *judgement, const struct rubric_check *check,
                              const struct measured_run *counted, json_t *entry)
{
    char words[32];
    judgement->share = 0;
    judgement->student = (struct text){.length = 0};
    judgement->has_value = judge_measure(check->measure, counted, &judgement->value);
    if (judgement->has_value) {
        judgement->share = judge_ratio(check, judgement->value);
        tell_ratio(judgement, check, false);
    } else {
        text_add(&judgement->student, "%s: %s", status_words(run_status(counted), words),
                 record_text(&counted->record, COLUMN_reason));
    }
    enum verdict verdict = judgement->share >= 1 ? PASSED : judgement->share > 0 ? PARTIAL : FAILED;
    double score = round_points(check->points * judgement->share);
    json_object_set_new(entry, "score", json_number(score));
    json_object_set_new(entry, "result", json_string(verdict_names[verdict]));
    json_object_set_new(entry, "value", number_or_null(judgement->has_value, judgement->value));
    json_object_set_new(entry, "text", text_value(&judgement->student));
    json_object_set_new(entry, "instructor", text_value(&judgement->student));
    json_object_set_new(entry, "hint", json_string(verdict == PASSED ? "" : check->hint));
    return score;
}

bool judge_gpu(const struct rubric *rubric, const struct record *record, json_t *lab)
{
    struct judgement *judgement = calloc(1, sizeof *judgement);
    const struct measured_run counted = {.record = *record};
    double score = json_number_value(json_object_get(lab, "score"));
    if (!judgement)
        return false;
    judgement->rubric = rubric;
    for (unsigned i = 0; i < rubric->check_count; i++) {
        json_t *entry = json_array_get(json_object_get(lab, "checks"), i);
        const char *said = json_string_value(json_object_get(entry, "text"));
        if (rubric->checks[i].run == RUBRIC_RUN_GPU && said && !strcmp(said, needs_gpu))
            score += judge_gpu_check(judgement, &rubric->checks[i], &counted, entry);
    }
    json_object_set_new(lab, "score", json_number(round_points(score)));
    free(judgement);
    return true;
}
