/* A collector is a range session in RANGE_USER mode. If a calibration kernel has incorrect counts,
 * all later records are marked as untrusted. */
#include "hardware/cupti/collector.h"

#include "hardware/cupti/calibration.h"
#include "hardware/cupti/driver.h"
#include "hardware/cupti/range_session.h"
#include "process/allocate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_CUPTI

enum { DISTRUST_SIZE = 400, SPARE_PASSES = 8 };

struct collector {
    struct range_session *session;
    char distrust[DISTRUST_SIZE]; /* Message of a failed calibration; "" if none failed. */
};

static bool measure(struct collector *collector, const struct collector_work *work,
                    struct record *record, struct failure *failure)
{
    struct range_session *session = collector->session;
    double values[METRICS_MAX];
    bool complete = false, counted = false;
    if (!range_begin(session, failure))
        return false;
    for (unsigned pass = 0; !complete; pass++) {
        if (pass == range_session_passes(session) + SPARE_PASSES)
            return failure_harness(failure,
                                   "hardware counters are not available: CUPTI requires more "
                                   "passes than the %u planned passes",
                                   range_session_passes(session));
        if ((work->prepare && !work->prepare(work->context, failure)) ||
            !range_start(session, failure))
            return false;
        bool launched = work->launch(work->context, failure);
        /* Stop the range even if the launch failed, so that the next launch can be measured. */
        struct failure stop_failure = {0};
        bool stopped = range_stop(session, &complete, &stop_failure);
        if (!launched)
            return false;
        if (!stopped)
            return failure_harness(failure, "%s", stop_failure.text);
        if (work->check && !work->check(work->context, failure))
            return false;
    }
    if (!range_end(session, values, &counted, failure))
        return false;
    if (!counted)
        return failure_harness(failure, "hardware counters are not available: CUPTI counted "
                                        "nothing for this launch");
    metrics_set_record(values, record);
    record_set_count(record, COLUMN_passes, range_session_passes(session));
    return true;
}

struct calibration_launch {
    struct driver driver;
    driver_module module;
    driver_function function;
    driver_address output, input;
    uint32_t pitch;
};

static bool launch_calibration(void *context, struct failure *failure)
{
    struct calibration_launch *launch = context;
    const struct driver *driver = &launch->driver;
    void *parameters[] = {&launch->output, &launch->input, &launch->pitch};
    return DRIVER_TRY(driver,
                      launch(launch->function, CALIBRATION_BLOCKS, 1, 1, CALIBRATION_THREADS, 1, 1,
                             0, NULL, parameters, NULL),
                      "launch a calibration kernel", failure) &&
           DRIVER_TRY(driver, synchronize(), "run a calibration kernel", failure);
}

static bool calibrate_kernel(struct collector *collector, enum calibration_kernel kernel,
                             struct calibration_launch *launch, struct failure *failure)
{
    const struct driver *driver = &launch->driver;
    struct record record = {0};
    char why[DISTRUST_SIZE / 2];
    const struct collector_work work = {.launch = launch_calibration, .context = launch};
    launch->pitch = calibrations[kernel].pitch;
    bool good =
        DRIVER_TRY(driver,
                   module_function(&launch->function, launch->module, calibrations[kernel].entry),
                   "find a calibration kernel", failure) &&
        measure(collector, &work, &record, failure);
    if (good && !*collector->distrust && !calibration_agrees(kernel, &record, why, sizeof why))
        snprintf(collector->distrust, sizeof collector->distrust,
                 "the counters are incorrect for a kernel with known counts (%s): %s",
                 calibrations[kernel].name, why);
    return good;
}

