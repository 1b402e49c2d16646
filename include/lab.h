/* lab.h: the only header that a lab file includes.
 *
 * A lab file has three parts, in any order:
 *
 *     LAB(padded);                     the name of the exercise
 *
 *     extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
 *     {
 *         ...                          the kernel; idata has height rows of width columns
 *     }
 *
 *     LAB_LAUNCH(width, height)        how to launch it for a matrix of that size
 *     {
 *         return {dim3(8, 8), dim3(32, 8), 0};
 *     }                                grid, block, bytes of dynamic shared memory (may be left
 * out)
 *
 * Built by nvcc alone, such a file is a complete CUDA program: its main() is in lab_main.h. `tlab`
 * compiles the same file with LAB_HARNESS defined, and then takes nothing from it but device code:
 * the name, the kernel, and a kernel of one thread that reports the launch shape.
 */
#ifndef LAB_H
#define LAB_H

/* What LAB_LAUNCH returns. */
struct lab_shape {
    dim3 grid, block;
    unsigned shared_bytes = 0;
};

/* a / b, rounded up: how many pieces of b cover a. Safe up to the largest int. a >= 0, b > 0. */
static inline __host__ __device__ int lab_ceil_div(int a, int b)
{
    return a / b + (a % b != 0);
}

/* A grid of `columns` by `rows` blocks. CUDA allows 65535 blocks in y; a taller grid continues in
 * z, with at least `rows` rows of blocks altogether, a thousand more at most. So the row of a block
 * is blockIdx.y + gridDim.y * blockIdx.z, which is blockIdx.y for all but the tallest matrices. */
static inline __host__ __device__ dim3 lab_grid(int columns, int rows)
{
    int layers = lab_ceil_div(rows, 65535);
    return dim3(columns, lab_ceil_div(rows, layers), layers);
}

/* Name the exercise. The name is kept in the compiled module, where `tlab` finds it. */
#define LAB(name)                                                                                  \
    extern "C" {                                                                                   \
    __device__ char lab_name[] = #name;                                                            \
    }                                                                                              \
    LAB_HOST_NAME(name)                                                                            \
    static_assert(sizeof(#name) > 1, "LAB() needs the name of the exercise, as in LAB(padded)")

/* Begin the launch function. `lab_launch_shape` is how tlab asks for its answer. */
#define LAB_LAUNCH(width, height)                                                                  \
    static __host__ __device__ lab_shape lab_launch(int, int);                                     \
    extern "C" LAB_KERNEL void lab_launch_shape(unsigned *shape, int columns, int rows)            \
    {                                                                                              \
        lab_shape answer = lab_launch(columns, rows);                                              \
        shape[0] = answer.grid.x, shape[1] = answer.grid.y, shape[2] = answer.grid.z;              \
        shape[3] = answer.block.x, shape[4] = answer.block.y, shape[5] = answer.block.z;           \
        shape[6] = answer.shared_bytes;                                                            \
    }                                                                                              \
    LAB_LOOP_KERNEL                                                                                \
    static __host__ __device__ lab_shape lab_launch([[maybe_unused]] int width,                    \
                                                    [[maybe_unused]] int height)

/* LAB_KERNEL is what __global__ means to the compiler, whatever happens to that word below. */
#define LAB_KERNEL __attribute__((global))

/* With LAB_LOOP defined (tlab run --loop kernel) the work is repeated inside one launch:
 * `transpose` becomes an ordinary device function, and this kernel calls it. The function must not
 * be inlined, or the compiler would move its loads out of the loop. The barrier keeps one
 * repetition from overwriting a shared tile that another is still reading. */
#ifdef LAB_LOOP
#undef __global__
#define __global__ __device__ __noinline__
#undef __launch_bounds__
#define __launch_bounds__(...)
#define LAB_LOOP_KERNEL                                                                            \
    extern "C" __global__ void transpose(float *, const float *, int, int);                        \
    extern "C" LAB_KERNEL void lab_loop(float *odata, const float *idata, int width, int height,   \
                                        int repeats)                                               \
    {                                                                                              \
        for (int i = 0; i < repeats; i++) {                                                        \
            transpose(odata, idata, width, height);                                                \
            __syncthreads();                                                                       \
        }                                                                                          \
    }
#else
#define LAB_LOOP_KERNEL
#endif

#if defined(LAB_HARNESS) || defined(LAB_NO_MAIN)
#define LAB_HOST_NAME(name)
#else
#define LAB_HOST_NAME(name) const char lab_exercise[] = #name;
#include "lab_main.h"
#endif

#endif
