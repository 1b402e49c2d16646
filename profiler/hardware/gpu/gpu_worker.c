/* gpu_worker.c: the process that uses the GPU; see gpu_job.h. */
#include "hardware/gpu/gpu_session.h"
#include "process/frame.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { IMAGE_MAX_BYTES = 256 << 20 };

bool gpu_receive(int channel, void *object, size_t size, char **image, size_t *image_bytes)
{
    struct frame frame = {0};
    struct frame_reader reader;
    bool good = frame_receive(channel, size + IMAGE_MAX_BYTES, &frame, &reader);
    if (good) {
        frame_object(&reader, object, size);
        if (image)
            *image = frame_copy(&reader, IMAGE_MAX_BYTES, image_bytes);
        good = frame_is_read(&reader) && (!image || *image);
    }
    frame_free(&frame);
    return good;
}

bool gpu_send(int channel, const void *object, size_t size, const void *image, size_t image_bytes)
{
    struct frame frame = {0};
    frame_put_bytes(&frame, object, size);
    if (image)
        frame_put_bytes(&frame, image, image_bytes);
    return frame_send(&frame, channel);
}

static bool find_device(struct gpu_session *session, int ordinal, struct failure *failure)
{
    struct driver *driver = &session->driver;
    struct gpu_facts *facts = &session->facts;
    int version = 0;
    size_t memory = 0;
    if (!driver_open(driver, failure) ||
        !driver_start(driver, ordinal, &session->device, failure) ||
        !GPU_TRY(device_name(facts->name, sizeof facts->name, session->device),
                 "query the name of the GPU") ||
        !GPU_TRY(device_memory(&memory, session->device), "query the memory of the GPU") ||
        !GPU_TRY(version(&version), "query the driver's version"))
        return false;
    facts->ordinal = ordinal;
    facts->memory_bytes = memory;
    facts->driver_version = (unsigned)version;
    facts->compute_capability =
        10 * (unsigned)driver_attribute(driver, session->device, DRIVER_COMPUTE_MAJOR) +
        (unsigned)driver_attribute(driver, session->device, DRIVER_COMPUTE_MINOR);
    facts->clock_mhz = driver_attribute(driver, session->device, DRIVER_CLOCK_KHZ) / 1e3;
    facts->memory_bus_bits =
        (unsigned)driver_attribute(driver, session->device, DRIVER_MEMORY_BUS_BITS);
    facts->dram_gbps = driver_dram_gbps(driver, session->device);
#define X(field, attribute)                                                                        \
    facts->field = (uint64_t)driver_attribute(driver, session->device, attribute);
    GPU_LIMITS(X)
#undef X
    return true;
}

/* Device printf is printed only in verified runs, because timed launches would repeat it. */
static void silence(bool silent)
{
    static int output = -1;
    if (output < 0)
        output = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    fflush(stdout);
    int discard = silent ? open("/dev/null", O_WRONLY | O_CLOEXEC) : -1;
    if (silent ? discard >= 0 : output >= 0)
        dup2(silent ? discard : output, STDOUT_FILENO);
    if (discard >= 0)
        close(discard);
}

static bool run_launch(struct gpu_session *session, struct failure *failure)
{
    session->input_is_pristine = false;
    if (!gpu_matrices_prepare(session, failure) || !gpu_session_launch(session, failure) ||
        !gpu_session_wait(session, failure))
        return false;
    session->driver.synchronize(); /* This call flushes device printf. */
    return gpu_session_check_constant(session, failure) && gpu_matrices_verify(session, failure);
}

static bool run_job(struct gpu_session *session, const void *image, struct failure *failure)
{
    const struct gpu_job *job = session->job;
    session->launch = &job->launches[job->launch_count - 1];
    if (!gpu_session_load(session, image, failure))
        return false;
    for (unsigned i = 0; i < job->launch_count; i++) {
        session->launch = &job->launches[i];
        session->result->launch = i;
        if (!run_launch(session, failure))
            return false;
    }
    if (!job->samples)
        return true;
    silence(true);
    return gpu_measure_time(session, failure) && gpu_measure_counters(session, failure);
}

/* Receive and run a job, and send its result. Returns false if no further job can follow. */
static bool serve_job(struct gpu_session *session, const struct failure *broken,
                      struct gpu_job *job, struct gpu_result *result)
{
    char *image = NULL;
    size_t image_bytes;
    bool good = gpu_receive(session->channel, job, sizeof *job, &image, &image_bytes) &&
                image_bytes && job->launch_count && job->launch_count <= GPU_LAUNCHES_MAX;
    if (good) {
        *result = (struct gpu_result){.failure = *broken};
        session->job = job;
        session->result = result;
        silence(false);
        if (broken->kind == FAILURE_NONE)
            run_job(session, image, &result->failure);
        if (!result->context_lost)
            gpu_session_unload(session);
        good = gpu_send(session->channel, result, sizeof *result, NULL, 0) && !result->context_lost;
    }
    free(image);
    return good;
}

void gpu_worker_main(int channel, const struct gpu_options *options)
{
    struct gpu_session session = {.channel = channel};
    struct gpu_hello hello = {0};
    struct gpu_job job;
    struct gpu_result result = {0};
    struct failure broken = {0};
    bool good = find_device(&session, options->ordinal, &hello.failure);
    hello.facts = session.facts;
    if (gpu_send(channel, &hello, sizeof hello, NULL, 0) && good) {
        gpu_session_open(&session, options->max_passes, &broken);
        while (serve_job(&session, &broken, &job, &result))
            continue;
    }
    /* In a lost context, every call would block or fail. The exit of the process cleans up. */
    if (!result.context_lost && broken.kind == FAILURE_NONE && session.context)
        gpu_session_close(&session);
}
