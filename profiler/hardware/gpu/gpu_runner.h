/* gpu_runner.h: run kernels on this machine's GPU.
 *
 * The driver lives in a process of its own, the worker (gpu_worker.h): a kernel that faults, hangs
 * or corrupts its context costs only its own job, since the next one gets a new worker. This
 * process never initialises CUDA, so it can fork and go on emulating.
 */
#ifndef GPU_RUNNER_H
#define GPU_RUNNER_H

#include "hardware/gpu/gpu_job.h"

struct gpu;

/* Start a worker on the device of that number. A harness failure says why this machine has no GPU
 * that can be used. */
bool gpu_open(const struct gpu_options *options, struct gpu **gpu, struct failure *failure);
const struct gpu_facts *gpu_describe(const struct gpu *gpu);

/* Start a job, while no other runs; `image` holds job->image_bytes and is needed no longer
 * afterwards. A harness failure: no worker could be started. */
bool gpu_start(struct gpu *gpu, const struct gpu_job *job, const void *image,
               struct failure *failure);
/* Wait for the job that was started. Everything that happened to it stands in the result. */
void gpu_finish(struct gpu *gpu, struct gpu_result *result);

/* May be NULL. */
void gpu_close(struct gpu *gpu);

#endif
