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
 *     }                                grid, block, and optionally bytes of dynamic shared memory
 *
 * (In some exercises the kernel has another name or other parameters, which their lab file shows.
 * LAB_LAUNCH is the same, or LAB_LAUNCH(width, height, matrices) for a batch of matrices.)
 *
 * Built by nvcc alone, such a file is a complete CUDA program: its main() is in lab_main.h. `tlab`
 * compiles the same file and uses only its device code. LAB and LAB_LAUNCH are defined in
 * lab_harness.h.
 */
#ifndef LAB_H
#define LAB_H

/* The launch configuration that LAB_LAUNCH returns. */
struct lab_shape {
    dim3 grid, block;
    unsigned shared_bytes = 0;
};

/* Returns a / b, rounded up. Requires a >= 0, b > 0. Does not overflow, even for the largest
 * int. */
static inline __host__ __device__ int lab_ceil_div(int a, int b)
{
    return a / b + (a % b != 0);
}

/* Returns a grid of `columns` by `rows` blocks. CUDA allows 65535 blocks in y, so a taller grid
 * continues in z, with at most a thousand additional rows of blocks. The row of a block is
 * blockIdx.y + gridDim.y * blockIdx.z, which is blockIdx.y for all but the tallest matrices. */
static inline __host__ __device__ dim3 lab_grid(int columns, int rows)
{
    int layers = lab_ceil_div(rows, 65535);
    return dim3(columns, lab_ceil_div(rows, layers), layers);
}

#include "lab_harness.h"

#endif
