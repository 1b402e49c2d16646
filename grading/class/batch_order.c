/* batch_order.c: write an order, and carry out a task of it (batch_grade_task). */
#define _GNU_SOURCE
#include "class/batch_order.h"

#include "base/paths.h"
#include "class/sign.h"
#include "class/slurm_jobs.h"
#include "goals/seed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ORDER_FORMAT "transpose-lab-batch-1"

/* ---- Writing ---- */

/* An absolute path, or null; NULL: failed. A new reference. */
static json_t *absolute(const char *path, struct failure *failure)
{
    if (!path)
        return json_null();
    char *real = realpath(path, NULL);
    json_t *text = real ? json_string(real) : NULL;
    if (!text)
        failure_harness(failure, "cannot pass the path %s on: %s", path,
                        real ? "it is no UTF-8" : strerror(errno));
    free(real);
    return text;
}

static json_t *texts(const char *const *items, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; list && i < count; i++)
        json_array_append_new(list, json_string(items[i]));
    return list;
}

static json_t *pending_ids(const struct batch *batch, const size_t *indices, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; list && i < count; i++)
        json_array_append_new(list, json_string(batch->list.submissions[indices[i]].id));
    return list;
}

bool batch_order_save(const struct batch *batch, const size_t *indices, size_t count,
                      unsigned tasks, struct failure *failure)
{
    const struct class_options *options = batch->options;
    const struct grade_options *grade = &options->grade;
    char path[PATH_SIZE];
    if (snprintf(path, sizeof path, "%s/work/batch.order", options->out) >= PATH_SIZE)
        return failure_harness(failure, "path too long: %s", options->out);
    json_t *order = json_pack(
        "{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:s?, s:b, s:o, s:i, s:o}", "format", ORDER_FORMAT,
        "key", batch->key, "submissions", absolute(options->submissions, failure), "roster",
        absolute(options->roster, failure), "policy", absolute(options->marks.policy, failure),
        "rubrics", absolute(grade->rubrics, failure), "seed", absolute(options->seed, failure),
        "one", options->one, "weak_cage", grade->cage == CAGE_WEAK, "exercises",
        texts(grade->exercises, grade->exercise_count), "tasks", (int)tasks, "pending",
        pending_ids(batch, indices, count));
    if (!order)
        return failure->kind == FAILURE_HARNESS ? false
                                                : failure_harness(failure, "not enough memory");
    bool good = grade_save(path, order, failure);
    json_decref(order);
    return good;
}

/* ---- A task ---- */

/* An order as it was read; the options' texts are the document's. */
struct order {
    json_t *document;
    struct class_options options;
    const char **exercises;
    unsigned tasks;
};

static const char *text_of(const struct order *order, const char *field)
{
    return json_string_value(json_object_get(order->document, field));
}

static bool read_order(struct order *order, const char *out, struct failure *failure)
{
    char path[PATH_SIZE];
    json_error_t error;
    if (snprintf(path, sizeof path, "%s/work/batch.order", out) >= PATH_SIZE)
        return failure_harness(failure, "path too long: %s", out);
    order->document = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    if (!order->document)
        return failure_harness(failure, "%s: %s", path, error.text);
    struct class_options *options = &order->options;
    const json_t *exercises = json_object_get(order->document, "exercises");
    json_int_t tasks = json_integer_value(json_object_get(order->document, "tasks"));
    const char *format = text_of(order, "format");
    options->submissions = text_of(order, "submissions");
    options->roster = text_of(order, "roster");
    options->marks.policy = text_of(order, "policy");
    options->one = text_of(order, "one");
    options->seed = text_of(order, "seed");
    options->grade.rubrics = text_of(order, "rubrics");
    options->grade.cage =
        json_is_true(json_object_get(order->document, "weak_cage")) ? CAGE_WEAK : CAGE_BUBBLEWRAP;
    if (!format || strcmp(format, ORDER_FORMAT) || !options->submissions || !options->seed ||
        !options->grade.rubrics || !text_of(order, "key") || tasks < 1 || tasks > 1000000)
        return failure_harness(failure, "%s: no order of this version of tlab", path);
    order->tasks = (unsigned)tasks;
    order->exercises = calloc(json_array_size(exercises) + 1, sizeof *order->exercises);
    if (!order->exercises)
        return failure_harness(failure, "not enough memory");
    for (size_t i = 0; i < json_array_size(exercises); i++)
        if ((order->exercises[i] = json_string_value(json_array_get(exercises, i))))
            options->grade.exercise_count++;
    options->grade.exercises = options->grade.exercise_count ? order->exercises : NULL;
    return true;
}

static int compare_id(const void *id, const void *submission)
{
    return strcmp(id, ((const struct submission *)submission)->id);
}

/* Every n-th of the pending submissions, from the task's number on. */
static bool grade_slice(struct batch *batch, const struct order *order, unsigned task,
                        struct failure *failure)
{
    const json_t *pending = json_object_get(order->document, "pending");
    const struct class_list *list = &batch->list;
    size_t *indices = calloc(json_array_size(pending) + 1, sizeof *indices), count = 0, graded;
    if (!indices)
        return failure_harness(failure, "not enough memory");
    for (size_t i = task; i < json_array_size(pending); i += order->tasks) {
        const char *id = json_string_value(json_array_get(pending, i));
        const struct submission *found =
            id ? bsearch(id, list->submissions, list->count, sizeof *found, compare_id) : NULL;
        if (found)
            indices[count++] = (size_t)(found - list->submissions);
    }
    bool good = batch_grade(batch, indices, count, 1, &graded, failure);
    free(indices);
    return good;
}

bool batch_grade_task(const char *out, unsigned task, const char *job,
                      const struct class_steps *steps, struct failure *failure)
{
    struct order order = {.options = {.out = out, .jobs = 1, .steps = steps}};
    struct batch batch = {.options = &order.options, .lock = -1};
    struct policy policy = {.exercises = NULL}; /* for its time zone */
    char sign[PATH_SIZE];
    pid_t living = 0;
    bool good = (!job || (slurm_jobs_sign(out, job, sign, failure) &&
                          (living = sign_give(sign, failure)) > 0)) &&
                read_order(&order, out, failure) &&
                policy_read(order.options.marks.policy, &policy, failure) &&
                seed_read(order.options.seed, order.options.grade.secret, failure) &&
                cage_probe(order.options.grade.cage, failure) && batch_open(&batch, failure);
    if (good && strcmp(batch.key, text_of(&order, "key")))
        good = failure_harness(failure, "this node has another tlab or another compiler, or sees "
                                        "other rubrics, than where the batch was started");
    good = good && grade_slice(&batch, &order, task, failure);
    policy_free(&policy);
    sign_end(living, sign);
    batch_close(&batch);
    free(order.exercises);
    json_decref(order.document);
    return good;
}
