/* judge.c: see judge.h. */
#include "judge/judge.h"

#include "intake/json_text.h"
#include "judge/judge_json.h"

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

/* ---- One check ---- */

enum verdict { PASSED, PARTIAL, FAILED, SKIPPED, OPEN };
static const char *const verdict_names[] = {"passed", "partial", "failed", "skipped", "open"};

/* What a check comes to: a share of its points, and words. */
struct finding {
    double share, value;
    bool has_value;
    bool hint_fits;
    bool open;  /* a person decides */
    bool waits; /* for the GPU, and judge_gpu */
    struct text student, instructor;
};

/* What is known about a lab, and about its checks so far. */
struct judgement {
    const struct rubric *rubric;
    const struct measurement *measurement; /* NULL: nothing was submitted */
    /* The result on every published size, and on every hidden one; runs and twins are among
     * them. */
    bool right_in_public, right_in_hiding;
    double part; /* of ratios and mechanisms that is paid: 1 for a right result */
    const struct measured_run *runs; /* to be judged: repaired, where there is one mistake */
    unsigned run_count;
    bool worse_in_hiding;                     /* a run is better than its twin */
    enum verdict verdicts[RUBRIC_CHECKS_MAX]; /* of a repaired kernel: as if it were right */
    struct finding finding, of_twin;          /* of the check at hand */
};

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

