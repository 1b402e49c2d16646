#include "judge/measure.h"

#include "judge/measure_work.h"
#include "process/frame.h"
#include "text/code_text.h"

#include <stdlib.h>
#include <string.h>

static bool fail_exercise(const struct measure_job *job, const char *name, struct failure *failure)
{
    char known[1024] = "";
    for (size_t i = 0; i < job->rubric_count; i++) {
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", i ? " " : "",
                 job->rubrics[i].exercise.name);
    }
    return failure_student(failure, STATUS_COMPILE_ERROR,
                           "LAB(%s) is not an exercise that is graded here; the exercises are: %s",
                           name, known);
}

static bool is_word(const char *name)
{
    return *name && !name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                       "0123456789_\"")];
}

static const struct rubric *rubric_spelt(const struct measure_job *job, const char *name,
                                         unsigned most)
{
    const struct rubric *found = NULL;
    for (size_t i = 0; i < job->rubric_count; i++)
        if (code_word_is_like(name, strlen(name), job->rubrics[i].exercise.name, most)) {
            if (found)
                return NULL;
            found = &job->rubrics[i];
        }
    return found;
}

static const struct rubric *find_rubric(const struct measure_job *job, const char *said,
                                        struct naming *naming)
{
    const struct rubric *exact = rubric_find(job->rubrics, job->rubric_count, said), *meant = NULL;
    if (exact && !(job->overrules && job->suggested->repairs_names))
        return exact;
    if (*said && is_word(said) && !job->overrules)
        meant = rubric_spelt(job, said, 0);
    if (!meant && (!*said || is_word(said)))
        meant = job->suggested || !*said ? job->suggested : rubric_spelt(job, said, 2);
    if (!meant)
        return NULL;
    if (*said)
        naming_add(naming, 0, "LAB(%s) is wrong here: it must be LAB(%s)", said,
                   meant->exercise.name);
    else
        naming_add(naming, 0, "LAB() is missing: it must be LAB(%s)", meant->exercise.name);
    return meant;
}

static const struct rubric_size *telling_size(const struct rubric *rubric)
{
    for (unsigned i = 0; i < rubric->size_count; i++)
        if (rubric->sizes[i].rows != rubric->sizes[i].cols && !rubric->sizes[i].hidden)
            return &rubric->sizes[i];
    return NULL;
}

/* If the kernel is correct only with its parameters in the declared order, use this order. */
static void try_declared_order(struct measure_work *work, struct naming *naming)
{
    const struct rubric_size *size = telling_size(work->rubric);
    struct source *source = &work->source;
    unsigned char order[sizeof source->order];
    if (!source->declares_other_order || !size || measure_tries(work, size))
        return;
    memcpy(order, source->order, sizeof order);
    memcpy(source->order, source->declared, sizeof order);
    if (measure_tries(work, size))
        naming_add(naming, 0,
                   "the kernel's parameters are not in the order (odata, idata, width, height)");
    else
        memcpy(source->order, order, sizeof order);
}

static bool pose(struct measure_work *work, const char *said, struct naming *naming,
                 struct failure *failure)
{
    const struct measure_job *job = work->job;
    struct measurement *measurement = work->measurement;
    work->rubric = find_rubric(job, said, naming);
    measurement->has_rubric = work->rubric;
    snprintf(measurement->exercise, sizeof measurement->exercise, "%s",
             work->rubric ? work->rubric->exercise.name : said);
    if (!work->rubric)
        return *said ? fail_exercise(job, said, failure)
                     : source_fail_unnamed(&work->source, failure);
    if (!source_pose(&work->source, &work->rubric->exercise, naming, true, failure))
        return false;
    try_declared_order(work, naming);
    return !naming->text[0] || work->rubric->repairs_names ||
           failure_student(failure, STATUS_COMPILE_ERROR, "%s", naming->text);
}

