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
 *     }                                grid, block, and bytes of dynamic shared memory, which may
 *                                      be left out
 *
 * (Other exercises have a kernel of another name or with other parameters, which their lab file shows;
 * LAB_LAUNCH is the same, or LAB_LAUNCH(width, height, matrices) for a batch of matrices.)
 *
 * Built by nvcc alone, such a file is a complete CUDA program: its main() is in lab_main.h. `tlab`
 * compiles the same file and takes nothing from it but device code. LAB and LAB_LAUNCH are defined
 * in lab_harness.h.
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

#include "lab_harness.h"

#endif
