/* gpu_worker.h: the process that drives the GPU.
 *
 * It and gpu_runner.c exchange frames (process/frame.h): first it sends a gpu_hello; then, for each
 * gpu_job with its image, one gpu_result. It ends when the channel does, or when a kernel has
 * ruined its context.
 */
#ifndef GPU_WORKER_H
#define GPU_WORKER_H

#include "hardware/gpu/gpu_job.h"

struct gpu_hello {
    struct failure failure; /* why the GPU cannot be used */
    struct gpu_facts facts;
};

/* Send or receive one of these structures; a job is followed by its image, which is then malloc'd
 * (else NULL). False: the other end has gone, or not enough memory. */
bool gpu_send(int channel, const void *object, size_t size, const void *image, size_t image_bytes);
bool gpu_receive(int channel, void *object, size_t size, char **image, size_t *image_bytes);

/* The life of a worker. Its standard output is where device printf goes. */
void gpu_worker_main(int channel, const struct gpu_options *options);

#endif
