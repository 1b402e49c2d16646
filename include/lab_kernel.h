/* lab_kernel.h and lab_kernel_end.h: write a reference as a CUDA kernel that runs on the host.
 *
 * A header in include/references may define the correct result by a kernel, without extern "C":
 *
 *     #include "../lab_kernel.h"
 *     __global__ void kernel_scaled(float *out, const float *in, int width, int height,
 *                                   int mistake) { ... }
 *     static const char *const mistakes_scaled[] = {0};
 *     LAB_KERNEL_REFERENCE(scaled, width, height, 1, (float *)arrays[0], (const float *)arrays[1],
 *                          (int)width, (int)height, mistake)
 *     #include "../lab_kernel_end.h"
 *
 * The kernel is compiled into tlab (as C) and into standalone programs (as C++, by nvcc), so that
 * grading does not compile it. The threads run one after another, so barriers and shared memory
 * are not available. For sums, atomicAdd is available. */
#ifndef LAB_KERNEL_H
#define LAB_KERNEL_H

struct lab_kernel_index {
    int x, y, z;
};

static __thread struct lab_kernel_index lab_kernel_thread, lab_kernel_block, lab_kernel_grid;
static const struct lab_kernel_index lab_kernel_dim = {32, 8, 1};

/* Defines reference_NAME(arrays, width, height, matrices, mistake). The function runs kernel_NAME
 * with the arguments after `layers`, for exactly `columns` x `rows` x `layers` threads. */
#define LAB_KERNEL_REFERENCE(name, columns, rows, layers, ...)                                     \
    static inline void reference_##name(void *const *arrays, long long width, long long height,    \
                                        long long matrices, int mistake)                           \
    {                                                                                              \
        (void)width, (void)height, (void)matrices, (void)mistake;                                  \
        lab_kernel_grid.x = (int)(((columns) + lab_kernel_dim.x - 1) / lab_kernel_dim.x);          \
        lab_kernel_grid.y = (int)(((rows) + lab_kernel_dim.y - 1) / lab_kernel_dim.y);             \
        lab_kernel_grid.z = (int)(layers);                                                         \
        for (int z = 0; z < lab_kernel_grid.z; z++)                                                \
            for (int y = 0; y < (int)(rows); y++)                                                  \
                for (int x = 0; x < (int)(columns); x++) {                                         \
                    lab_kernel_block.x = x / lab_kernel_dim.x;                                     \
                    lab_kernel_block.y = y / lab_kernel_dim.y;                                     \
                    lab_kernel_block.z = z;                                                        \
                    lab_kernel_thread.x = x % lab_kernel_dim.x;                                    \
                    lab_kernel_thread.y = y % lab_kernel_dim.y;                                    \
                    kernel_##name(__VA_ARGS__);                                                    \
                }                                                                                  \
    }

#endif

/* lab_kernel_end.h restores the previous definitions of these CUDA keywords. */
#pragma push_macro("__global__")
#pragma push_macro("__device__")
#pragma push_macro("__restrict__")
#undef __global__
#undef __device__
#undef __restrict__
#define __global__ static inline
#define __device__ static inline
#define __restrict__
#define blockIdx lab_kernel_block
#define threadIdx lab_kernel_thread
#define gridDim lab_kernel_grid
#define blockDim lab_kernel_dim
#define atomicAdd(address, value) (*(address) += (value))
