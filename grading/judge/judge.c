/* judge.c: see judge.h. */
#include "judge/judge.h"

#include "goals/json_text.h"
#include "judge/judge_json.h"

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

enum verdict { PASSED, PARTIAL, FAILED, SKIPPED, OPEN };
static const char *const verdict_names[] = {"passed", "partial", "failed", "skipped", "open"};

/* What a check comes to: a share of its points, and words. */
struct finding {
    double share, value;
    bool has_value;
    bool hint_fits;
    bool open; /* a person decides */
    struct text student, instructor;
};

/* What is known about a lab, and about its checks so far. */
struct judgement {
    const struct rubric *rubric;
    const struct measurement *measurement; /* NULL: nothing was handed in */
    bool right;                            /* on every size and in every run */
    enum verdict verdicts[RUBRIC_CHECKS_MAX];
    struct finding finding, of_twin; /* of the check at hand */
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

/* How the kernel did where it was verified: on the sizes of the rubric, and in the counted runs. */
struct outcome {
    const char *run; /* its name; NULL: a size */
    uint64_t rows, cols, seed;
    enum rubric_size_kind kind;
    bool hidden, right;
    enum status status;
    const char *reason;
};

static unsigned outcome_count(const struct measurement *measurement)
{
    return measurement->size_count + measurement->run_count;
}

static struct outcome size_outcome(const struct rubric_size *size,
                                   const struct measured_size *measured)
{
    return (struct outcome){.rows = size->rows,
                            .cols = size->cols,
                            .seed = size->seed,
                            .kind = size->kind,
                            .hidden = size->hidden,
                            .right = measured->status == STATUS_OK,
                            .status = measured->status,
                            .reason = measured->reason};
}

/* Runs but the first and its twin are on other devices than the sizes, which may not take such a
 * launch. That costs what is asked of that device, and says nothing about the result. */
static struct outcome run_outcome(const struct rubric *rubric, unsigned index,
                                  const struct measured_run *counted)
{
    const struct rubric_run *run = &rubric->runs[index];
    const bool elsewhere = index && index != rubric->runs[0].twin;
    const enum status status = run_status(counted);
    return (struct outcome){.run = run->name,
                            .rows = run->rows,
                            .cols = run->cols,
                            .seed = run->seed,
                            .kind = run->kind,
                            .hidden = run->hidden,
                            .right =
                                status == STATUS_OK || (elsewhere && status == STATUS_LAUNCH_ERROR),
                            .status = status,
                            .reason = record_text(&counted->record, COLUMN_reason)};
}

/* Sizes first. */
static struct outcome outcome_at(const struct rubric *rubric, const struct measurement *measurement,
                                 unsigned index)
{
    if (index < measurement->size_count)
        return size_outcome(&rubric->sizes[index], &measurement->sizes[index]);
    index -= measurement->size_count;
    return run_outcome(rubric, index, &measurement->runs[index]);
}

static bool everything_right(const struct rubric *rubric, const struct measurement *measurement)
{
    bool right = measurement && measurement->status == STATUS_OK && measurement->run_count;
    for (unsigned i = 0; right && i < outcome_count(measurement); i++)
        right = outcome_at(rubric, measurement, i).right;
    return right;
}

/* Rubrics' hints are about results. A race, a deadlock, a launch that no device takes say
 * themselves what to do. */
static bool is_about_results(enum status status)
{
    return status == STATUS_WRONG_RESULT || status == STATUS_OUT_OF_BOUNDS;
}

/* What a student may hear of a failure: of a published size what `tlab run` says, of a hidden one no
 * number. */
static void tell_student(const struct outcome *outcome, struct text *text)
{
    char words[32], mistake[256];
    if (text->length)
        text_add(text, "\n");
    if (!outcome->hidden) {
        text_add(text, "%s", outcome->reason);
        return;
    }
    text_add(text, "on a hidden size %s: %s", rubric_size_kind_phrase(outcome->kind),
             status_words(outcome->status, words));
    if (outcome->status != STATUS_WRONG_RESULT)
        return;
    judge_redact(outcome->reason, mistake, sizeof mistake);
    text_add(text, ": %s", mistake);
}

/* With sizes and seeds. */
static void tell_instructor(const struct outcome *outcome, struct text *text)
{
    if (outcome->run)
        text_add(text, "\nrun %s (%s%" PRIu64 " x %" PRIu64, outcome->run,
                 outcome->hidden ? "hidden twin, " : "", outcome->rows, outcome->cols);
    else
        text_add(text, "\n%" PRIu64 " x %" PRIu64 " (%s%s", outcome->rows, outcome->cols,
                 outcome->hidden ? "hidden, " : "", rubric_size_kind_name(outcome->kind));
    text_add(text, ", seed %" PRIu64 "): %s: %s", outcome->seed, status_name(outcome->status),
             outcome->reason);
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

static bool asks_for(const struct rubric_check *check, const struct outcome *outcome)
{
    return check->of_hidden[outcome->hidden] && check->of_kind[outcome->kind];
}

/* The student reads the first published failure, and one of each kind of hidden ones. */
static void tell_failures(const struct judgement *judgement, const struct rubric_check *check,
                          struct finding *finding)
{
    bool told[RUBRIC_SIZE_KIND_COUNT] = {false}, told_published = false;
    for (unsigned i = 0; i < outcome_count(judgement->measurement); i++) {
        const struct outcome outcome = outcome_at(judgement->rubric, judgement->measurement, i);
        if (outcome.right || !asks_for(check, &outcome))
            continue;
        bool misleads =
            !outcome.run && outcome.hidden && is_wrong_in_public(judgement, outcome.kind);
        finding->hint_fits |= is_about_results(outcome.status) && !misleads;
        tell_instructor(&outcome, &finding->instructor);
        bool *heard = outcome.hidden ? &told[outcome.kind] : &told_published;
        if (!*heard)
            tell_student(&outcome, &finding->student);
        *heard = true;
    }
}

static void judge_correct(const struct judgement *judgement, const struct rubric_check *check,
                          struct finding *finding)
{
    unsigned total = 0, right = 0;
    for (unsigned i = 0; i < outcome_count(judgement->measurement); i++) {
        const struct outcome outcome = outcome_at(judgement->rubric, judgement->measurement, i);
        total += asks_for(check, &outcome);
        right += asks_for(check, &outcome) && outcome.right;
    }
    finding->share = !total ? 0 : check->all ? right == total : (double)right / total;
    text_add(&finding->student, "right on %u of %u sizes", right, total);
    finding->instructor = finding->student;
    tell_failures(judgement, check, finding);
}

/* The line that has most in excess of what a measure counts, or 0. Lines are those of run 0. */
static uint32_t worst_line(const struct measurement *measurement, const struct rubric_check *check)
{
    const unsigned of = goal_measure_of(check->measure);
    uint64_t worst = 0;
    uint32_t found = 0;
    for (unsigned i = 0; !check->run && i < measurement->line_count; i++) {
        const struct measured_line *line = &measurement->lines[i];
        uint64_t excess = line->used > line->ideal ? line->used - line->ideal : 0;
        if (line->shared == !!(of & GOAL_OF_SHARED) &&
            of & (line->store ? GOAL_OF_STORES : GOAL_OF_LOADS) && excess > worst) {
            worst = excess;
            found = line->line;
        }
    }
    return found;
}

/* "loads touch 32 sectors for 32 elements; full points up to 4.2, none from 18 on". */
static void tell_ratio(const struct rubric_check *check, struct finding *finding)
{
    double scale;
    const char *phrase = goal_measure_phrase(check->measure, &scale), *gap = strstr(phrase, "%s");
    bool smaller = check->full < check->zero;
    text_add(&finding->student, "%.*s%.3g", (int)(gap - phrase), phrase, finding->value * scale);
    text_add(&finding->student, "%s; full points %s %.3g, none %s %.3g", gap + 2,
             smaller ? "up to" : "from", check->full * scale, smaller ? "from" : "up to",
             check->zero * scale);
}

/* Does more than an eighth of the matrix go through atomics, where the measure leaves those out? It
 * would flatter such a kernel. A counter of work, an atomic for each block of at least 16 x 16
 * elements, is no evasion. */
static bool evades_counters(enum rubric_measure measure, const struct measured_run *counted)
{
    const struct record_value *values = counted->record.values;
    double warps = (double)values[COLUMN_rows].count * (double)values[COLUMN_cols].count / 32;
    return goal_measure_of(measure) & GOAL_NOT_OF_ATOMICS && (double)counted->atomics > warps / 8;
}

static void judge_ratio_check(const struct judgement *judgement, const struct rubric_check *check,
                              const struct measured_run *counted, struct finding *finding)
{
    const bool of_shared = goal_measure_of(check->measure) & GOAL_OF_SHARED;
    struct text *student = &finding->student;
    finding->has_value = goal_measure(check->measure, &counted->record, &finding->value);
    if (!finding->has_value) {
        text_add(student, "this could not be counted");
    } else if (evades_counters(check->measure, counted)) {
        text_add(student, "atomic operations move elements here, and are not counted: use loads "
                          "and stores");
    } else if (of_shared && !judge_mechanism(RUBRIC_USES_SHARED, false, counted)) {
        finding->share = check->without_shared;
        text_add(student, "the kernel %s", goal_mechanism_phrase(RUBRIC_USES_SHARED, false));
    } else {
        finding->share = judge_ratio(check, finding->value);
        tell_ratio(check, finding);
        uint32_t line = 0;
        if (finding->share < 1 && counted == judgement->measurement->runs)
            line = worst_line(judgement->measurement, check);
        if (line)
            text_add(student, " (most of the excess is in line %u)", line);
    }
}

static void judge_mechanism_check(const struct judgement *judgement,
                                  const struct rubric_check *check,
                                  const struct measured_run *counted, struct finding *finding)
{
    bool good = judge_mechanism(check->mechanism, check->forbid, counted) != check->forbid;
    (void)judgement;
    finding->share = good;
    text_add(&finding->student, "%s %s", good ? "the kernel" : "asked for is a kernel that",
             goal_mechanism_phrase(check->mechanism, !check->forbid));
    if (!good)
        text_add(&finding->student, "; this one does%s", check->forbid ? "" : " not");
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

static void leave_open(const struct judgement *judgement, const struct rubric_check *check,
                       struct finding *finding)
{
    (void)judgement;
    (void)check;
    text_add(&finding->student, "to be marked by a person");
    finding->instructor = finding->student;
    finding->open = true;
}

/* How a check is judged, by its kind: by all its sizes, or by one run. */
static const struct {
    void (*by_sizes)(const struct judgement *judgement, const struct rubric_check *check,
                     struct finding *finding);
    void (*by_run)(const struct judgement *judgement, const struct rubric_check *check,
                   const struct measured_run *counted, struct finding *finding);
} judges[] = {
    [RUBRIC_CORRECT] = {.by_sizes = judge_correct},
    [RUBRIC_RATIO] = {.by_run = judge_ratio_check},
    [RUBRIC_MECHANISM] = {.by_run = judge_mechanism_check},
    [RUBRIC_EXPLANATION] = {.by_sizes = leave_open},
};

/* Where the run's twin is worse than the run, it decides. What it says holds no size, and no line,
 * since lines are those of the run. */
static void judge_twin(struct judgement *judgement, const struct rubric_check *check)
{
    const unsigned index = judgement->rubric->runs[check->run].twin;
    const struct measured_run *counted = &judgement->measurement->runs[index];
    struct finding *finding = &judgement->of_twin;
    char words[32];
    if (!index)
        return;
    *finding = (struct finding){.value = judgement->finding.value,
                                .has_value = judgement->finding.has_value,
                                .hint_fits = true};
    text_add(&finding->student, "on a size that nobody knows before: ");
    if (run_is_right(counted))
        judges[check->kind].by_run(judgement, check, counted, finding);
    else
        text_add(&finding->student, "%s", status_words(run_status(counted), words));
    if (finding->share < judgement->finding.share)
        judgement->finding = *finding;
}

/* False: it is not judged, which costs its points. */
static bool judge_run_check(struct judgement *judgement, const struct rubric_check *check)
{
    char text[RUBRIC_TEXT + 64], words[32];
    const struct measurement *measurement = judgement->measurement;
    struct finding *finding = &judgement->finding;
    const char *reason = obstacle(judgement, check, text);
    const struct measured_run *counted =
        check->run < measurement->run_count ? &measurement->runs[check->run] : NULL;
    if (counted && run_is_right(counted)) {
        judges[check->kind].by_run(judgement, check, counted, finding);
        judge_twin(judgement, check);
    } else if (counted && !reason) {
        text_add(&finding->student, "%s: %s", status_words(run_status(counted), words),
                 record_text(&counted->record, COLUMN_reason));
    }
    if (reason) {
        text_add(&finding->student, "%s%s", finding->student.length ? "; " : "", reason);
        finding->share = 0;
    }
    finding->instructor = finding->student;
    return !reason;
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

static enum verdict verdict_of(double share)
{
    return share >= 1 ? PASSED : share > 0 ? PARTIAL : FAILED;
}

/* Judge a check; its points go to *score. */
static json_t *judge_check(struct judgement *judgement, unsigned index, double *score)
{
    const struct rubric_check *check = &judgement->rubric->checks[index];
    const struct measurement *measurement = judgement->measurement;
    struct finding *finding = &judgement->finding;
    bool ratio = check->kind == RUBRIC_RATIO, judged = false;
    *finding = (struct finding){.hint_fits = check->kind != RUBRIC_CORRECT};
    if (!measurement || (measurement->status != STATUS_OK && check->kind != RUBRIC_EXPLANATION)) {
        text_add(&finding->student,
                 measurement ? "the file could not be run" : "nothing was handed in");
        finding->instructor = finding->student;
    } else if (judges[check->kind].by_sizes) {
        judges[check->kind].by_sizes(judgement, check, finding);
        judged = true;
    } else {
        judged = judge_run_check(judgement, check);
    }
    enum verdict verdict = finding->open ? OPEN : judged ? verdict_of(finding->share) : SKIPPED;
    judgement->verdicts[index] = verdict;
    *score = round_points(check->points * finding->share);
    bool lost = verdict == PARTIAL || verdict == FAILED;
    return json_pack("{s:s, s:s, s:s, s:o, s:o, s:b, s:s, s:o, s:o, s:o, s:s, s:o, s:o, s:s}", "id",
                     check->id, "title", check->title, "kind", rubric_kind_name(check->kind),
                     "points", json_number(check->points), "score", json_number(*score), "visible",
                     check->visible, "result", verdict_names[verdict], "value",
                     number_or_null(finding->has_value, finding->value), "full",
                     number_or_null(ratio, check->full), "zero", number_or_null(ratio, check->zero),
                     "unit", ratio ? goal_measure_unit(check->measure) : "", "text",
                     text_value(&finding->student), "instructor", text_value(&finding->instructor),
                     "hint", lost && finding->hint_fits ? check->hint : "");
}

/* What wrong names cost, of a file that was graded all the same: a check of its own, which gives
 * nothing and takes from what the others gave. NULL: all names are right. */
static json_t *judge_naming(const struct judgement *judgement, double earned, double *score)
{
    const char *text = judgement->measurement ? judgement->measurement->naming : "";
    *score = -round_points(fmin(judgement->rubric->naming, earned));
    if (!*text || judgement->measurement->status != STATUS_OK)
        return NULL;
    return json_pack("{s:s, s:s, s:s, s:o, s:o, s:b, s:s, s:n, s:n, s:n, s:s, s:o, s:o, s:s}", "id",
                     "naming", "title", "Everything has the name that the course gives it", "kind",
                     "naming", "points", json_number(0), "score", json_number(*score), "visible",
                     true, "result", verdict_names[FAILED], "value", "full", "zero", "unit", "",
                     "text", json_text(text, strlen(text)), "instructor",
                     json_text(text, strlen(text)), "hint",
                     "tlab run says the same, and what to write instead.");
}

/* The lab's own verdict: that of loading, else the first published failure, else a hidden one,
 * about which the student hears no more than tell_student says. */
static const char *lab_status(const struct judgement *judgement, struct text *reason)
{
    const struct measurement *measurement = judgement->measurement;
    if (!measurement)
        return "missing";
    if (measurement->status != STATUS_OK) {
        text_add(reason, "%s", measurement->reason);
        return status_name(measurement->status);
    }
    for (int hidden = 0; hidden < 2; hidden++)
        for (unsigned i = 0; i < outcome_count(measurement); i++) {
            const struct outcome outcome = outcome_at(judgement->rubric, measurement, i);
            if (outcome.hidden != hidden || outcome.right)
                continue;
            tell_student(&outcome, reason);
            return status_name(outcome.status);
        }
    return status_name(STATUS_OK);
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
    json_t *naming = judge_naming(judgement, score, &points);
    if (naming) {
        json_array_append_new(checks, naming);
        score += points;
    }
    const char *status = lab_status(judgement, reason);
    lab = json_pack(
        "{s:s, s:s, s:s, s:o, s:s, s:o, s:o, s:o, s:O, s:o, s:o, s:o, s:o, s:o, s:o, s:s}", "lab",
        rubric->exercise.lab, "exercise", rubric->exercise.name, "title", rubric->title, "file",
        file ? json_format("%s", file->name) : json_null(), "status", status, "reason",
        text_value(reason), "score", json_number(round_points(score)), "points",
        json_number(rubric->points), "checks", checks, "sizes", judge_sizes(rubric, measurement),
        "runs", judge_runs(rubric, measurement), "source", judge_source(file), "lines",
        judge_lines(measurement), "advice",
        json_format("%s", measurement ? measurement->advice : ""), "compiler",
        judge_compiler(measurement), "rubric", rubric->digest);
done:
    json_decref(checks);
    free(judgement);
    free(reason);
    return lab;
}

/* ---- A GPU ---- */

/* Settle a check with the GPU's run. Returns its points. */
static double judge_gpu_check(struct finding *finding, const struct rubric_check *check,
                              const struct measured_run *counted, json_t *entry)
{
    char words[32];
    *finding = (struct finding){.share = 0};
    finding->has_value = goal_measure(check->measure, &counted->record, &finding->value);
    if (finding->has_value) {
        finding->share = judge_ratio(check, finding->value);
        tell_ratio(check, finding);
    } else {
        text_add(&finding->student, "%s: %s", status_words(run_status(counted), words),
                 record_text(&counted->record, COLUMN_reason));
    }
    enum verdict verdict = verdict_of(finding->share);
    double score = round_points(check->points * finding->share);
    json_object_set_new(entry, "score", json_number(score));
    json_object_set_new(entry, "result", json_string(verdict_names[verdict]));
    json_object_set_new(entry, "value", number_or_null(finding->has_value, finding->value));
    json_object_set_new(entry, "text", text_value(&finding->student));
    json_object_set_new(entry, "instructor", text_value(&finding->student));
    json_object_set_new(entry, "hint", json_string(verdict == PASSED ? "" : check->hint));
    return score;
}

bool judge_gpu(const struct rubric *rubric, const struct record *record, json_t *lab)
{
    struct finding *finding = calloc(1, sizeof *finding);
    const struct measured_run counted = {.record = *record};
    double score = json_number_value(json_object_get(lab, "score"));
    if (!finding)
        return false;
    for (unsigned i = 0; i < rubric->check_count; i++) {
        json_t *entry = json_array_get(json_object_get(lab, "checks"), i);
        const char *said = json_string_value(json_object_get(entry, "text"));
        if (rubric->checks[i].run == RUBRIC_RUN_GPU && said && !strcmp(said, needs_gpu))
            score += judge_gpu_check(finding, &rubric->checks[i], &counted, entry);
    }
    json_object_set_new(lab, "score", json_number(round_points(score)));
    free(finding);
    return true;
}
