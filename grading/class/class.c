#define _GNU_SOURCE
#include "class/class.h"

#include "base/paths.h"
#include "base/wording.h"
#include "class/batch.h"
#include "class/slurm.h"
#include "intake/json_text.h"
#include "marks/changes.h"
#include "marks/gradebook.h"
#include "process/allocate.h"
#include "process/pool.h"

#include <stdlib.h>
#include <string.h>

/* One jq process writes several reports, because its start takes 60 ms and a report takes 7 ms. */
enum { REPORT_SECONDS_MAX = 900, REPORTS_AT_ONCE = 20 };

const struct class_steps class_real_steps = {grade_submission, report_submissions};

struct reporting {
    struct batch *batch;
    const struct marks *marks;
    json_t *pattern;
    struct class_summary *summary;
    struct changes changes;
    char not_graded[128]; /* id of the first submission without a grade, and the reason */
    struct failure pages;
};

static json_t *load_judged(void *context, size_t index, struct failure *failure)
{
    const struct reporting *reporting = context;
    return batch_load(reporting->batch, index, reporting->pattern, failure);
}

static json_t *load_marked(const struct reporting *reporting, size_t index, struct failure *failure)
{
    json_t *grade = load_judged((void *)reporting, index, failure);
    json_t *marked =
        grade ? marks_apply(reporting->marks, index, grade, load_judged, (void *)reporting, failure)
              : NULL;
    json_decref(grade);
    return marked;
}

struct part {
    const struct reporting *reporting;
    size_t first;
    const char *why;
};

static void cut_grade(json_t *grade, const char *why)
{
    size_t index;
    json_t *lab;
    json_array_foreach (json_object_get(grade, "labs"), index, lab)
        json_object_update_new(lab, json_pack("{s:n, s:[], s:[]}", "source", "lines", "runs"));
    json_array_append_new(json_object_get(grade, "notes"),
                          json_format("this page has no sources and no charts, because the full "
                                      "page could not be generated (%.200s)",
                                      why));
}

static json_t *load_for_student(void *context, size_t index, struct failure *failure)
{
    const struct part *part = context;
    json_t *grade = load_marked(part->reporting, part->first + index, failure);
    if (grade && part->why)
        cut_grade(grade, part->why);
    return grade;
}

static bool report_part(struct part *part, size_t count, struct failure *failure)
{
    char students[PATH_SIZE];
    struct report_class class = {count, load_for_student, part, NULL};
    const struct batch *batch = part->reporting->batch;
    return path_format(students, failure, "%s/students", batch->options->out) &&
           batch->options->steps->report_submissions(&class, students, failure);
}

static bool report_one(struct part *part, struct failure *failure)
{
    struct failure whole = {0}, cut = {0};
    FILE *progress = part->reporting->batch->options->progress;
    const char *id = part->reporting->batch->list.submissions[part->first].id;
    part->why = NULL;
    if (report_part(part, 1, &whole))
        return true;
    part->why = whole.text;
    if (!report_part(part, 1, &cut))
        return failure_harness(failure, "cannot write the reports of %s: %s", id, cut.text);
    if (progress)
        fprintf(progress, "the page of %s has no sources and no charts: %s\n", id, whole.text);
    return true;
}

/* If one run of jq for several reports fails, write each report alone. Then only the failing
 * reports are missing. */
static bool report_task(void *context, size_t task, struct failure *failure)
{
    const struct reporting *reporting = context;
    const struct class_list *list = &reporting->batch->list;
    struct part part = {.reporting = reporting, .first = task * REPORTS_AT_ONCE};
    size_t end =
        part.first + REPORTS_AT_ONCE < list->count ? part.first + REPORTS_AT_ONCE : list->count;
    struct failure together = {0};
    if (report_part(&part, end - part.first, &together))
        return true;
    for (; part.first < end; part.first++) {
        struct failure why = {0};
        if (!report_one(&part, &why) && failure->kind == FAILURE_NONE)
            *failure = why;
    }
    return failure->kind == FAILURE_NONE;
}

static bool reported(void *context, size_t task, const struct failure *why, struct failure *failure)
{
    struct reporting *reporting = context;
    (void)task;
    (void)failure;
    if (reporting->pages.kind == FAILURE_NONE)
        reporting->pages = *why;
    return true;
}

