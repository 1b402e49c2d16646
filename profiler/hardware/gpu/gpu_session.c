/* All work goes to the default stream, in order. The host polls an event after each launch, to
 * detect a kernel that never ends. After a fault, every call to the driver returns an error. The
 * result then reports that the context is lost, and the worker ends. */
#include "hardware/gpu/gpu_session.h"

#include "hardware/gpu/gpu_kernels.h"
#include "process/child.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum {
    /* A smaller sweep leaves a part of the L2's contents, because replacement is not strict LRU. */
    FLUSH_L2_MULTIPLE = 4,
    FLUSH_MIN_BYTES = 16 << 20,
    SWEEP_BLOCKS_PER_SM = 8,
    /* Bytes of shared memory per block that require no opt-in (CUDA C++ Programming Guide). */
    SHARED_WITHOUT_OPTIN = 48 << 10,
    JIT_LOG_BYTES = 2048,
    JIT_ERROR_LOG_BUFFER = 5, /* CUjit_option. */
    JIT_ERROR_LOG_BUFFER_BYTES = 6
};

static bool fail_in_kernel(struct gpu_session *session, int code, struct failure *failure)
{
    char text[256];
    driver_describe(&session->driver, code, text, sizeof text);
    session->result->context_lost = session->result->in_kernel = true;
    const char *what;
    enum status status = driver_fault(code, &what);
    if (what)
        return failure_student(failure, status, "%s (%s)", what, text);
    return failure_student(failure, status, "the kernel ended with %s", text);
}

bool gpu_session_wait(struct gpu_session *session, struct failure *failure)
{
    const struct driver *driver = &session->driver;
    const double started = clock_seconds();
    int code = driver->event_record(session->end, NULL);
    while (!code && (code = driver->event_query(session->end)) == DRIVER_NOT_READY) {
        double waited = clock_seconds() - started;
        if (waited > GPU_LAUNCH_SECONDS) {
            session->result->context_lost = session->result->in_kernel = true;
            return failure_student(failure, STATUS_TIMEOUT,
                                   "the kernel was still running after %d s. Look for an endless "
                                   "loop, or a barrier that not all threads reach",
                                   GPU_LAUNCH_SECONDS);
        }
        if (waited > 0.005)
            nanosleep(&(struct timespec){.tv_nsec = 200 * 1000}, NULL);
        code = 0;
    }
    return !code || fail_in_kernel(session, code, failure);
}

bool gpu_session_launch(struct gpu_session *session, struct failure *failure)
{
    const struct driver *driver = &session->driver;
    const struct gpu_launch *launch = session->launch;
    driver_address output = gpu_matrix_address(&session->output),
                   input = gpu_matrix_address(&session->input);
    int width = (int)launch->cols, height = (int)launch->rows,
        repeats = (int)session->job->inner_repeats;
    void *parameters[] = {&output, &input, &width, &height, &repeats};
    session->input_is_pristine = false;
    int code = driver->launch(session->kernel, launch->grid[0], launch->grid[1], launch->grid[2],
                              launch->block[0], launch->block[1], launch->block[2],
                              launch->dynamic_shared, NULL, parameters, NULL);
    if (!code)
        return true;
    char text[256];
    driver_describe(driver, code, text, sizeof text);
    return failure_student(failure, STATUS_LAUNCH_ERROR,
                           "the driver rejects a grid of %u x %u x %u with blocks of %u x %u x %u "
                           "and %u bytes of dynamic shared memory: %s",
                           launch->grid[0], launch->grid[1], launch->grid[2], launch->block[0],
                           launch->block[1], launch->block[2], launch->dynamic_shared, text);
}

bool gpu_session_copy(struct gpu_session *session, struct failure *failure)
{
    uint64_t words = session->launch->rows * session->launch->cols, quads = words / 4;
    uint64_t threads = quads + words % 4;
    driver_address output = gpu_matrix_address(&session->output),
                   input = gpu_matrix_address(&session->input);
    void *parameters[] = {&output, &input, &quads, &words};
    unsigned blocks = (unsigned)((threads + GPU_HELPER_THREADS - 1) / GPU_HELPER_THREADS);
    return GPU_TRY(
        launch(session->copy, blocks, 1, 1, GPU_HELPER_THREADS, 1, 1, 0, NULL, parameters, NULL),
        "launch the reference copy");
}

