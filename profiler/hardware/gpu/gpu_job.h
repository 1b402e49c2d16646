/* gpu_job.h: what the runner (gpu_runner.h) and the process that drives the GPU (gpu_worker.h) say
 * to each other: the device's facts, a job, its result. It crosses a socket as bytes, so there are
 * no pointers in it.
 */
#ifndef GPU_JOB_H
#define GPU_JOB_H

#include "base/failure.h"
#include "course/matrix.h"
#include "record/record.h"

#include <stdint.h>
#include <stdio.h>

/* What the driver says of the device. X(field, driver attribute): counts, bytes and kHz. */
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
    unsigned driver_version;     /* 13000 for CUDA 13.0: the newest that this driver serves */
    uint64_t memory_bytes;
    double clock_mhz;         /* highest of the SMs; 0: unknown */
    unsigned memory_bus_bits; /* 0: unknown */
    double dram_gbps;         /* theoretical: memory clock x bus width x 2; 0: unknown */
#define X(field, attribute) uint64_t field;
    GPU_LIMITS(X)
#undef X
};

struct gpu_options {
    int ordinal;
    unsigned max_passes; /* of the counters: 0 for all columns, 1 for those of one pass */
    FILE *output;        /* device printf; NULL drops it */
};

/* One size of a job, with the shape that LAB_LAUNCH gives for it. */
struct gpu_launch {
    uint64_t rows, cols;
    uint32_t grid[3], block[3];
    uint32_t dynamic_shared;
};

enum { GPU_LAUNCHES_MAX = 16, GPU_KERNEL_NAME_SIZE = 64 };

/* What to run: the kernel at every size in turn, verified; at the last it is timed and counted. */
struct gpu_job {
    size_t image_bytes; /* a cubin, or PTX with its final NUL, which the driver compiles */
    char kernel[GPU_KERNEL_NAME_SIZE];
    char constant[GPU_KERNEL_NAME_SIZE]; /* a variable of the module that no launch may change, lest
                                            it keep something for the next; "": none */
    enum reference reference;
    uint32_t tile;
    uint64_t seed;
    unsigned launch_count;
    struct gpu_launch launches[GPU_LAUNCHES_MAX];
    unsigned inner_repeats; /* the kernel's last parameter, and what it repeats; 0: it has none */
    unsigned samples;       /* timed launches; 0: verified, and neither timed nor counted */
    bool warm;              /* caches are left as the previous run of the kernel left them */
    unsigned threads;       /* of the host, to verify with */
};

struct gpu_result {
    struct failure failure;              /* of the student or of the harness; none: all good */
    unsigned launch;                     /* at which it failed */
    bool in_kernel;                      /* the kernel faulted or ran out of time */
    bool never_written;                  /* the output still held its poison everywhere */
    bool context_lost;                   /* the worker ends */
    uint64_t shared_bytes;               /* of a block, static and dynamic */
    bool counted;                        /* the counter columns are known */
    char no_counters[FAILURE_TEXT_SIZE]; /* why not */
    struct record record; /* chip, times, bandwidths and counters; status only if untrusted */
};

#endif