static bool load(struct measure_work *work, struct failure *failure)
{
    const struct measure_job *job = work->job;
    char said[sizeof work->measurement->exercise];
    struct naming naming = {.path = job->path};
    work->source = (struct source){.path = job->path, .options = &work->options};
    if (job->repaired)
        snprintf(naming.text, sizeof naming.text, "%s", job->repaired);
    if (job->text) {
        array_shapes_parse((const char *)job->text, job->text_bytes, NULL, 0, &work->source.shapes);
        naming.code = work->source.code = code_text(job->text, job->text_bytes);
    }
    bool good = source_parse(&work->source, job->compiled->ptx, job->compiled->ptx_bytes, said,
                             sizeof said, failure) &&
                pose(work, said, &naming, failure);
    snprintf(work->measurement->naming, NAMING_TEXT, "%s", naming.text);
    return good;
}

static void measure_sizes(struct measure_work *work, bool hidden)
{
    for (unsigned i = 0; i < work->rubric->size_count; i++)
        if (work->rubric->sizes[i].hidden == hidden)
            measure_size(work, &work->rubric->sizes[i], &work->measurement->sizes[i]);
}

static void measure_runs(struct measure_work *work, bool hidden)
{
    for (unsigned i = 0; i < work->measurement->run_count; i++)
        if (work->rubric->runs[i].hidden == hidden)
            measure_run(work, i, false, &work->measurement->runs[i]);
    if (hidden && work->measurement->run_count)
        measure_twins(work->rubric, work->measurement->runs);
}

static enum status published_status(const struct measure_work *work)
{
    const struct measurement *measurement = work->measurement;
    for (unsigned i = 0; i < measurement->size_count; i++)
        if (!work->rubric->sizes[i].hidden && measurement->sizes[i].status != STATUS_OK)
            return measurement->sizes[i].status;
    for (unsigned i = 0; i < measurement->run_count; i++)
        if (!work->rubric->runs[i].hidden &&
            !measured_right(work->rubric, i, &measurement->runs[i]))
            return measured_status(&measurement->runs[i]);
    return STATUS_OK;
}

static bool anything_right(const struct measure_work *work)
{
    for (unsigned i = 0; i < work->measurement->size_count; i++)
        if (!work->rubric->sizes[i].hidden && work->measurement->sizes[i].status == STATUS_OK)
            return true;
    return false;
}

void measure(const struct measure_job *job, struct measurement *measurement)
{
    struct measure_work work = {.job = job,
                                .measurement = measurement,
                                /* A kernel must not recognize the device. */
                                .options = {.build = {.repeats = 1},
                                            .workers = 1,
                                            .emulation = {.is_anonymous = true},
                                            .report = {.is_brief = true}}};
    struct failure failure = {0};
    memset(measurement, 0, sizeof *measurement);
    if (load(&work, &failure)) {
        measurement->size_count = work.rubric->size_count;
        work.options.report.is_brief = false;
        measure_sizes(&work, false);
        if (anything_right(&work))
            measurement->run_count = work.rubric->run_count;
        measure_runs(&work, false);
        work.options.report.is_brief = true;
        work.published = published_status(&work);
        measure_sizes(&work, true);
        const bool is_mistaken = work.published != STATUS_OK || work.wrong_in_hiding;
        measure_further_sizes(&work);
        measure_runs(&work, true);
        if (is_mistaken) /* repairs are not tested at further sizes */
            measure_mistake(&work);
    }
    measure_blame_student(&failure);
    measurement->status = failure.status;
    snprintf(measurement->reason, sizeof measurement->reason, "%s", failure.text);
    free(work.counted.executed);
    source_asker_close(&work.asker);
    source_free(&work.source);
}

bool measure_sandboxed(int output, void *context)
{
    struct measurement *measurement = calloc(1, sizeof *measurement);
    if (!measurement)
        return false;
    measure(context, measurement);
    struct frame frame = {0};
    frame_put_bytes(&frame, measurement, sizeof *measurement);
    free(measurement);
    return frame_send(&frame, output);
}
