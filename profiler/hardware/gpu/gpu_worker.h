/* gpu_worker.h: the process that uses the GPU.
 *
 * It exchanges frames (process/frame.h) with gpu_runner.c. First it sends a gpu_hello; then it
 * answers each gpu_job and its image with a gpu_result. It ends when the channel is closed, or when
 * a kernel has corrupted its context.
 */
#ifndef GPU_WORKER_H
#define GPU_WORKER_H

#include "hardware/gpu/gpu_job.h"

struct gpu_hello {
    struct failure failure; /* Set if the GPU cannot be used. */
    struct gpu_facts facts;
};

/* Send or receive one of these structures. After a job comes its image (NULL: none); a received
 * image is malloc'd. False: the other process has ended, or not enough memory. */
bool gpu_send(int channel, const void *object, size_t size, const void *image, size_t image_bytes);
bool gpu_receive(int channel, void *object, size_t size, char **image, size_t *image_bytes);

/* The main function of a worker. Device printf goes to its standard output. */
void gpu_worker_main(int channel, const struct gpu_options *options);

#endif
