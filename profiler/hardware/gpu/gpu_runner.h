/* gpu_runner.h: run kernels on this machine's GPU.
 *
 * The driver runs in a separate process, the worker (gpu_job.h). A kernel that faults, hangs or
 * corrupts its context therefore affects only its own job; the next job gets a new worker. The
 * calling process never initializes CUDA, so that it can still fork and emulate. */
#ifndef GPU_RUNNER_H
#define GPU_RUNNER_H

#include "hardware/gpu/gpu_job.h"

struct gpu;

/* Start a worker on device options->ordinal. Returns false for a harness failure: this machine has
 * no usable GPU. */
bool gpu_open(const struct gpu_options *options, struct gpu **gpu, struct failure *failure);
const struct gpu_facts *gpu_describe(const struct gpu *gpu);

/* Start a job. No other job may be running. `image` has job->image_bytes bytes and may be freed
 * after the call. Returns false for a harness failure: no worker could be started. */
bool gpu_start(struct gpu *gpu, const struct gpu_job *job, const void *image,
               struct failure *failure);
/* Wait for the job. *result receives its results and failures. */
void gpu_finish(struct gpu *gpu, struct gpu_result *result);

/* End the worker and free `gpu`, which may be NULL. */
void gpu_close(struct gpu *gpu);

#endif