static struct outcome run_outcome(const struct rubric *rubric, unsigned index,
                                  const struct measured_run *counted)
{
    const struct rubric_run *run = &rubric->runs[index];
    return (struct outcome){.run = run->name,
                            .rows = run->rows,
                            .cols = run->cols,
                            .seed = run->seed,
                            .kind = run->kind,
                            .hidden = run->hidden,
                            .right = measured_right(rubric, index, counted),
                            .status = measured_status(counted),
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

/* Is the result right wherever its size is published, or hidden? A kernel without counted runs was
 * right nowhere. */
static bool all_right(const struct rubric *rubric, const struct measurement *measurement,
                      bool hidden)
{
    bool right = measurement && measurement->status == STATUS_OK && measurement->run_count;
    for (unsigned i = 0; right && i < outcome_count(measurement); i++) {
        const struct outcome outcome = outcome_at(rubric, measurement, i);
        right = outcome.hidden != hidden || outcome.right;
    }
    return right;
}

/* Rubrics' hints are about results. A race, a deadlock, a launch that no device takes say
 * themselves what to do. */
static bool is_about_results(enum status status)
{
    return status == STATUS_WRONG_RESULT || status == STATUS_OUT_OF_BOUNDS;
}

/* What a student hears of hidden sizes: one verdict for all of them together, in words that no
 * kernel can choose. */
static const char wrong_in_hiding[] = "incorrect on at least one hidden test size";
static const char right_in_hiding[] = "correct on every hidden test size";
static const char not_in_hiding[] =
    "hidden test sizes count only if the result is correct on every published size";

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

static bool asks_for(const struct rubric_check *check, const struct outcome *outcome)
{
    return check->of_hidden[outcome->hidden] && check->of_kind[outcome->kind];
}

/* The student reads the first published failure. */
static void tell_failures(const struct judgement *judgement, const struct rubric_check *check,
                          struct finding *finding)
{
    bool told = false;
    for (unsigned i = 0; i < outcome_count(judgement->measurement); i++) {
        const struct outcome outcome = outcome_at(judgement->rubric, judgement->measurement, i);
        if (outcome.right || !asks_for(check, &outcome))
            continue;
        tell_instructor(&outcome, &finding->instructor);
        if (outcome.hidden)
            continue;
        finding->hint_fits |= is_about_results(outcome.status);
        if (!told)
            text_add(&finding->student, "\n%s", outcome.reason);
        told = true;
    }
}

/* How many of the sizes that a check asks for, of one sort, are right. */
struct tally {
    unsigned total, right;
};

static struct tally tally_sizes(const struct judgement *judgement, const struct rubric_check *check,
                                bool hidden)
{
    struct tally tally = {0, 0};
    for (unsigned i = 0; i < outcome_count(judgement->measurement); i++) {
        const struct outcome outcome = outcome_at(judgement->rubric, judgement->measurement, i);
        bool asked = asks_for(check, &outcome) && outcome.hidden == hidden;
        tally.total += asked;
        tally.right += asked && outcome.right;
    }
    return tally;
}

/* Hidden sizes are judged when the published ones are right. */
static bool judge_correct(const struct judgement *judgement, const struct rubric_check *check,
                          struct finding *finding)
{
    const struct tally public = tally_sizes(judgement, check, false);
    const struct tally hidden = tally_sizes(judgement, check, true);
    const bool judged = !hidden.total || judgement->right_in_public;
    const unsigned total = public.total + hidden.total, right = public.right + hidden.right;
    if (judged && total)
        finding->share = check->all || hidden.total ? right == total : (double)right / total;
    if (public.total)
        text_add(&finding->student, "correct on %u of %u published sizes", public.right,
                 public.total);
    text_add(&finding->instructor, "correct on %u of %u sizes", right, total);
    tell_failures(judgement, check, finding);
    if (!hidden.total)
        return true;
    text_add(&finding->student, "%s%s", public.total ? "\n" : "",
             !judged                       ? not_in_hiding
             : hidden.right < hidden.total ? wrong_in_hiding
                                           : right_in_hiding);
    finding->hint_fits |= judged;
    return judged || public.total;
}

/* "loads touch 32 sectors for 32 elements; full points up to 4.2, none from 18 on". */
static void tell_ratio(const struct rubric_check *check, const struct goal_needs *needs,
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
        text_add(student, "this could not be measured");
    } else if (found.evasion) {
        text_add(student, "%s", found.evasion);
    } else if (found.without_shared) {
        text_add(student, "the kernel does not use shared memory");
    } else {
        tell_ratio(check, measured_needs(counted), finding);
        uint32_t line = 0;
        if (finding->share < 1 && counted == judgement->runs &&
            !check->run) /* lines are of run 0 */
            line = measured_worst_line(measurement->lines, measurement->line_count, check->measure);
        if (line)
            text_add(student, " (most of the excess is in line %u)", line);
    }
}

static void judge_mechanism_check(const struct judgement *judgement,
                                  const struct rubric_check *check,
                                  const struct measured_run *counted, struct finding *finding)
{
    const bool good = measured_judge(check, counted).share > 0;
    finding->share = good;
    if (!good && check->either >= 0 && judgement->verdicts[check->either] == PASSED) {
        finding->share = 1;
        text_add(&finding->student, "the kernel reaches this goal in another way: it passes \"%s\"",
                 judgement->rubric->checks[check->either].title);
        return;
    }
    text_add(&finding->student, "%s %s", good ? "the kernel" : "required is a kernel that",
             goal_mechanism_phrase(check->mechanism, !check->forbid));
    if (!good)
        text_add(&finding->student, "; this one does%s", check->forbid ? "" : " not");
}

/* What is said of a check that only the GPU can settle, until judge_gpu does. */
static const char needs_gpu[] = "not measured on a GPU";
#define WAITS "waits_for_gpu" /* the key of such a check */

/* Why a ratio or mechanism is not judged, or NULL. */
static const char *obstacle(const struct judgement *judgement, const struct rubric_check *check,
                            char text[RUBRIC_TEXT + 64])
{
    const bool of_gpu = check->run == RUBRIC_RUN_GPU;
    if (!of_gpu && check->run >= judgement->run_count)
        return "not measured, because the result is not correct on any published size";
    if (judgement->part <= 0)
        return "counts only if the result is correct on every size";
    if (check->after < 0 || judgement->verdicts[check->after] == PASSED)
        return of_gpu ? needs_gpu : NULL;
    snprintf(text, RUBRIC_TEXT + 64, "counts only if \"%s\" is passed",
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

/* How a check is judged, by its kind: by all its sizes, which may leave it unjudged, or by one run.
 */
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

/* What a share may lose at the twin. Most measures are the same at all sizes of whole tiles. */
static double twin_tolerance(const struct rubric_check *check)
{
    const bool varies =
        check->kind == RUBRIC_RATIO && goal_measure_of(check->measure) & GOAL_VARIES;
    return varies ? 0.35 : 0.1;
}

/* Is a check's share at the run's twin smaller? */
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

/* Twins have one verdict for all checks together, which holds no number: a ratio there would
 * tell its size. */
static bool is_worse_in_hiding(struct judgement *judgement)
{
    for (unsigned i = 0; i < judgement->rubric->check_count; i++) {
        const struct rubric_check *check = &judgement->rubric->checks[i];
        if (judges[check->kind].by_run && is_worse_at_twin(judgement, check))
            return true;
    }
    return false;
}

static const char worse_in_hiding[] = "the kernel does worse on a hidden test size";

/* False: it is not judged, which costs its points. */
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
    if (!reason && has_twin && judgement->worse_in_hiding) {
        text_add(&finding->student, "; %s", worse_in_hiding);
        finding->hint_fits = false;
        finding->share = 0;
    }
    if (reason) {
        text_add(&finding->student, "%s%s", finding->student.length ? "; " : "", reason);
        finding->share = 0;
        finding->waits = reason == needs_gpu;
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
                 measurement ? "the file could not be run" : "nothing was submitted");
        finding->instructor = finding->student;
    } else if (judges[check->kind].by_sizes) {
        judged = judges[check->kind].by_sizes(judgement, check, finding);
    } else {
        judged = judge_run_check(judgement, check);
    }
    enum verdict verdict = finding->open ? OPEN : judged ? verdict_of(finding->share) : SKIPPED;
    judgement->verdicts[index] = verdict;
    if (check->kind != RUBRIC_CORRECT && finding->share > 0 && judgement->part < 1) {
        finding->share *= judgement->part;
        verdict = verdict_of(finding->share);
        text_add(&finding->student, "; %.3g %% of the points, for a kernel with one mistake",
                 100 * judgement->part);
        finding->instructor = finding->student;
    }
    *score = round_points(check->points * finding->share);
    bool lost = verdict == PARTIAL || verdict == FAILED;
    json_t *entry =
        json_pack("{s:s, s:s, s:s, s:o, s:o, s:b, s:s, s:o, s:o, s:o, s:s, s:o, s:o, s:s}", "id",
                  check->id, "title", check->title, "kind", rubric_kind_name(check->kind), "points",
                  json_number(check->points), "score", json_number(*score), "visible",
                  check->visible, "result", verdict_names[verdict], "value",
                  number_or_null(finding->has_value, finding->value), "full",
                  number_or_null(ratio, check->full), "zero", number_or_null(ratio, check->zero),
                  "unit", ratio ? goal_measure_unit(check->measure) : "", "text",
                  text_value(&finding->student), "instructor", text_value(&finding->instructor),
                  "hint", lost && finding->hint_fits ? check->hint : "");
    if (finding->waits)
        json_object_set_new(entry, WAITS, json_true());
    return entry;
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
                     "naming", "title", "All names are as the course requires", "kind", "naming",
                     "points", json_number(0), "score", json_number(*score), "visible", true,
                     "result", verdict_names[FAILED], "value", "full", "zero", "unit", "", "text",
                     json_text(text, strlen(text)), "instructor", json_text(text, strlen(text)),
                     "hint", "tlab run reports these names and their corrections.");
}

