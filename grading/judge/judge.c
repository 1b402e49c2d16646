#include "judge/judge.h"

#include "base/wording.h"
#include "intake/json_text.h"
#include "process/allocate.h"
#include "run/source.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_SIZE = 16384 };

struct text {
    char bytes[TEXT_SIZE];
    size_t length;
};

static void text_add(struct text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void text_add(struct text *text, const char *format, ...)
{
    int length = FORMAT(text->bytes + text->length, TEXT_SIZE - text->length, format);
    if (length > 0)
        text->length += (size_t)length < TEXT_SIZE - text->length ? (size_t)length
                                                                  : TEXT_SIZE - 1 - text->length;
}

static const char *status_words(enum status status, char words[32])
{
    snprintf(words, 32, "%s", status_name(status));
    for (char *c = words; *c; c++)
        if (*c == '_')
            *c = ' ';
    return words;
}

enum verdict { PASSED, PARTIAL, FAILED, SKIPPED, OPEN };
static const char *const verdict_names[] = {"passed", "partial", "failed", "skipped", "open"};

struct finding {
    double share, value;
    double narrow; /* factor for `share` (measured.h), which does not affect later checks */
    bool has_value;
    bool hint_fits;
    bool open;
    bool waits; /* judge_gpu will judge the check */
    struct text student, instructor;
};

struct judgement {
    const struct rubric *rubric;
    const struct measurement *measurement;
    /* True if the results at all published (or all hidden) sizes and runs are correct. */
    bool published_correct, hidden_correct;
    double part; /* factor for points of ratios and mechanisms; 1 if the result is correct */
    const struct measured_run *runs; /* runs to judge: of the original or repaired kernel */
    unsigned run_count;
    bool hidden_worse; /* a check has a lower share at the twin of its run */
    /* Verdicts and shares of the checks before the deduction `part`. */
    enum verdict verdicts[RUBRIC_CHECKS_MAX];
    double shares[RUBRIC_CHECKS_MAX];
    struct finding finding, of_twin;
};

struct outcome {
    const char *run;
    uint64_t rows, cols, seed;
    enum rubric_size_kind kind;
    bool hidden, correct;
    enum status status;
    const char *reason;
};

static unsigned outcome_count(const struct measurement *measurement)
{
    return measurement->size_count + measurement->run_count;
}

static struct outcome outcome_at(const struct rubric *rubric, const struct measurement *measurement,
                                 unsigned index)
{
    if (index < measurement->size_count) {
        const struct rubric_size *size = &rubric->sizes[index];
        const struct measured_size *measured = &measurement->sizes[index];
        return (struct outcome){NULL,
                                size->rows,
                                size->cols,
                                size->input_seed,
                                size->kind,
                                size->hidden,
                                measured->status == STATUS_OK,
                                measured->status,
                                measured->reason};
    }
    index -= measurement->size_count;
    const struct rubric_run *run = &rubric->runs[index];
    const struct measured_run *counted = &measurement->runs[index];
    return (struct outcome){run->name,
                            run->rows,
                            run->cols,
                            run->seed,
                            run->kind,
                            run->hidden,
                            measured_right(rubric, index, counted),
                            measured_status(counted),
                            record_text(&counted->record, COLUMN_reason)};
}

/* Returns true if runs were counted and all published (or `hidden`) results are correct. */
static bool all_correct(const struct rubric *rubric, const struct measurement *measurement,
                        bool hidden)
{
    bool correct = measurement && measurement->status == STATUS_OK && measurement->run_count;
    for (unsigned i = 0; correct && i < outcome_count(measurement); i++) {
        const struct outcome outcome = outcome_at(rubric, measurement, i);
        correct = outcome.hidden != hidden || outcome.correct;
    }
    return correct;
}

/* Returns true for a failure that a rubric's hint can explain. Other messages contain advice. */
static bool is_about_results(enum status status)
{
    return status == STATUS_WRONG_RESULT || status == STATUS_OUT_OF_BOUNDS;
}

/* For all hidden sizes together, students get one of these texts without details. */
static const char hidden_incorrect_text[] = "incorrect on at least one hidden test size";
static const char hidden_correct_text[] = "correct on every hidden test size";
static const char hidden_skipped_text[] =
    "hidden test sizes count only if the result is correct on every published size";

static void describe_outcome(const struct outcome *outcome, struct text *text)
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

static bool includes_outcome(const struct rubric_check *check, const struct outcome *outcome)
{
    return check->of_hidden[outcome->hidden] && check->of_kind[outcome->kind];
}

/* The instructor's text describes all failures. The student's text describes only the first
 * published failure. */
static void describe_failures(const struct judgement *judgement, const struct rubric_check *check,
                              struct finding *finding)
{
    bool reported = false;
    for (unsigned i = 0; i < outcome_count(judgement->measurement); i++) {
        const struct outcome outcome = outcome_at(judgement->rubric, judgement->measurement, i);
        if (outcome.correct || !includes_outcome(check, &outcome))
            continue;
        describe_outcome(&outcome, &finding->instructor);
        if (outcome.hidden)
            continue;
        finding->hint_fits |= is_about_results(outcome.status);
        if (!reported)
            text_add(&finding->student, "\n%s", outcome.reason);
        reported = true;
    }
}

struct tally {
    unsigned total, correct;
};

/* Returns true for a published size of whole tiles if only the outermost rows and columns are
 * incorrect. A guard that is off by one costs only the points for partial tiles. */
static bool is_spared(const struct judgement *judgement, const struct outcome *outcome)
{
    return judgement->measurement->spares_margin && !outcome->hidden &&
           (outcome->kind == RUBRIC_SQUARE || outcome->kind == RUBRIC_OBLONG);
}

static struct tally tally_sizes(const struct judgement *judgement, const struct rubric_check *check,
                                bool hidden)
{
    struct tally tally = {0, 0};
    for (unsigned i = 0; i < outcome_count(judgement->measurement); i++) {
        const struct outcome outcome = outcome_at(judgement->rubric, judgement->measurement, i);
        bool included = includes_outcome(check, &outcome) && outcome.hidden == hidden;
        tally.total += included;
        tally.correct += included && (outcome.correct || is_spared(judgement, &outcome));
    }
    return tally;
}

/* Hidden sizes earn points only if all published sizes are correct. */
static bool judge_correct(const struct judgement *judgement, const struct rubric_check *check,
                          struct finding *finding)
{
    const struct tally public = tally_sizes(judgement, check, false);
    const struct tally hidden = tally_sizes(judgement, check, true);
    const bool judged = !hidden.total || judgement->published_correct;
    const unsigned total = public.total + hidden.total, correct = public.correct + hidden.correct;
    if (judged && total)
        finding->share = check->all || hidden.total ? correct == total : (double)correct / total;
    if (judgement->measurement->mistake == RUBRIC_MISTAKE_BARRIER)
        finding->share = 0;
    if (public.total)
        text_add(&finding->student, "correct on %u of %u published sizes", public.correct,
                 public.total);
    text_add(&finding->instructor, "correct on %u of %u sizes", correct, total);
    describe_failures(judgement, check, finding);
    if (!hidden.total)
        return true;
    text_add(&finding->student, "%s%s", public.total ? "\n" : "",
             !judged                         ? hidden_skipped_text
             : hidden.correct < hidden.total ? hidden_incorrect_text
                                             : hidden_correct_text);
    finding->hint_fits |= judged;
    return judged || public.total;
}

/* Write "loads touch 32 sectors for 32 elements; full points up to 4.2, no points from 18". */
static void describe_ratio(const struct rubric_check *check, const struct goal_needs *needs,
                           struct finding *finding)
{
    double scale;
    const char *phrase = goal_measure_phrase(check->measure, needs, &scale),
               *gap = strstr(phrase, "%s");
    bool smaller = check->full < check->zero;
    text_add(&finding->student, "%.*s%.3g", (int)(gap - phrase), phrase, finding->value * scale);
    text_add(&finding->student, "%s; full points %s %.3g, no points %s %.3g", gap + 2,
             smaller ? "up to" : "from", check->full * scale, smaller ? "from" : "up to",
             check->zero * scale);
}

/* Report that a kernel without the mechanism `with` earns only a part of the points. */
static void describe_narrow(const struct rubric_check *check, const struct measured_finding *found,
                            struct finding *finding)
{
    finding->narrow = found->narrow;
    if (found->narrow < 1)
        text_add(&finding->student,
                 "; %.3g %% of the points, because the kernel %s and does not use full sectors",
                 100 * found->narrow, goal_mechanism_phrase(check->with, false));
}

static void judge_ratio_check(const struct judgement *judgement, const struct rubric_check *check,
                              const struct measured_run *counted, struct finding *finding)
{
    struct text *student = &finding->student;
    const struct measurement *measurement = judgement->measurement;
    const struct measured_finding found = measured_judge(check, counted);
    finding->has_value = found.has_value;
    finding->value = found.value;
    finding->share = found.share;
    if (!found.has_value) {
        text_add(student, "the measure is not available");
    } else if (found.evasion) {
        text_add(student, "%s", found.evasion);
    } else if (found.without_shared) {
        text_add(student, "the kernel does not use shared memory");
    } else {
        describe_ratio(check, measured_needs(counted), finding);
        const struct measured_line *line = NULL;
        if (finding->share < 1 && counted == judgement->runs &&
            !check->run) /* only run 0 has counters of lines */
            line = measured_worst_line(measurement->lines, measurement->line_count, check->measure);
        if (line)
            text_add(student, " (most of the excess is in line %u)", line->line);
    }
    describe_narrow(check, &found, finding);
}

static void judge_mechanism_check(const struct judgement *judgement,
                                  const struct rubric_check *check,
                                  const struct measured_run *counted, struct finding *finding)
{
    const struct measured_finding found = measured_judge(check, counted);
    const double share = found.share;
    const bool good = share > 0;
    finding->share = share;
    if (!good && check->either >= 0 && judgement->verdicts[check->either] == PASSED) {
        finding->share = 1;
        text_add(&finding->student, "the kernel passes the check \"%s\" instead",
                 judgement->rubric->checks[check->either].title);
        return;
    }
    text_add(&finding->student, "%s %s", good ? "the kernel" : "this check requires a kernel that",
             goal_mechanism_phrase(check->mechanism, !check->forbid));
    if (!good)
        text_add(&finding->student, "; this kernel does%s", check->forbid ? "" : " not");
    else if (share < 1)
        text_add(&finding->student, ", in part");
    if (check->either < 0 || judgement->verdicts[check->either] != PASSED)
        describe_narrow(check, &found, finding);
}

static const char needs_gpu[] = "not measured on a GPU";
#define WASTE_PART 0.2
#define ALONE_PART 0.375
#define WAITS "waits_for_gpu"

static const char *obstacle(const struct judgement *judgement, const struct rubric_check *check,
                            char text[RUBRIC_TEXT + 64])
{
    const bool of_gpu = check->run == RUBRIC_RUN_GPU;
    if (!of_gpu && check->run >= judgement->run_count)
        return "not measured, because the result is not correct at any published size";
    if (judgement->part <= 0)
        return "this check counts only if the result is correct at every size";
    if (check->after < 0 || measured_scale_after(judgement->shares[check->after]) > 0)
        return of_gpu ? needs_gpu : NULL;
    snprintf(text, RUBRIC_TEXT + 64, "this check counts only if the check \"%s\" is passed",
             judgement->rubric->checks[check->after].title);
    return text;
}

static bool leave_open(const struct judgement *judgement, const struct rubric_check *check,
                       struct finding *finding)
{
    (void)judgement;
    (void)check;
    text_add(&finding->student, "to be marked by an instructor");
    finding->instructor = finding->student;
    finding->open = true;
    return false;
}

/* `by_sizes` returns false if the check is skipped. */
static const struct {
    bool (*by_sizes)(const struct judgement *judgement, const struct rubric_check *check,
                     struct finding *finding);
    void (*by_run)(const struct judgement *judgement, const struct rubric_check *check,
                   const struct measured_run *counted, struct finding *finding);
} judges[] = {
    [RUBRIC_CORRECT] = {.by_sizes = judge_correct},
    [RUBRIC_RATIO] = {.by_run = judge_ratio_check},
    [RUBRIC_MECHANISM] = {.by_run = judge_mechanism_check},
    [RUBRIC_EXPLANATION] = {.by_sizes = leave_open},
};

static double twin_tolerance(const struct rubric_check *check)
{
    const bool varies =
        check->kind == RUBRIC_RATIO && goal_measure_of(check->measure) & GOAL_VARIES;
    return varies ? 0.35 : 0.1;
}

static bool is_worse_at_twin(struct judgement *judgement, const struct rubric_check *check)
{
    struct finding *run = &judgement->finding, *twin = &judgement->of_twin;
    const unsigned index =
        check->run < judgement->run_count ? judgement->rubric->runs[check->run].twin : 0;
    if (!index || measured_status(&judgement->runs[check->run]) != STATUS_OK)
        return false;
    *run = *twin = (struct finding){.share = 0};
    judges[check->kind].by_run(judgement, check, &judgement->runs[check->run], run);
    if (measured_status(&judgement->runs[index]) == STATUS_OK)
        judges[check->kind].by_run(judgement, check, &judgement->runs[index], twin);
    return twin->share < run->share - twin_tolerance(check);
}

/* Returns true if a check has a lower share at a twin. All checks share this verdict, so that it
 * does not reveal a hidden size. */
static bool is_hidden_worse(struct judgement *judgement)
{
    for (unsigned i = 0; i < judgement->rubric->check_count; i++) {
        const struct rubric_check *check = &judgement->rubric->checks[i];
        if (judges[check->kind].by_run && is_worse_at_twin(judgement, check))
            return true;
    }
    return false;
}

static const char hidden_worse_text[] =
    "the kernel is worse at a hidden test size than at the published size";

static bool judge_run_check(struct judgement *judgement, const struct rubric_check *check)
{
    char text[RUBRIC_TEXT + 64], words[32];
    struct finding *finding = &judgement->finding;
    const char *reason = obstacle(judgement, check, text);
    const struct measured_run *counted =
        check->run < judgement->run_count ? &judgement->runs[check->run] : NULL;
    const bool has_twin = counted && judgement->rubric->runs[check->run].twin;
    if (counted && measured_status(counted) == STATUS_OK) {
        judges[check->kind].by_run(judgement, check, counted, finding);
    } else if (counted && !reason) {
        text_add(&finding->student, "%s: %s", status_words(measured_status(counted), words),
                 record_text(&counted->record, COLUMN_reason));
    }
    if (!reason && has_twin && judgement->hidden_worse) {
        text_add(&finding->student, "; %s", hidden_worse_text);
        finding->hint_fits = false;
        finding->share = 0;
    }
    /* If a check depends on an earlier check, the share of the earlier check scales the points. */
    const double scale =
        check->after < 0 ? 1 : measured_scale_after(judgement->shares[check->after]);
    if (!reason && scale < 1) {
        finding->share *= scale;
        text_add(&finding->student,
                 "; %.3g %% of the points, because the check \"%s\" is passed only in part",
                 100 * scale, judgement->rubric->checks[check->after].title);
    }
    if (reason) {
        text_add(&finding->student, "%s%s", finding->student.length ? "; " : "", reason);
        finding->share = 0;
        finding->waits = reason == needs_gpu;
    }
    finding->instructor = finding->student;
    return !reason;
}

static json_t *text_value(const struct text *text)
{
    return json_text(text->bytes, text->length);
}

static json_t *number_or_null(bool known, double number)
{
    return known ? json_number(number) : json_null();
}

static double round_points(double points)
{
    return round(points * 100) / 100;
}

static enum verdict verdict_of(double share)
{
    return share >= 1 ? PASSED : share > 0 ? PARTIAL : FAILED;
}

static void set_result(json_t *check, const struct finding *finding, enum verdict verdict,
                       double score, const char *hint)
{
    json_object_update_new(check,
                           json_pack("{s:o, s:s, s:o, s:o, s:o, s:s}", "score", json_number(score),
                                     "result", verdict_names[verdict], "value",
                                     number_or_null(finding->has_value, finding->value), "text",
                                     text_value(&finding->student), "instructor",
                                     text_value(&finding->instructor), "hint", hint));
}

static json_t *judge_check(struct judgement *judgement, unsigned index, double *score)
{
    const struct rubric_check *check = &judgement->rubric->checks[index];
    const struct measurement *measurement = judgement->measurement;
    struct finding *finding = &judgement->finding;
    bool ratio = check->kind == RUBRIC_RATIO, judged = false;
    *finding = (struct finding){.hint_fits = check->kind != RUBRIC_CORRECT, .narrow = 1};
    if (!measurement || (measurement->status != STATUS_OK && check->kind != RUBRIC_EXPLANATION)) {
        text_add(&finding->student,
                 measurement ? "the file could not be run" : "nothing was submitted");
        finding->instructor = finding->student;
    } else if (judges[check->kind].by_sizes) {
        judged = judges[check->kind].by_sizes(judgement, check, finding);
    } else {
        judged = judge_run_check(judgement, check);
    }
    const double share = judged ? finding->share : 0;
    finding->share *= finding->narrow;
    enum verdict verdict = finding->open ? OPEN : judged ? verdict_of(finding->share) : SKIPPED;
    judgement->verdicts[index] = verdict;
    judgement->shares[index] = share;
    if (check->kind != RUBRIC_CORRECT && finding->share > 0 && judgement->part < 1) {
        finding->share *= judgement->part;
        verdict = verdict_of(finding->share);
        text_add(&finding->student, "; %.3g %% of the points, because the kernel has %s",
                 100 * judgement->part,
                 judgement->measurement->second_mistake ? "two mistakes" : "one mistake");
        finding->instructor = finding->student;
    }
    *score = round_points(check->points * finding->share);
    bool lost = verdict == PARTIAL || verdict == FAILED;
    json_t *entry = json_pack(
        "{s:s, s:s, s:s, s:o, s:b, s:o, s:o, s:s}", "id", check->id, "title", check->title, "kind",
        rubric_kind_name(check->kind), "points", json_number(check->points), "visible",
        check->visible, "full", number_or_null(ratio, check->full), "zero",
        number_or_null(ratio, check->zero), "unit", ratio ? goal_measure_unit(check->measure) : "");
    set_result(entry, finding, verdict, *score, lost && finding->hint_fits ? check->hint : "");
    if (finding->waits)
        json_object_set_new(entry, WAITS, json_true());
    return entry;
}

/* Returns the lanes per element in the first run, including the idle lanes of partial warps; 0 if
 * the grid does not have far more lanes than elements. */
static uint64_t lanes_per_element(const struct judgement *judgement)
{
    const struct record_value *values =
        judgement->run_count ? judgement->runs[0].record.values : NULL;
    const uint64_t elements = values ? values[COLUMN_rows].count * values[COLUMN_cols].count *
                                           judgement->rubric->exercise.form.matrices
                                     : 0;
    enum { WARP = 32 };
    uint64_t blocks = 1, lanes = 1;
    for (int i = COLUMN_grid_x; elements && i <= COLUMN_block_z; i++)
        *(i < COLUMN_block_x ? &blocks : &lanes) *= values[i].known ? values[i].count : 0;
    lanes = (lanes + WARP - 1) / WARP * WARP * blocks;
    return elements && lanes >= SOURCE_WASTEFUL_THREADS * elements ? lanes / elements : 0;
}

/* Returns a check that deducts points for a wasteful grid; NULL if no points are deducted. If one
 * block executes more than 1/16 of the instructions, the points are limited. From 1/4 on, the limit
 * is 1 - ALONE_PART of the rubric's points. *score receives the deduction, at most `earned`. */
static json_t *judge_grid(struct judgement *judgement, double earned, double *score)
{
    struct finding *finding = &judgement->finding;
    const uint64_t lanes = lanes_per_element(judgement);
    const bool is_idle = judgement->measurement && judgement->measurement->is_idle;
    const double points = judgement->rubric->points,
                 busiest = judgement->measurement ? judgement->measurement->busiest_share : 0,
                 alone = ALONE_PART * goal_share(1.0 / 4, 1.0 / 16, busiest),
                 most = alone > 0 ? (1 - alone) * points : earned;
    if ((!lanes && !is_idle && earned <= most) || judgement->part <= 0)
        return NULL;
    const double waste = lanes || is_idle ? fmin(WASTE_PART * points, earned) : 0;
    *score = -round_points(fmax(waste, earned - most));
    *finding = (struct finding){.share = 0};
    if (alone > 0)
        text_add(&finding->student,
                 "at a large size, one block executes %.0f %% of all instructions, so the other "
                 "multiprocessors wait for this block",
                 100 * busiest);
    else if (lanes)
        text_add(&finding->student,
                 "the grid has %" PRIu64 " lanes per element, so nearly all lanes do nothing",
                 lanes);
    else
        text_add(&finding->student, "if the matrix has few rows or few columns, nearly all blocks "
                                    "do nothing: the kernel was verified at smaller sizes");
    finding->instructor = finding->student;
    json_t *entry = json_pack("{s:s, s:s, s:s, s:o, s:b, s:n, s:n, s:s}", "id", "grid", "title",
                              "The grid has one block for each tile", "kind", "naming", "points",
                              json_number(0), "visible", true, "full", "zero", "unit", "");
    set_result(
        entry, finding, FAILED, *score,
        "Compute the number of blocks from the number of tiles, not of elements, so that all "
        "multiprocessors work and each warp moves many elements. Use at least 32 threads.");
    return entry;
}

/* Like judge_grid, for a file with wrong names. */
static json_t *judge_naming(struct judgement *judgement, double earned, double *score)
{
    const struct measurement *measurement = judgement->measurement;
    struct finding *finding = &judgement->finding;
    if (!measurement || !*measurement->naming || measurement->status != STATUS_OK)
        return NULL;
    *score = -round_points(fmin(judgement->rubric->naming, earned));
    *finding = (struct finding){.share = 0};
    text_add(&finding->student, "%s", measurement->naming);
    finding->instructor = finding->student;
    json_t *entry = json_pack("{s:s, s:s, s:s, s:o, s:b, s:n, s:n, s:s}", "id", "naming", "title",
                              "All names are as the course requires", "kind", "naming", "points",
                              json_number(0), "visible", true, "full", "zero", "unit", "");
    set_result(entry, finding, FAILED, *score,
               "tlab run reports these names and their corrections.");
    return entry;
}

static void describe_mistakes(const struct measurement *measurement, struct text *reason)
{
    const bool two = measurement->second_mistake;
    text_add(reason, "\n%s: %s%s%s%s.", two ? "These are two mistakes" : "This is one mistake",
             goal_mistake_phrase(measurement->mistake), two ? "; and " : "",
             goal_mistake_phrase(measurement->second_mistake),
             measurement->spares_margin
                 ? "; only an outermost row or column is incorrect: check whether a guard compares "
                   "with width - 1 or height - 1, and whether a thread loads elements outside of "
                   "the matrix"
                 : "");
}

/* Returns the field "status" of a lab. `reason` receives the reason why the file was not measured,
 * the first failure at a published size, or a fixed text for hidden sizes. */
static const char *lab_status(const struct judgement *judgement, struct text *reason)
{
    const struct measurement *measurement = judgement->measurement;
    if (!measurement)
        return "missing";
    if (measurement->status != STATUS_OK) {
        text_add(reason, "%s", measurement->reason);
        return status_name(measurement->status);
    }
    for (unsigned i = 0; i < outcome_count(measurement); i++) {
        const struct outcome outcome = outcome_at(judgement->rubric, measurement, i);
        if (outcome.hidden || outcome.correct)
            continue;
        text_add(reason, "%s", outcome.reason);
        if (measurement->mistake)
            describe_mistakes(measurement, reason);
        return status_name(outcome.status);
    }
    if (judgement->hidden_correct)
        return status_name(STATUS_OK);
    text_add(reason, "%s", hidden_incorrect_text);
    if (measurement->mistake)
        describe_mistakes(measurement, reason);
    return status_name(STATUS_WRONG_RESULT);
}

static void judgement_prepare(struct judgement *judgement)
{
    const struct rubric *rubric = judgement->rubric;
    const struct measurement *measurement = judgement->measurement;
    judgement->published_correct = all_correct(rubric, measurement, false);
    judgement->hidden_correct = all_correct(rubric, measurement, true);
    if (!measurement)
        return;
    const bool repaired = measurement->mistake != RUBRIC_MISTAKE_NONE;
    judgement->runs = repaired ? measurement->repaired : measurement->runs;
    judgement->run_count = repaired ? rubric->run_count : measurement->run_count;
    judgement->part =
        judgement->published_correct && judgement->hidden_correct ? 1
        : repaired
            ? rubric->mistakes[measurement->mistake] *
                  (measurement->second_mistake ? rubric->mistakes[measurement->second_mistake] : 1)
            : 0;
    judgement->hidden_worse = judgement->part > 0 && is_hidden_worse(judgement);
}

json_t *judge_lab(const struct rubric *rubric, const struct intake_file *file,
                  const struct measurement *measurement)
{
    struct judgement *judgement = allocate_checked(calloc(1, sizeof *judgement));
    struct text *reason = allocate_checked(calloc(1, sizeof *reason));
    json_t *checks = json_array();
    double score = 0, points;
    judgement->rubric = rubric;
    judgement->measurement = measurement;
    judgement_prepare(judgement);
    for (unsigned i = 0; i < rubric->check_count; i++) {
        json_array_append_new(checks, judge_check(judgement, i, &points));
        score += points;
    }
    json_t *grid = judge_grid(judgement, score, &points);
    if (grid) {
        json_array_append_new(checks, grid);
        score += points;
    }
    json_t *naming = judge_naming(judgement, score, &points);
    if (naming) {
        json_array_append_new(checks, naming);
        score += points;
    }
    const char *status = lab_status(judgement, reason);
    json_t *lab = json_pack(
        "{s:s, s:s, s:s, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s}", "lab",
        rubric->exercise.lab, "exercise", rubric->exercise.name, "title", rubric->title, "file",
        file ? json_format("%s", file->name) : json_null(), "status", status, "reason",
        text_value(reason), "score", json_number(round_points(score)), "points",
        json_number(rubric->points), "checks", checks, "sizes", judge_sizes(rubric, measurement),
        "runs", judge_runs(rubric, measurement), "source", judge_source(file), "lines",
        judge_lines(measurement), "advice",
        json_format("%s", measurement ? measurement->advice : ""), "compiler",
        judge_compiler(measurement), "rubric", rubric->digest);
    free(judgement);
    free(reason);
    return lab;
}

static double judge_gpu_check(struct finding *finding, const struct rubric_check *check,
                              const struct measured_run *counted, json_t *entry)
{
    char words[32];
    *finding = (struct finding){.share = 0};
    finding->has_value =
        goal_measure(check->measure, &counted->record, measured_needs(counted), &finding->value);
    if (finding->has_value) {
        finding->share = goal_share(check->full, check->zero, finding->value);
        describe_ratio(check, measured_needs(counted), finding);
    } else {
        text_add(&finding->student, "%s: %s", status_words(measured_status(counted), words),
                 record_text(&counted->record, COLUMN_reason));
    }
    finding->instructor = finding->student;
    enum verdict verdict = verdict_of(finding->share);
    double score = round_points(check->points * finding->share);
    set_result(entry, finding, verdict, score, verdict == PASSED ? "" : check->hint);
    return score;
}

void judge_gpu(const struct rubric *rubric, const struct record *record, json_t *lab)
{
    struct finding *finding = allocate_checked(calloc(1, sizeof *finding));
    const struct measured_run counted = {.record = *record};
    double score = json_number_of(lab, "score");
    for (unsigned i = 0; i < rubric->check_count; i++) {
        json_t *entry = json_array_get(json_object_get(lab, "checks"), i);
        if (json_object_get(entry, WAITS) && !json_object_del(entry, WAITS))
            score += judge_gpu_check(finding, &rubric->checks[i], &counted, entry);
    }
    json_object_set_new(lab, "score", json_number(round_points(score)));
    free(finding);
}
