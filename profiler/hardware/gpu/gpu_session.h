/* gpu_session.h: what the parts of the worker share: a context on the device, the two matrices of a
 * job with their guard bands, launches under a time limit, timing and counting.
 */
#ifndef GPU_SESSION_H
#define GPU_SESSION_H

#include "hardware/cupti/collector.h"
#include "hardware/cupti/driver.h"
#include "hardware/gpu/gpu_job.h"

/* Before and after each matrix; as many bytes as the emulator keeps between them. */
enum { GPU_GUARD_BYTES = 2048, GPU_GUARD_WORDS = GPU_GUARD_BYTES / 4 };

/* Longest that one launch may take, in seconds. The slowest honest kernel of the course takes
 * milliseconds. */
enum { GPU_LAUNCH_SECONDS = 10 };

/* A matrix between its guard bands, on both sides; memory grows from job to job. */
struct gpu_matrix {
    uint32_t *host;        /* page-locked: guard, matrix, guard */
    driver_address device; /* the same */
    size_t capacity;       /* words of both */
};

/* A variable that must stay as it was loaded; the largest that is watched. */
enum { GPU_CONSTANT_BYTES_MAX = 256 };

struct gpu_session {
    int channel; /* to the runner */
    struct driver driver;
    struct gpu_facts facts;
    driver_device device;
    driver_context context;
    driver_module helpers; /* gpu_kernels.h */
    driver_function copy, sweep;
    driver_event begin, end;
    driver_address flush; /* a buffer of several times the L2 */
    size_t flush_words;
    struct collector *collector; /* NULL: no_counters says why */
    char no_counters[sizeof((struct gpu_result *)0)->no_counters];

    /* Of the current job. */
    const struct gpu_job *job;
    struct gpu_result *result;
    driver_module module;
    driver_function kernel;
    driver_address constant; /* job->constant; 0: the module has none */
    size_t constant_bytes;
    unsigned char constant_loaded[GPU_CONSTANT_BYTES_MAX];
    const struct gpu_launch *launch;
    struct gpu_matrix input, output;
    bool input_is_pristine; /* the device's input is what it must be */
};

/* ---- gpu_session.c ---- */

/* Wall-clock time from some point on. */
double gpu_seconds(void);

/* Take the device's context, and load and allocate what all jobs need. */
bool gpu_session_open(struct gpu_session *session, unsigned max_passes, struct failure *failure);
void gpu_session_close(struct gpu_session *session);

/* Wait for all work up to event `end`, at most GPU_LAUNCH_SECONDS. Faults of the kernel and an
 * expired limit are student failures, and result->context_lost tells that the context is of no more
 * use. */
bool gpu_session_wait(struct gpu_session *session, struct failure *failure);

/* Launch the job's kernel without waiting. What the driver refuses is a student failure. */
bool gpu_session_launch(struct gpu_session *session, struct failure *failure);
/* Launch a 16-byte copy of input to output. */
bool gpu_session_copy(struct gpu_session *session, struct failure *failure);
/* Empty the L2 of everything of ours, dirty lines included, without waiting. */
bool gpu_session_flush(struct gpu_session *session, struct failure *failure);

/* Load the job's image and find its kernel. */
bool gpu_session_load(struct gpu_session *session, const void *image, struct failure *failure);
void gpu_session_unload(struct gpu_session *session);
/* Is the job's constant as it was loaded? A student failure (untrusted) when it is not. */
bool gpu_session_check_constant(struct gpu_session *session, struct failure *failure);

/* ---- gpu_matrices.c ---- */

/* Input restored, output poisoned, guards whole. */
bool gpu_matrices_prepare(struct gpu_session *session, struct failure *failure);
/* Fetch both and compare everything with the reference: student failures as in verify.h. */
bool gpu_matrices_verify(struct gpu_session *session, struct failure *failure);
/* The matrices themselves, on the device. */
driver_address gpu_matrix_address(const struct gpu_matrix *matrix);
void gpu_matrices_free(struct gpu_session *session);

/* ---- gpu_measure.c ---- */

/* Time the verified kernel, and set the record's time and bandwidth columns. */
bool gpu_measure_time(struct gpu_session *session, struct failure *failure);
/* Count it, if this machine allows it, and set the counter columns. */
bool gpu_measure_counters(struct gpu_session *session, struct failure *failure);

/* The value below which a share of the sorted samples lies, interpolated. count >= 1. */
double gpu_quantile(const double *sorted, unsigned count, double share);

#endif
