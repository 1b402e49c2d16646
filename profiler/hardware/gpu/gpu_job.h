/* gpu_job.h: the messages between the runner (gpu_runner.h) and the process that uses the GPU
 * (gpu_worker.h): properties of the device, a job, its result. They cross a socket as bytes and
 * contain no pointers.
 */
#ifndef GPU_JOB_H
#define GPU_JOB_H

#include "base/failure.h"
#include "course/matrix.h"
#include "record/record.h"

#include <stdint.h>
#include <stdio.h>

/* Attributes of the device: X(field, driver attribute); counts or bytes. */
#define GPU_LIMITS(X)                                                                              \
    X(max_threads_per_block, DRIVER_MAX_THREADS_PER_BLOCK)                                         \
    X(max_block_x, DRIVER_MAX_BLOCK_X)                                                             \
    X(max_block_y, DRIVER_MAX_BLOCK_Y)                                                             \
    X(max_block_z, DRIVER_MAX_BLOCK_Z)                                                             \
    X(max_grid_x, DRIVER_MAX_GRID_X)                                                               \
    X(max_grid_y, DRIVER_MAX_GRID_Y)                                                               \
    X(max_grid_z, DRIVER_MAX_GRID_Z)                                                               \
    X(multiprocessors, DRIVER_MULTIPROCESSORS)                                                     \
    X(max_threads_per_sm, DRIVER_MAX_THREADS_PER_SM)                                               \
    X(max_blocks_per_sm, DRIVER_MAX_BLOCKS_PER_SM)                                                 \
    X(shared_per_sm, DRIVER_SHARED_PER_SM)                                                         \
    X(shared_per_block, DRIVER_SHARED_PER_BLOCK)                                                   \
    X(shared_per_block_optin, DRIVER_SHARED_PER_BLOCK_OPTIN)                                       \
    X(shared_reserved_per_block, DRIVER_SHARED_RESERVED_PER_BLOCK)                                 \
    X(l2_bytes, DRIVER_L2_BYTES)

struct gpu_facts {
    char name[64]; /* "NVIDIA H200" */
    int ordinal;
    unsigned compute_capability; /* 90 for 9.0 */
    unsigned driver_version;     /* Newest CUDA version that the driver supports: 13000 for 13.0. */
    uint64_t memory_bytes;
    double clock_mhz;         /* Maximum SM clock; 0: unknown. */
    unsigned memory_bus_bits; /* 0: unknown. */
    double dram_gbps;         /* Theoretical: memory clock x bus width x 2; 0: unknown. */
#define X(field, attribute) uint64_t field;
    GPU_LIMITS(X)
#undef X
};

struct gpu_options {
    int ordinal;
    unsigned max_passes; /* Passes of the counters: 0 for all columns, 1 for those of one pass. */
    FILE *output;        /* Receives device printf; NULL: discarded. */
};

/* One matrix size of a job, with the launch configuration of LAB_LAUNCH. */
struct gpu_launch {
    uint64_t rows, cols;
    uint32_t grid[3], block[3];
    uint32_t dynamic_shared;
};

enum { GPU_LAUNCHES_MAX = 16, GPU_KERNEL_NAME_SIZE = 64 };

/* A job: run and verify the kernel at every size; time and count it at the last size. */
struct gpu_job {
    size_t image_bytes; /* Size of the cubin, or of the PTX with its final NUL. */
    char kernel[GPU_KERNEL_NAME_SIZE];
    char constant[GPU_KERNEL_NAME_SIZE]; /* Variable that launches must not modify; "": none. */
    enum reference reference;
    uint32_t tile;
    uint64_t seed;
    unsigned launch_count;
    struct gpu_launch launches[GPU_LAUNCHES_MAX];
    unsigned
        inner_repeats; /* Last argument: repetitions inside the kernel; 0: no such parameter. */
    unsigned samples;  /* Timed launches; 0: verify only. */
    bool warm;         /* Do not flush the caches between runs of the kernel. */
    unsigned threads;  /* Host threads for verification. */
};

struct gpu_result {
    struct failure failure;
    unsigned launch;                     /* Index of the launch that failed. */
    bool in_kernel;                      /* The kernel faulted or exceeded the time limit. */
    bool never_written;                  /* The kernel wrote nothing to the output. */
    bool context_lost;                   /* The context is unusable, and the worker ends. */
    uint64_t shared_bytes;               /* Static and dynamic shared memory per block. */
    bool counted;                        /* The counter columns are known. */
    char no_counters[FAILURE_TEXT_SIZE]; /* Message: why they are unknown. */
    struct record record; /* Chip, times, bandwidths and counters; a status only if untrusted. */
};

#endif
