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
 *     LAB_LAUNCH(width, height)        the launch configuration for a matrix of that size
 *     {
 *         return {dim3(8, 8), dim3(32, 8), 0};
 *     }                                grid, block, and optionally bytes of dynamic shared memory
 *
 * In some exercises the kernel has a different name or other parameters. The lab file shows them.
 * For a batch of matrices, LAB_LAUNCH has three parameters: LAB_LAUNCH(width, height, matrices).
 *
 * nvcc builds a lab file into a complete CUDA program, with the main() of lab_main.h. `tlab`
 * compiles the same file and uses only its device code. LAB and LAB_LAUNCH are defined in
 * lab_harness.h. */
#ifndef LAB_H
#define LAB_H

struct lab_shape {
    dim3 grid, block;
    unsigned shared_bytes = 0;
};

/* Returns a / b, rounded up, for a >= 0 and b > 0, without overflow. */
static inline __host__ __device__ int lab_ceil_div(int a, int b)
{
    return a / b + (a % b != 0);
}

/* Returns a grid of `columns` by at least `rows` blocks. CUDA allows 65535 blocks in y, so a taller
 * grid has several layers in z. The row of a block is blockIdx.y + gridDim.y * blockIdx.z. */
static inline __host__ __device__ dim3 lab_grid(int columns, int rows)
{
    int layers = lab_ceil_div(rows, 65535);
    return dim3(columns, lab_ceil_div(rows, layers), layers);
}

#include "lab_harness.h"

#endif