/* The write replaces all lines of the L2. The read causes the write-back of dirty lines, which
 * would otherwise be part of the kernel's time. */
bool gpu_session_flush(struct gpu_session *session, struct failure *failure)
{
    uint64_t quads = session->flush_words / 4;
    void *parameters[] = {&session->flush, &quads, &session->flush};
    unsigned blocks = (unsigned)session->facts.multiprocessors * SWEEP_BLOCKS_PER_SM;
    return GPU_TRY(fill_words(session->flush, MATRIX_GUARD, session->flush_words),
                   "flush the L2") &&
           GPU_TRY(launch(session->sweep, blocks, 1, 1, GPU_HELPER_THREADS, 1, 1, 0, NULL,
                          parameters, NULL),
                   "sweep the L2");
}

static bool load_failed(struct gpu_session *session, int code, const char *log,
                        struct failure *failure)
{
    char text[256];
    driver_describe(&session->driver, code, text, sizeof text);
    switch (code) {
    case DRIVER_UNSUPPORTED_PTX_VERSION:
        return failure_harness(
            failure,
            "the compiler is newer than the NVIDIA driver, which supports CUDA %u.%u. Update the "
            "driver, or set TLAB_CUDA to an older toolkit (%s)",
            session->facts.driver_version / 1000, session->facts.driver_version % 1000 / 10, text);
    case DRIVER_NO_BINARY_FOR_GPU:
    case DRIVER_INVALID_IMAGE:
        return failure_harness(failure,
                               "the code was not compiled for %s (compute capability %u.%u): %s",
                               session->facts.name, session->facts.compute_capability / 10,
                               session->facts.compute_capability % 10, text);
    case DRIVER_INVALID_PTX:
        return failure_student(failure, STATUS_COMPILE_ERROR,
                               "the driver's assembler rejects the kernel: %s", *log ? log : text);
    default:
        return failure_harness(failure, "cannot load the kernel: %s%s%s", text, *log ? ": " : "",
                               log);
    }
}

/* Opt in to the job's largest dynamic shared memory. Record the bytes of the last launch. */
static bool allow_shared(struct gpu_session *session, struct failure *failure)
{
    const struct driver *driver = &session->driver;
    uint32_t most = 0;
    int fixed = 0;
    for (unsigned i = 0; i < session->job->launch_count; i++)
        if (session->job->launches[i].dynamic_shared > most)
            most = session->job->launches[i].dynamic_shared;
    if (!GPU_TRY(function_attribute(&fixed, DRIVER_FUNCTION_SHARED_BYTES, session->kernel),
                 "query the shared memory of the kernel"))
        return false;
    const struct gpu_launch *last = &session->job->launches[session->job->launch_count - 1];
    session->result->shared_bytes = (uint64_t)fixed + last->dynamic_shared;
    if (most + (uint64_t)fixed <= SHARED_WITHOUT_OPTIN)
        return true;
    int code = driver->function_set(session->kernel, DRIVER_FUNCTION_MAX_DYNAMIC_SHARED, (int)most);
    char text[256];
    driver_describe(driver, code, text, sizeof text);
    return !code ||
           failure_student(failure, STATUS_LAUNCH_ERROR,
                           "a block requires %d bytes of static and %u bytes of dynamic shared "
                           "memory; %s allows at most %llu bytes in total (%s)",
                           fixed, most, session->facts.name,
                           (unsigned long long)session->facts.shared_per_block_optin, text);
}

