/* lab_harness.h: the definitions of LAB and LAB_LAUNCH. tlab compiles a lab file with LAB_HARNESS
 * defined. The module then contains the name of the exercise, the kernel, and a kernel of one
 * thread that reports the launch configuration. */
#ifndef LAB_HARNESS_H
#define LAB_HARNESS_H

/* Stores the name of the exercise in the compiled module, where `tlab` finds it. */
#define LAB(name)                                                                                  \
    extern "C" {                                                                                   \
    __device__ char lab_name[] = #name;                                                            \
    }                                                                                              \
    LAB_HOST_NAME(name)                                                                            \
    static_assert(sizeof(#name) > 1, "LAB() needs the name of the exercise, as in LAB(padded)")

/* Begins the launch function. tlab launches the kernel lab_launch_shape to get its result. */
#define LAB_LAUNCH(...)                                                                            \
    LAB_LAUNCH_AS(__VA_ARGS__, LAB_LAUNCH_WRONG, LAB_LAUNCH_WRONG, LAB_LAUNCH_BATCH,               \
                  LAB_LAUNCH_ONE, LAB_LAUNCH_WRONG, )                                              \
    (__VA_ARGS__)
#define LAB_LAUNCH_AS(one, two, three, four, five, as, ...) as
#define LAB_LAUNCH_WRONG(...)                                                                      \
    static_assert(false, "LAB_LAUNCH takes two names, LAB_LAUNCH(width, height); for a batch, it " \
                         "takes three names, LAB_LAUNCH(width, height, matrices)");                \
    LAB_LAUNCH_ONE(width, height)
#define LAB_LAUNCH_ONE(width, height)                                                              \
    LAB_LAUNCH_SHAPE((unsigned *shape, int columns, int rows), (columns, rows, 1))                 \
    static __host__ __device__ lab_shape lab_launch([[maybe_unused]] int width,                    \
                                                    [[maybe_unused]] int height, int)
#define LAB_LAUNCH_BATCH(width, height, matrices)                                                  \
    LAB_LAUNCH_SHAPE((unsigned *shape, int columns, int rows, int count), (columns, rows, count))  \
    static __host__ __device__ lab_shape lab_launch(                                               \
        [[maybe_unused]] int width, [[maybe_unused]] int height, [[maybe_unused]] int matrices)
#define LAB_LAUNCH_SHAPE(parameters, arguments)                                                    \
    static __host__ __device__ lab_shape lab_launch(int, int, int);                                \
    extern "C" LAB_KERNEL void lab_launch_shape parameters                                         \
    {                                                                                              \
        lab_shape answer = lab_launch arguments;                                                   \
        shape[0] = answer.grid.x, shape[1] = answer.grid.y, shape[2] = answer.grid.z;              \
        shape[3] = answer.block.x, shape[4] = answer.block.y, shape[5] = answer.block.z;           \
        shape[6] = answer.shared_bytes;                                                            \
    }                                                                                              \
    LAB_LOOP_KERNEL

/* Use LAB_KERNEL in place of __global__, because LAB_LOOP redefines __global__ below. */
#define LAB_KERNEL __attribute__((global))

/* With LAB_LOOP (tlab run --loop kernel), one launch repeats the work: lab_loop calls `transpose`
 * as a device function. The empty assembly statement prevents the compiler from moving loads and
 * stores out of the loop. The barrier protects a shared tile that another thread still reads. */
#ifdef LAB_LOOP
#undef __global__
#define __global__ __device__ __forceinline__
#undef __launch_bounds__
#define __launch_bounds__(...)
#define LAB_LOOP_KERNEL                                                                            \
    extern "C" __global__ void transpose(float *, const float *, int, int);                        \
    extern "C" LAB_KERNEL void lab_loop(float *odata, const float *idata, int width, int height,   \
                                        int repeats)                                               \
    {                                                                                              \
        for (int i = 0; i < repeats; i++) {                                                        \
            asm volatile("" : "+l"(odata), "+l"(idata) : : "memory");                              \
            transpose(odata, idata, width, height);                                                \
            __syncthreads();                                                                       \
        }                                                                                          \
    }
#else
#define LAB_LOOP_KERNEL
#endif

/* The kernel is `transpose`, unless lab_references.h declares a kernel for the exercise. */
#if defined(LAB_HARNESS) || defined(LAB_NO_MAIN)
#define LAB_HOST_NAME(name)
#else
#define LAB_HOST_NAME(name)                                                                        \
    const char lab_exercise[] = #name;                                                             \
    LAB_CHOOSE(LAB_HOST_KERNEL, LAB_KERNEL_##name, transpose, (float *, const float *, int, int))
#include "lab_main.h"
#endif

#endif