static bool calibrate(struct collector *collector, struct failure *failure)
{
    const size_t bytes = sizeof(float) * CALIBRATION_ELEMENTS;
    struct calibration_launch launch = {.module = NULL};
    const struct driver *driver = &launch.driver;
    if (!driver_open(&launch.driver, failure))
        return false;
    *collector->distrust = '\0';
    bool good = DRIVER_TRY(driver, module_load(&launch.module, calibration_ptx, 0, NULL, NULL),
                           "load the calibration kernels", failure) &&
                DRIVER_TRY(driver, allocate(&launch.output, bytes),
                           "allocate the calibration's output", failure) &&
                DRIVER_TRY(driver, allocate(&launch.input, bytes),
                           "allocate the calibration's input", failure);
    for (int kernel = 0; kernel < CALIBRATION_COUNT && good; kernel++)
        good = calibrate_kernel(collector, (enum calibration_kernel)kernel, &launch, failure);
    if (launch.input)
        driver->release(launch.input);
    if (launch.output)
        driver->release(launch.output);
    if (launch.module)
        driver->module_unload(launch.module);
    driver_close(&launch.driver);
    return good;
}

bool collector_open(void *context, int device_ordinal, unsigned max_passes,
                    struct collector **collector_out, struct failure *failure)
{
    struct collector *collector = allocate_checked(calloc(1, sizeof *collector));
    *collector_out = NULL;
    if (range_session_open(context, device_ordinal, RANGE_USER, max_passes, &collector->session,
                           failure) &&
        calibrate(collector, failure)) {
        *collector_out = collector;
        return true;
    }
    collector_close(collector);
    return false;
}

const char *collector_chip(const struct collector *collector)
{
    return range_session_chip(collector->session);
}

bool collector_measure(struct collector *collector, const struct collector_work *work,
                       struct record *record, struct failure *failure)
{
    if (!measure(collector, work, record, failure))
        return false;
    if (*collector->distrust) {
        record_set_text(record, COLUMN_status, "%s", status_name(STATUS_UNTRUSTED));
        record_set_text(record, COLUMN_reason, "%s", collector->distrust);
    }
    return true;
}

void collector_close(struct collector *collector)
{
    if (collector)
        range_session_close(collector->session);
    free(collector);
}

static void describe(const struct collector *collector, char *text, size_t text_size)
{
    if (*collector->distrust)
        snprintf(text, text_size, "%s, but %s", collector_chip(collector), collector->distrust);
    else
        snprintf(text, text_size, "%s: all columns in %u passes; the calibration passed",
                 collector_chip(collector), range_session_passes(collector->session));
}

bool collector_probe(int device_ordinal, char *text, size_t text_size)
{
    struct failure failure = {0};
    struct driver driver;
    struct collector *collector = NULL;
    driver_context context = NULL;
    driver_device device = 0;
    bool good = false;
    if (driver_open(&driver, &failure)) {
        if (driver_start(&driver, device_ordinal, &device, &failure) &&
            DRIVER_TRY(&driver, context_retain(&context, device), "create a context", &failure) &&
            DRIVER_TRY(&driver, context_set(context), "enter a context", &failure) &&
            collector_open(context, device, 0, &collector, &failure)) {
            describe(collector, text, text_size);
            good = !*collector->distrust;
            collector_close(collector);
        }
        if (context)
            driver.context_release(device);
        driver_close(&driver);
    }
    if (failure.kind != FAILURE_NONE)
        snprintf(text, text_size, "%s", failure.text);
    return good;
}

#else

static const char without_cupti[] =
    "hardware counters are not available: tlab was built without CUPTI. Install the CUDA Toolkit "
    "12.6 or newer (it contains cupti_range_profiler.h) and run `make` again";

bool collector_open(void *context, int device_ordinal, unsigned max_passes,
                    struct collector **collector, struct failure *failure)
{
    (void)context, (void)device_ordinal, (void)max_passes;
    *collector = NULL;
    return failure_harness(failure, "%s", without_cupti);
}

const char *collector_chip(const struct collector *collector)
{
    (void)collector;
    return "";
}

bool collector_measure(struct collector *collector, const struct collector_work *work,
                       struct record *record, struct failure *failure)
{
    (void)collector, (void)work, (void)record;
    return failure_harness(failure, "%s", without_cupti);
}

void collector_close(struct collector *collector)
{
    (void)collector;
}

bool collector_probe(int device_ordinal, char *text, size_t text_size)
{
    (void)device_ordinal;
    snprintf(text, text_size, "%s", without_cupti);
    return false;
}

#endif
