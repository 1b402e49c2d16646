/* gpu_worker.h: the process that drives the GPU.
 *
 * It speaks with gpu_runner.c through a socket: first it sends a gpu_hello; then, for each gpu_job
 * and image that come, one gpu_result. Everything has a fixed size. It ends when the socket does,
 * or when a kernel has ruined its context.
 */
#ifndef GPU_WORKER_H
#define GPU_WORKER_H

#include "gpu/gpu_job.h"

struct gpu_hello {
    struct failure failure; /* why the GPU cannot be used */
    struct gpu_facts facts;
};

/* Read or write a whole message; false: the other end has gone. */
bool gpu_receive(int socket, void *bytes, size_t count);
bool gpu_send(int socket, const void *bytes, size_t count);

/* The life of a worker. Its standard output is where device printf goes. */
void gpu_worker_main(int socket, const struct gpu_options *options);

#endif
