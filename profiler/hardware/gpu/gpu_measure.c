/* gpu_measure.c: time and counters of a kernel that has been verified.
 *
 * Theory of operation. Time is taken without the profiler, by events on both sides of one launch.
 * Each repetition times the harness's own copy of the same bytes first, so that both see the same
 * clocks and temperature; the copy also leaves a wrong output behind, which the kernel must put
 * right again, and that is verified at the end. Before each timed launch the L2 is flushed, or, for
 * warm caches, the same kernel has just run. Neither a flush nor a launch is waited for before the
 * next is queued, so the GPU does not idle between event and kernel.
 *
 * Counters are collected afterwards, one launch a pass; what comes before a launch is not counted.
 */
#include "hardware/gpu/gpu_session.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    WARM_UP_ROUNDS = 3,
    MIN_SAMPLES = 5,
    MAX_SAMPLES = 10000,
    PATIENCE_SECONDS = 2 /* slow kernels are timed less often, but MIN_SAMPLES times */
};

/* Queues one launch. */
typedef bool start_function(struct gpu_session *session, struct failure *failure);

/* Time of one launch, in microseconds. */
static bool time_one(struct gpu_session *session, start_function *start, double *time_us,
                     struct failure *failure)
{
    const struct driver *driver = &session->driver;
    start_function *before = session->job->warm ? start : gpu_session_flush;
    float milliseconds = 0;
    if (!before(session, failure) ||
        !DRIVER_TRY(driver, event_record(session->begin, NULL), "record an event", failure) ||
        !start(session, failure) || !gpu_session_wait(session, failure) ||
        !DRIVER_TRY(driver, event_elapsed(&milliseconds, session->begin, session->end),
                    "read the time between events", failure))
        return false;
    *time_us = 1e3 * (double)milliseconds;
    return true;
}

/* Time of one launch of the kernel, which may leave nothing behind for the next. */
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

double gpu_quantile(const double *sorted, unsigned count, double share)
{
    double position = share * (count - 1);
    unsigned below = (unsigned)position;
    if (below + 1 >= count)
        return sorted[count - 1];
    double weight = position - below;
    return sorted[below] * (1 - weight) + sorted[below + 1] * weight;
}

/* Samples of kernel and copy in turn; *count becomes the number taken. */
static bool take_samples(struct gpu_session *session, double *kernel, double *copy, unsigned *count,
                         struct failure *failure)
{
    const unsigned wanted = *count;
    const double started = gpu_seconds();
    double unused;
    for (unsigned i = 0; i < WARM_UP_ROUNDS; i++)
        if (!time_one(session, gpu_session_copy, &unused, failure) ||
            !time_kernel(session, &unused, failure))
            return false;
    for (*count = 0; *count < wanted; ++*count) {
        if (*count >= MIN_SAMPLES && gpu_seconds() - started > PATIENCE_SECONDS)
            break;
        if (!time_one(session, gpu_session_copy, &copy[*count], failure) ||
            !time_kernel(session, &kernel[*count], failure))
            return false;
    }
    qsort(kernel, *count, sizeof *kernel, compare_times);
    qsort(copy, *count, sizeof *copy, compare_times);
    return true;
}

/* Kernels that repeat their work inside are recorded per repetition, and are not compared with a
 * copy, which is launched each time. */
static void record_times(struct gpu_session *session, const double *kernel, const double *copy,
                         unsigned count)
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
    if (count < 1 || count > MAX_SAMPLES)
        return failure_harness(failure, "a kernel can be timed 1 to %d times, not %u", MAX_SAMPLES,
                               count);
    double *times = calloc(2 * (size_t)count, sizeof *times);
    if (!times)
        return failure_harness(failure, "not enough memory");
    bool good = take_samples(session, times, times + session->job->samples, &count, failure) &&
                gpu_matrices_verify(session, failure);
    if (good)
        record_times(session, times, times + session->job->samples, count);
    free(times);
    return good;
}

/* ---- Counters ---- */

/* Before a counted launch. Warm caches are those that a run of the kernel leaves. */
static bool counted_prepare(void *context, unsigned pass, struct failure *failure)
{
    struct gpu_session *session = context;
    (void)pass;
    if (!gpu_matrices_prepare(session, failure))
        return false;
    if (!session->job->warm)
        return gpu_session_flush(session, failure) && gpu_session_wait(session, failure);
    return gpu_session_launch(session, failure) && gpu_session_wait(session, failure) &&
           gpu_matrices_prepare(session, failure);
}

static bool counted_launch(void *context, unsigned pass, struct failure *failure)
{
    struct gpu_session *session = context;
    (void)pass;
    return gpu_session_launch(session, failure) && gpu_session_wait(session, failure);
}

static bool counted_check(void *context, unsigned pass, struct failure *failure)
{
    (void)pass;
    return gpu_session_check_constant(context, failure) && gpu_matrices_verify(context, failure);
}

/* A kernel that repeats its work inside: all counts are those of one repetition. */
static void divide_counters(struct record *record, unsigned repeats)
{
    for (int i = 0; i < COLUMN_COUNT; i++)
        if (column_describe((enum column)i)->counts_events && record->values[i].known)
            record->values[i].count /= repeats;
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
    /* The profiler's own trouble costs the counters, not the run. */
    if (wrong.kind == FAILURE_HARNESS && !result->context_lost) {
        snprintf(result->no_counters, sizeof result->no_counters, "%s", wrong.text);
        return true;
    }
    if (!result->counted) {
        *failure = wrong;
        return false;
    }
    if (session->job->inner_repeats)
        divide_counters(&result->record, session->job->inner_repeats);
    record_set_dram(&result->record, session->facts.dram_gbps);
    return true;
}