static void summarise(struct class_summary *summary, const json_t *grade)
{
    size_t index;
    const json_t *lab;
    summary->count++;
    summary->handed_in += json_is_true(json_object_get(grade, "submitted"));
    json_array_foreach (json_object_get(grade, "labs"), index, lab) {
        const char *name = json_text_of(lab, "exercise");
        size_t at = 0;
        while (at < summary->lab_count && strcmp(summary->labs[at].exercise, name))
            at++;
        if (at == CLASS_LABS_MAX)
            continue;
        if (at == summary->lab_count)
            snprintf(summary->labs[summary->lab_count++].exercise, sizeof summary->labs->exercise,
                     "%s", name);
        if (json_is_null(json_object_get(lab, "file")))
            continue;
        summary->labs[at].handed_in++;
        summary->labs[at].score += json_number_of(lab, "score");
        summary->labs[at].points += json_number_of(lab, "points");
    }
}

static json_t *load_for_class(void *context, size_t index, struct failure *failure)
{
    struct reporting *reporting = context;
    const struct batch *batch = reporting->batch;
    json_t *grade = load_marked(reporting, index, failure);
    if (!grade)
        return NULL;
    changes_add(&reporting->changes, grade);
    summarise(reporting->summary, grade);
    if (!batch_is_graded(batch, index) && !reporting->summary->not_graded++)
        snprintf(reporting->not_graded, sizeof reporting->not_graded, "%s: %.60s",
                 batch->list.submissions[index].id,
                 json_text_of(json_array_get(json_object_get(grade, "flags"), 0), "evidence"));
    return grade;
}

/* If a submission has no grade, load the first grade of the class as the pattern for batch_load. */
static bool find_pattern(struct reporting *reporting, struct failure *failure)
{
    bool all_graded = true;
    size_t found = reporting->batch->list.count;
    for (size_t i = reporting->batch->list.count; i--;) {
        bool graded = batch_is_graded(reporting->batch, i);
        all_graded &= graded;
        found = graded ? i : found;
    }
    if (all_graded || found == reporting->batch->list.count)
        return true;
    reporting->pattern = batch_load(reporting->batch, found, NULL, failure);
    return reporting->pattern != NULL;
}

/* Omit exercises with no submission and no manual mark in the class, unless --labs names them. */
static bool find_left_out(struct reporting *reporting, struct marks *marks, struct failure *failure)
{
    const struct class_options *options = reporting->batch->options;
    const struct adjustments *adjustments = &marks->adjustments;
    json_t *absent = json_object(), *names = json_array(), *value;
    const char *name;
    size_t index;
    const json_t *lab;
    for (size_t i = 0; i < reporting->batch->list.count && !options->one; i++) {
        json_t *grade =
            batch_is_graded(reporting->batch, i) ? load_judged(reporting, i, failure) : NULL;
        json_array_foreach (json_object_get(grade, "labs"), index, lab) {
            name = json_text_of(lab, "exercise");
            if (json_is_string(json_object_get(lab, "file")))
                json_object_set_new(absent, name, json_false());
            else if (!json_object_get(absent, name))
                json_object_set_new(absent, name, json_true());
        }
        json_decref(grade);
    }
    for (size_t i = 0; i < adjustments->count; i++) {
        name = marks->rubrics[adjustments->items[i].rubric].exercise.name;
        if (json_object_get(absent, name))
            json_object_set_new(absent, name, json_false());
    }
    json_object_foreach (absent, name, value)
        if (json_is_true(value))
            json_array_append_new(names, json_string(name));
    if (json_array_size(names) == json_object_size(absent) || options->grade.exercise_count)
        json_array_clear(names);
    marks->left_out = names;
    json_array_foreach (names, index, value)
        APPEND(reporting->summary->left_out, "%s%s", index ? ", " : "", json_string_value(value));
    json_decref(absent);
    return failure->kind == FAILURE_NONE;
}

static json_t *load_changes(void *context)
{
    struct reporting *reporting = context;
    bool new_ones;
    return json_incref((json_t *)changes_since(&reporting->changes, &new_ones));
}

static void print_changes(struct reporting *reporting)
{
    enum { SHOWN = 10 };
    const struct class_options *options = reporting->batch->options;
    bool new_ones;
    const json_t *list = changes_since(&reporting->changes, &new_ones), *change;
    size_t count = json_array_size(list), index;
    if (!new_ones || !options->progress)
        return;
    fprintf(options->progress, "%zu %s changed since the last run (%s/changes.csv):\n", count,
            count == 1 ? "mark has" : "marks have", options->out);
    json_array_foreach (list, index, change) {
        const json_t *new = json_object_get(change, "new");
        char points[32] = "none";
        if (json_is_number(new))
            snprintf(points, sizeof points, "%g", json_number_value(new));
        if (index < SHOWN)
            fprintf(options->progress, "  %s, %s: %g -> %s: %s\n", json_text_of(change, "id"),
                    json_text_of(change, "exercise"), json_number_of(change, "old"), points,
                    json_text_of(change, "why"));
    }
    if (count > SHOWN)
        fprintf(options->progress, "  and %zu more\n", count - SHOWN);
}