/* The lab's own verdict: that of loading, else the first published failure, and the one mistake
 * that explains it, else that of all hidden sizes, which is always the same. */
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
        if (outcome.hidden || outcome.right)
            continue;
        text_add(reason, "%s", outcome.reason);
        if (measurement->mistake)
            text_add(reason, "\nThis is one mistake: %s.",
                     goal_mistake_phrase(measurement->mistake));
        return status_name(outcome.status);
    }
    if (judgement->right_in_hiding)
        return status_name(STATUS_OK);
    text_add(reason, "%s", wrong_in_hiding);
    return status_name(STATUS_WRONG_RESULT);
}

/* What is to be judged of a measurement. */
static void weigh(struct judgement *judgement)
{
    const struct rubric *rubric = judgement->rubric;
    const struct measurement *measurement = judgement->measurement;
    judgement->right_in_public = all_right(rubric, measurement, false);
    judgement->right_in_hiding = all_right(rubric, measurement, true);
    if (!measurement)
        return;
    const bool repaired = measurement->mistake != RUBRIC_MISTAKE_NONE;
    judgement->runs = repaired ? measurement->repaired : measurement->runs;
    judgement->run_count = repaired ? rubric->run_count : measurement->run_count;
    judgement->part = judgement->right_in_public && judgement->right_in_hiding ? 1
                      : repaired ? rubric->mistakes[measurement->mistake]
                                 : 0;
    judgement->worse_in_hiding = judgement->part > 0 && is_worse_in_hiding(judgement);
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
    weigh(judgement);
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
    finding->has_value =
        goal_measure(check->measure, &counted->record, measured_needs(counted), &finding->value);
    if (finding->has_value) {
        finding->share = goal_share(check->full, check->zero, finding->value);
        tell_ratio(check, measured_needs(counted), finding);
    } else {
        text_add(&finding->student, "%s: %s", status_words(measured_status(counted), words),
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
        if (json_object_get(entry, WAITS) && !json_object_del(entry, WAITS))
            score += judge_gpu_check(finding, &rubric->checks[i], &counted, entry);
    }
    json_object_set_new(lab, "score", json_number(round_points(score)));
    free(finding);
    return true;
}