static bool save_constant(struct gpu_session *session, struct failure *failure)
{
    const struct driver *driver = &session->driver;
    const char *name = session->job->constant;
    session->constant = 0;
    if (!*name)
        return true;
    int code =
        driver->module_global(&session->constant, &session->constant_bytes, session->module, name);
    if (code == DRIVER_NOT_FOUND) {
        session->constant = 0;
        return true;
    }
    if (!driver_check(driver, code, "find a variable of the compiled module", failure))
        return false;
    if (session->constant_bytes > GPU_CONSTANT_BYTES_MAX)
        return failure_student(failure, STATUS_UNTRUSTED,
                               "the variable %s has %zu bytes; at most %d bytes are allowed", name,
                               session->constant_bytes, GPU_CONSTANT_BYTES_MAX);
    return GPU_TRY(copy_out(session->constant_loaded, session->constant, session->constant_bytes),
                   "read a variable of the compiled module");
}

bool gpu_session_check_constant(struct gpu_session *session, struct failure *failure)
{
    unsigned char now[GPU_CONSTANT_BYTES_MAX];
    if (!session->constant)
        return true;
    if (!GPU_TRY(copy_out(now, session->constant, session->constant_bytes),
                 "read a variable of the compiled module"))
        return false;
    return !memcmp(now, session->constant_loaded, session->constant_bytes) ||
           failure_student(
               failure, STATUS_UNTRUSTED,
               "the kernel modifies the variable %s, which keeps its value until the next launch",
               session->job->constant);
}

bool gpu_session_load(struct gpu_session *session, const void *image, struct failure *failure)
{
    const struct driver *driver = &session->driver;
    char log[JIT_LOG_BYTES] = "";
    int options[] = {JIT_ERROR_LOG_BUFFER, JIT_ERROR_LOG_BUFFER_BYTES};
    void *values[] = {log, (void *)(uintptr_t)sizeof log};
    int code = driver->module_load(&session->module, image, 2, options, values);
    log[sizeof log - 1] = 0;
    if (code) {
        session->module = NULL;
        return load_failed(session, code, log, failure);
    }
    return GPU_TRY(module_function(&session->kernel, session->module, session->job->kernel),
                   "find the kernel in the compiled module") &&
           save_constant(session, failure) && allow_shared(session, failure);
}

void gpu_session_unload(struct gpu_session *session)
{
    if (session->module)
        session->driver.module_unload(session->module);
    session->module = NULL;
}

static bool open_helpers(struct gpu_session *session, struct failure *failure)
{
    size_t bytes = FLUSH_L2_MULTIPLE * (size_t)session->facts.l2_bytes;
    if (bytes < FLUSH_MIN_BYTES)
        bytes = FLUSH_MIN_BYTES;
    session->flush_words = bytes / 16 * 4;
    return GPU_TRY(module_load(&session->helpers, gpu_kernels_ptx, 0, NULL, NULL),
                   "load the helper kernels") &&
           GPU_TRY(module_function(&session->copy, session->helpers, "tlab_copy"),
                   "find the copy kernel") &&
           GPU_TRY(module_function(&session->sweep, session->helpers, "tlab_sweep"),
                   "find the sweep kernel") &&
           GPU_TRY(event_create(&session->begin, 0), "create an event") &&
           GPU_TRY(event_create(&session->end, 0), "create an event") &&
           GPU_TRY(allocate(&session->flush, bytes), "allocate the buffer that flushes the L2");
}

bool gpu_session_open(struct gpu_session *session, unsigned max_passes, struct failure *failure)
{
    if (!GPU_TRY(context_retain(&session->context, session->device),
                 "create a context on the GPU") ||
        !GPU_TRY(context_set(session->context), "use the GPU") || !open_helpers(session, failure))
        return false;
    struct failure blocked = {0};
    if (!collector_open(session->context, session->facts.ordinal, max_passes, &session->collector,
                        &blocked)) {
        session->collector = NULL;
        snprintf(session->no_counters, sizeof session->no_counters, "%s", blocked.text);
    }
    return true;
}

void gpu_session_close(struct gpu_session *session)
{
    const struct driver *driver = &session->driver;
    collector_close(session->collector);
    gpu_matrices_free(session);
    if (session->flush)
        driver->release(session->flush);
    if (session->begin)
        driver->event_destroy(session->begin);
    if (session->end)
        driver->event_destroy(session->end);
    if (session->helpers)
        driver->module_unload(session->helpers);
    if (session->context)
        driver->context_release(session->device);
    driver_close(&session->driver);
}
