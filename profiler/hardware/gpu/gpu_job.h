/* gpu_job.h: the worker process, which uses the GPU (gpu_worker.c), and its messages to and from
 * the runner (gpu_runner.h). Messages are frames (process/frame.h) that contain the structures
 * below as bytes. The worker sends a gpu_hello, and answers each gpu_job and its image with a
 * gpu_result. The worker ends when the channel is closed or a kernel has corrupted the context. */
#ifndef GPU_JOB_H
#define GPU_JOB_H

#include "base/failure.h"
#include "course/matrix.h"
#include "record/record.h"

#include <stdint.h>
#include <stdio.h>

/* X(field, CUdevice_attribute of cuda.h): limits of the device, as counts or bytes. */
#define GPU_LIMITS(X)                                                                              \
    X(max_threads_per_block, 1)                                                                    \
    X(max_block_x, 2)                                                                              \
    X(max_block_y, 3)                                                                              \
    X(max_block_z, 4)                                                                              \
    X(max_grid_x, 5)                                                                               \
    X(max_grid_y, 6)                                                                               \
    X(max_grid_z, 7)                                                                               \
    X(multiprocessors, 16)                                                                         \
    X(max_threads_per_sm, 39)                                                                      \
    X(max_blocks_per_sm, 106)                                                                      \
    X(shared_per_sm, 81)                                                                           \
    X(shared_per_block, 8)                                                                         \
    X(shared_per_block_optin, 97)                                                                  \
    X(shared_reserved_per_block, 111)                                                              \
    X(l2_bytes, 38)

struct gpu_facts {
    char name[64];
    int ordinal;
    unsigned compute_capability; /* 90 for 9.0. */
    unsigned driver_version;     /* Newest CUDA version that the driver supports: 13000 for 13.0. */
    uint64_t memory_bytes;
    double clock_mhz;         /* Maximum SM clock; 0 if unknown. */
    unsigned memory_bus_bits; /* 0 if unknown. */
    double dram_gbps;         /* Theoretical: 2 x memory clock x bus width; 0 if unknown. */
#define X(field, attribute) uint64_t field;
    GPU_LIMITS(X)
#undef X
};

struct gpu_options {
    int ordinal;
    unsigned max_passes; /* max_passes of collector_open. */
    FILE *output;        /* Receives the output of device printf; NULL to discard it. */
};

struct gpu_launch {
    uint64_t rows, cols;
    uint32_t grid[3], block[3];
    uint32_t dynamic_shared;
};

enum { GPU_LAUNCHES_MAX = 16, GPU_KERNEL_NAME_SIZE = 64 };

/* The worker verifies the kernel at every size, but times and counts it only at the last size. */
struct gpu_job {
    size_t image_bytes; /* Size of the cubin, or of the PTX with its final NUL. */
    char kernel[GPU_KERNEL_NAME_SIZE];
    char constant[GPU_KERNEL_NAME_SIZE]; /* Variable that launches must not modify; "" if none. */
    enum reference reference;
    uint32_t tile;
    uint64_t seed;
    unsigned launch_count;
    struct gpu_launch launches[GPU_LAUNCHES_MAX];
    unsigned inner_repeats; /* Number of repetitions, the kernel's last argument; 0 if none. */
    unsigned samples;       /* Number of timed launches; 0 to verify only. */
    bool warm;              /* Do not flush the caches between runs of the kernel. */
    unsigned threads;       /* Host threads for verification. */
};

struct gpu_result {
    struct failure failure;
    unsigned launch; /* Index of the launch that failed. */
    bool in_kernel;  /* The kernel faulted or exceeded the time limit. */
    bool never_written;
    bool context_lost;     /* The context is unusable, and the worker ends. */
    uint64_t shared_bytes; /* Static and dynamic shared memory per block. */
    bool counted;
    char no_counters[FAILURE_TEXT_SIZE]; /* Reason if `counted` is false. */
    struct record record; /* Chip, times, bandwidths, counters, and the status `untrusted`. */
};

struct gpu_hello {
    struct failure failure; /* Set if the GPU cannot be used. */
    struct gpu_facts facts;
};

/* Send or receive one of the structures above. Only a job has an image; otherwise, `image` is NULL.
 * The caller frees a received image. Returns false if the peer has ended or memory is exhausted. */
bool gpu_send(int channel, const void *object, size_t size, const void *image, size_t image_bytes);
bool gpu_receive(int channel, void *object, size_t size, char **image, size_t *image_bytes);

/* Serve jobs until the channel is closed. Device printf writes to the worker's standard output. */
void gpu_worker_main(int channel, const struct gpu_options *options);

#endif
