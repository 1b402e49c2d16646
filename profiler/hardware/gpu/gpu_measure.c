/* gpu_measure.c: time and counters of a verified kernel.
 *
 * Times are measured without the profiler, by events. Each repetition first times a reference copy
 * of the same bytes, with the same clocks and temperature. The copy overwrites the output, so the
 * output is verified after the last launch of the kernel. Before each timed launch, the L2 is
 * flushed or, for warm caches, the same kernel runs. The host does not wait for the flush, so that
 * the GPU is not idle between the event and the kernel. */
#include "hardware/gpu/gpu_session.h"
#include "process/allocate.h"
#include "process/child.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    WARM_UP_ROUNDS = 3,
    MIN_SAMPLES = 5,
    MAX_SECONDS = 2 /* Slow kernels are timed less often, but at least MIN_SAMPLES times. */
};

typedef bool start_function(struct gpu_session *session, struct failure *failure);

static bool time_one(struct gpu_session *session, start_function *start, double *time_us,
                     struct failure *failure)
{
    start_function *before = session->job->warm ? start : gpu_session_flush;
    float milliseconds = 0;
    if (!before(session, failure) ||
        !GPU_TRY(event_record(session->begin, NULL), "record an event") ||
        !start(session, failure) || !gpu_session_wait(session, failure) ||
        !GPU_TRY(event_elapsed(&milliseconds, session->begin, session->end),
                 "read the time between events"))
        return false;
    *time_us = 1e3 * (double)milliseconds;
    return true;
}

static bool time_kernel(struct gpu_session *session, double *time_us, struct failure *failure)
{
    return time_one(session, gpu_session_launch, time_us, failure) &&
           gpu_session_check_constant(session, failure);
}

static int compare_times(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

double gpu_quantile(double *samples, unsigned count, double share)
{
    double position = share * (count - 1);
    unsigned below = (unsigned)position;
    qsort(samples, count, sizeof *samples, compare_times);
    if (below + 1 >= count)
        return samples[count - 1];
    double weight = position - below;
    return samples[below] * (1 - weight) + samples[below + 1] * weight;
}

/* *count is the number of requested samples on entry, and of taken samples on return. */
static bool take_samples(struct gpu_session *session, double *kernel, double *copy, unsigned *count,
                         struct failure *failure)
{
    const unsigned requested = *count;
    const double started = clock_seconds();
    double unused;
    for (unsigned i = 0; i < WARM_UP_ROUNDS; i++)
        if (!time_one(session, gpu_session_copy, &unused, failure) ||
            !time_kernel(session, &unused, failure))
            return false;
    for (*count = 0; *count < requested; ++*count) {
        if (*count >= MIN_SAMPLES && clock_seconds() - started > MAX_SECONDS)
            break;
        if (!time_one(session, gpu_session_copy, &copy[*count], failure) ||
            !time_kernel(session, &kernel[*count], failure))
            return false;
    }
    return true;
}

/* With inner repetitions, the time is per repetition, and is not compared with the single copy. */
static void record_times(struct gpu_session *session, double *kernel, double *copy, unsigned count)
{
    struct record *record = &session->result->record;
    unsigned inner = session->job->inner_repeats;
    double share = inner ? 1.0 / inner : 1;
    double bytes = 4.0 * (double)session->launch->rows * (double)session->launch->cols;
    double time_us = share * gpu_quantile(kernel, count, 0.5);
    record_set_real(record, COLUMN_time_us, time_us);
    record_set_real(record, COLUMN_time_us_p25, share * gpu_quantile(kernel, count, 0.25));
    record_set_real(record, COLUMN_time_us_p75, share * gpu_quantile(kernel, count, 0.75));
    record_set_count(record, COLUMN_repeats, inner ? inner : count);
    record_set_real(record, COLUMN_bandwidth_gbps, 2 * bytes / time_us / 1e3);
    if (!inner)
        record_set_real(record, COLUMN_copy_pct, 100 * gpu_quantile(copy, count, 0.5) / time_us);
}

bool gpu_measure_time(struct gpu_session *session, struct failure *failure)
{
    unsigned count = session->job->samples;
    double *times = allocate_checked(calloc(2 * (size_t)count, sizeof *times));
    bool good = take_samples(session, times, times + session->job->samples, &count, failure) &&
                gpu_matrices_verify(session, failure);
    if (good)
        record_times(session, times, times + session->job->samples, count);
    free(times);
    return good;
}

static bool counted_prepare(void *context, struct failure *failure)
{
    struct gpu_session *session = context;
    if (!gpu_matrices_prepare(session, failure))
        return false;
    if (!session->job->warm)
        return gpu_session_flush(session, failure) && gpu_session_wait(session, failure);
    return gpu_session_launch(session, failure) && gpu_session_wait(session, failure) &&
           gpu_matrices_prepare(session, failure);
}

static bool counted_launch(void *context, struct failure *failure)
{
    return gpu_session_launch(context, failure) && gpu_session_wait(context, failure);
}

static bool counted_check(void *context, struct failure *failure)
{
    return gpu_session_check_constant(context, failure) && gpu_matrices_verify(context, failure);
}

bool gpu_measure_counters(struct gpu_session *session, struct failure *failure)
{
    struct gpu_result *result = session->result;
    const struct collector_work work = {.prepare = counted_prepare,
                                        .launch = counted_launch,
                                        .check = counted_check,
                                        .context = session};
    if (!session->collector) {
        snprintf(result->no_counters, sizeof result->no_counters, "%s", session->no_counters);
        return true;
    }
    record_set_text(&result->record, COLUMN_chip, "%s", collector_chip(session->collector));
    struct failure wrong = {0};
    result->counted = collector_measure(session->collector, &work, &result->record, &wrong);
    /* After a failure of the profiler, the run is still valid, without counters. */
    if (wrong.kind == FAILURE_HARNESS && !result->context_lost) {
        snprintf(result->no_counters, sizeof result->no_counters, "%s", wrong.text);
        return true;
    }
    if (!result->counted) {
        *failure = wrong;
        return false;
    }
    /* With inner repetitions, the counts are per repetition. */
    for (int i = 0; i < COLUMN_COUNT && session->job->inner_repeats; i++)
        if (column_describe((enum column)i)->counts_events && result->record.values[i].known)
            result->record.values[i].count /= session->job->inner_repeats;
    record_set_dram(&result->record, session->facts.dram_gbps);
    return true;
}
