/* gpu_runner.h: run kernels on this machine's GPU. A separate process, the worker (gpu_job.h), uses
 * the driver. A kernel that faults, hangs or corrupts its context therefore affects only its own
 * job; the next job gets a new worker. The caller never initializes CUDA, so it can fork. */
#ifndef GPU_RUNNER_H
#define GPU_RUNNER_H

#include "hardware/gpu/gpu_job.h"

struct gpu;

/* Start a worker on device options->ordinal. *gpu receives a handle for gpu_close. Returns false
 * for a harness failure: this machine has no usable GPU. */
bool gpu_open(const struct gpu_options *options, struct gpu **gpu, struct failure *failure);
const struct gpu_facts *gpu_describe(const struct gpu *gpu);

/* Start a job, after the previous job has finished. `image` has job->image_bytes bytes and may be
 * freed after the call. Returns false for a harness failure: no worker could be started. */
bool gpu_start(struct gpu *gpu, const struct gpu_job *job, const void *image,
               struct failure *failure);
/* Wait for the job. *result receives its results or its failure. */
void gpu_finish(struct gpu *gpu, struct gpu_result *result);

void gpu_close(struct gpu *gpu);

#endif