static bool fill_gradebook(const struct reporting *reporting, struct failure *failure)
{
    const struct class_options *options = reporting->batch->options;
    const struct marks *marks = reporting->marks;
    char path[PATH_SIZE];
    size_t count = 0;
    if (!options->marks.gradebook)
        return true;
    for (size_t i = 0; i < marks->rubric_count; i++)
        if (!marks_leave_out(marks, marks->rubrics[i].exercise.name))
            marks->rubrics[count++] = marks->rubrics[i];
    return path_format(path, failure, "%s/upload.csv", options->out) &&
           gradebook_fill(options->marks.gradebook, path, &reporting->batch->list, marks->rubrics,
                          count, reporting->changes.now, options->marks.zeros, options->progress,
                          failure);
}

static bool write_class(struct reporting *reporting, struct failure *failure)
{
    const struct batch *batch = reporting->batch;
    struct report_class class = {batch->list.count, load_for_class, reporting, load_changes};
    char path[PATH_SIZE];
    if (!path_format(path, failure, "%s/work/marks.state", batch->options->out))
        return false;
    changes_open(&reporting->changes, path);
    bool good = report_class(&class, batch->options->out, failure) &&
                fill_gradebook(reporting, failure) &&
                changes_save(&reporting->changes, path, failure);
    if (good)
        print_changes(reporting);
    changes_close(&reporting->changes);
    return good;
}

static bool write_reports(struct reporting *reporting, struct marks *marks, struct failure *failure)
{
    struct batch *batch = reporting->batch;
    struct pool pool = {.count = (batch->list.count + REPORTS_AT_ONCE - 1) / REPORTS_AT_ONCE,
                        .jobs = batch->options->jobs,
                        .seconds = REPORT_SECONDS_MAX,
                        .context = reporting,
                        .work = report_task,
                        .finished = reported};
    return find_pattern(reporting, failure) && find_left_out(reporting, marks, failure) &&
           pool_run(&pool, failure) && write_class(reporting, failure) &&
           (reporting->pages.kind == FAILURE_NONE ||
            failure_harness(failure, "%s; all other reports are complete", reporting->pages.text));
}

static bool grade_missing(struct batch *batch, size_t *graded, struct failure *failure)
{
    size_t count = 0, *indices = allocate_checked(calloc(batch->list.count + 1, sizeof *indices));
    for (size_t i = 0; i < batch->list.count; i++)
        if (!batch_is_graded(batch, i))
            indices[count++] = i;
    if (batch->options->progress && count < batch->list.count)
        fprintf(batch->options->progress, "grading: %zu of %zu are already graded\n",
                batch->list.count - count, batch->list.count);
    bool good = batch->options->engine == CLASS_SLURM
                    ? slurm_grade(batch, indices, count, graded, failure)
                    : batch_grade(batch, indices, count, batch->options->jobs, graded, failure);
    free(indices);
    return good;
}

bool class_grade(const struct class_options *options, struct class_summary *summary,
                 struct failure *failure)
{
    const struct grade_options *grade = &options->grade;
    struct batch batch;
    struct marks marks = {.list = NULL};
    struct reporting reporting = {.batch = &batch, .marks = &marks, .summary = summary};
    size_t graded = 0;
    *summary = (struct class_summary){0};
    bool good = batch_lock(&batch, options, failure) &&
                (options->engine != CLASS_SLURM || slurm_wait_for_earlier(&batch, failure)) &&
                batch_open(&batch, failure) &&
                marks_open(&marks, &options->marks, &batch.list, grade->rubrics, grade->exercises,
                           grade->exercise_count, grade->secret, failure) &&
                batch_sweep(&batch, failure) && grade_missing(&batch, &graded, failure) &&
                write_reports(&reporting, &marks, failure);
    if (!good)
        *summary = (struct class_summary){0};
    summary->graded_now = good ? graded : 0;
    json_decref(reporting.pattern);
    marks_close(&marks);
    batch_close(&batch);
    if (good && summary->not_graded)
        return failure_harness(failure,
                               "%zu of %zu submissions could not be graded (%s); the reports name "
                               "these submissions. Run the same command to try again",
                               summary->not_graded, summary->count, reporting.not_graded);
    return good;
}
