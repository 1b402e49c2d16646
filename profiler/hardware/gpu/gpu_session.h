/* gpu_session.h: the state of the worker (a context and the matrices of a job) and its operations.
 * Functions of type bool return false after a failure. */
#ifndef GPU_SESSION_H
#define GPU_SESSION_H

#include "hardware/cupti/collector.h"
#include "hardware/cupti/driver.h"
#include "hardware/gpu/gpu_job.h"

/* Bytes before and after each matrix, as in the emulator, to detect out-of-bounds writes. */
enum { GPU_GUARD_BYTES = 2048, GPU_GUARD_WORDS = GPU_GUARD_BYTES / 4 };

/* Time limit of a launch in seconds. Correct kernels of the course take milliseconds. */
enum { GPU_LAUNCH_SECONDS = 10 };

/* A matrix with its guard bands. The allocations grow with the jobs. */
struct gpu_matrix {
    uint32_t *host;        /* Page-locked host memory: guard, matrix, guard. */
    driver_address device; /* Device memory with the same layout. */
    size_t capacity;       /* Bytes of each allocation. */
};

/* Maximum size, in bytes, of the variable that launches must not modify. */
enum { GPU_CONSTANT_BYTES_MAX = 256 };

struct gpu_session {
    int channel;
    struct driver driver;
    struct gpu_facts facts;
    driver_device device;
    driver_context context;
    driver_module helpers;
    driver_function copy, sweep;
    driver_event begin, end;
    driver_address flush;
    size_t flush_words;
    struct collector *collector; /* NULL if counters are not available. */
    char no_counters[sizeof((struct gpu_result *)0)->no_counters];

    const struct gpu_job *job;
    struct gpu_result *result;
    driver_module module;
    driver_function kernel;
    driver_address constant; /* Address of job->constant; 0 if the module lacks the variable. */
    size_t constant_bytes;
    unsigned char constant_loaded[GPU_CONSTANT_BYTES_MAX];
    const struct gpu_launch *launch;
    struct gpu_matrix input, output;
    bool input_is_pristine; /* True if the input on the device is unmodified. */
};

/* Call the driver in a function with the parameters `session` and `failure`, for example
 * GPU_TRY(synchronize(), "run a kernel"). Returns false after a harness failure. */
#define GPU_TRY(call, what) driver_check(&session->driver, session->driver.call, what, failure)

/* Retain the context of the device, and allocate the resources that all jobs need. */
bool gpu_session_open(struct gpu_session *session, unsigned max_passes, struct failure *failure);
void gpu_session_close(struct gpu_session *session);

/* Wait at most GPU_LAUNCH_SECONDS for all queued work. A fault of the kernel and a timeout are
 * student failures; result->context_lost then becomes true. */
bool gpu_session_wait(struct gpu_session *session, struct failure *failure);

/* Launch the kernel without waiting for it. A rejected launch is a student failure. */
bool gpu_session_launch(struct gpu_session *session, struct failure *failure);
/* Launch a copy of input to output with 16-byte accesses. */
bool gpu_session_copy(struct gpu_session *session, struct failure *failure);
/* Flush the L2, including its dirty lines, without waiting. */
bool gpu_session_flush(struct gpu_session *session, struct failure *failure);

bool gpu_session_load(struct gpu_session *session, const void *image, struct failure *failure);
void gpu_session_unload(struct gpu_session *session);
/* Returns false, with the student failure `untrusted`, if a launch has modified job->constant. */
bool gpu_session_check_constant(struct gpu_session *session, struct failure *failure);

/* Restore the input and the guard bands, and fill the output with poison values. */
bool gpu_matrices_prepare(struct gpu_session *session, struct failure *failure);
/* Copy both matrices to the host and verify them. Student failures are those of verify.h. */
bool gpu_matrices_verify(struct gpu_session *session, struct failure *failure);
driver_address gpu_matrix_address(const struct gpu_matrix *matrix);
void gpu_matrices_free(struct gpu_session *session);

/* Time the verified kernel, and set the time and bandwidth columns of the record. */
bool gpu_measure_time(struct gpu_session *session, struct failure *failure);
/* Count the kernel's events, and set the counter columns of the record. If this machine does not
 * permit counting, set result->no_counters and return true. */
bool gpu_measure_counters(struct gpu_session *session, struct failure *failure);

/* Sort `count` (at least 1) samples, and return their quantile `share` (0 to 1), interpolated. */
double gpu_quantile(double *samples, unsigned count, double share);

#endif
