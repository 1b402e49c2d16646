/* gpu_worker.c: see gpu_worker.h. */
#include "gpu/gpu_worker.h"

#include "gpu/gpu_session.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { IMAGE_MAX_BYTES = 256 << 20 };

bool gpu_receive(int socket, void *bytes, size_t count)
{
    for (char *at = bytes; count;) {
        ssize_t got = recv(socket, at, count, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        at += got;
        count -= (size_t)got;
    }
    return true;
}

bool gpu_send(int socket, const void *bytes, size_t count)
{
    for (const char *at = bytes; count;) {
        ssize_t sent = send(socket, at, count, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return false;
        at += sent;
        count -= (size_t)sent;
    }
    return true;
}

/* ---- The device ---- */

/* Double data rate: two transfers a clock. kHz x bits / 8 = kB/s. */
static double peak_dram_gbps(const struct driver *driver, driver_device device)
{
    double khz = driver_attribute(driver, device, DRIVER_MEMORY_CLOCK_KHZ);
    double bits = driver_attribute(driver, device, DRIVER_MEMORY_BUS_BITS);
    return 2 * khz * 1e3 * bits / 8 / 1e9;
}

static bool find_device(struct gpu_session *session, int ordinal, struct failure *failure)
{
    struct driver *driver = &session->driver;
    struct gpu_facts *facts = &session->facts;
    int version = 0;
    size_t memory = 0;
    if (!driver_open(driver, failure) ||
        !driver_start(driver, ordinal, &session->device, failure) ||
        !driver_check(driver, driver->device_name(facts->name, sizeof facts->name, session->device),
                      "ask for the GPU's name", failure) ||
        !driver_check(driver, driver->device_memory(&memory, session->device),
                      "ask for the GPU's memory", failure) ||
        !driver_check(driver, driver->version(&version), "ask for the driver's version", failure))
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
    facts->dram_gbps = peak_dram_gbps(driver, session->device);
#define X(field, attribute)                                                                        \
    facts->field = (uint64_t)driver_attribute(driver, session->device, attribute);
    GPU_LIMITS(X)
#undef X
    return true;
}

/* ---- Jobs ---- */

/* Device printf is heard from the verified runs only; a timed kernel would say everything again. */
static void silence(bool silent)
{
    static int heard = -1;
    if (heard < 0)
        heard = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    fflush(stdout);
    int nothing = silent ? open("/dev/null", O_WRONLY | O_CLOEXEC) : -1;
    if (silent ? nothing >= 0 : heard >= 0)
        dup2(silent ? nothing : heard, STDOUT_FILENO);
    if (nothing >= 0)
        close(nothing);
}

static bool run_launch(struct gpu_session *session, struct failure *failure)
{
    session->input_is_pristine = false;
    if (!gpu_matrices_prepare(session, failure) || !gpu_session_launch(session, failure) ||
        !gpu_session_wait(session, failure))
        return false;
    session->driver.synchronize(); /* prints what the kernel printed */
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

static bool job_is_sound(const struct gpu_job *job)
{
    return job->image_bytes && job->image_bytes <= IMAGE_MAX_BYTES && job->launch_count &&
           job->launch_count <= GPU_LAUNCHES_MAX;
}

/* Receive one job, run it, send its result. False: no more jobs can follow. */
static bool serve_job(struct gpu_session *session, const struct failure *broken,
                      struct gpu_job *job, struct gpu_result *result)
{
    if (!gpu_receive(session->socket, job, sizeof *job) || !job_is_sound(job))
        return false;
    char *image = malloc(job->image_bytes);
    bool good = image && gpu_receive(session->socket, image, job->image_bytes);
    if (good) {
        *result = (struct gpu_result){.failure = *broken};
        session->job = job;
        session->result = result;
        silence(false);
        if (broken->kind == FAILURE_NONE)
            run_job(session, image, &result->failure);
        if (!result->context_lost)
            gpu_session_unload(session);
        good = gpu_send(session->socket, result, sizeof *result) && !result->context_lost;
    }
    free(image);
    return good;
}

void gpu_worker_main(int socket, const struct gpu_options *options)
{
    struct gpu_session session = {.socket = socket};
    struct gpu_hello *hello = calloc(1, sizeof *hello);
    struct gpu_job *job = calloc(1, sizeof *job);
    struct gpu_result *result = calloc(1, sizeof *result);
    struct failure broken = {0};
    if (hello && job && result) {
        bool good = find_device(&session, options->ordinal, &hello->failure);
        hello->facts = session.facts;
        if (gpu_send(socket, hello, sizeof *hello) && good) {
            gpu_session_open(&session, options->max_passes, &broken);
            while (serve_job(&session, &broken, job, result))
                continue;
        }
    }
    /* A lost context would block or fail every call; the end of the process releases it all. */
    if (result && !result->context_lost && broken.kind == FAILURE_NONE && session.context)
        gpu_session_close(&session);
    free(hello);
    free(job);
    free(result);
}
