// 20_sum_shared: the sum of an array, with one atomic addition per block.
#include "lab.h"

#ifndef BLOCK
#define BLOCK 256
#endif
static_assert(BLOCK % 2 == 0 && (BLOCK & (BLOCK - 1)) == 0, "BLOCK must be a power of two");

LAB(sum_shared);

// *sum is 0 before the launch.
extern "C" __global__ void reduce(unsigned *sum, const unsigned *values, int count)
{
    //>> solution
    __shared__ unsigned partial[BLOCK];
    int i = blockIdx.x * BLOCK + threadIdx.x;

    partial[threadIdx.x] = i < count ? values[i] : 0;
    __syncthreads();

    // After the iteration with step s, partial[2 s k] is the sum of 2 s neighbours.
    for (int step = 1; step < BLOCK; step *= 2) {
        int at = 2 * step * threadIdx.x;
        if (at + step < BLOCK)
            partial[at] += partial[at + step];
        __syncthreads();
    }

    if (threadIdx.x == 0)
        atomicAdd(sum, partial[0]);
    //== skeleton
    //| int i = blockIdx.x * BLOCK + threadIdx.x;
    //|
    //| if (i < count && values[i] != 0) {
    //|     // Your turn: use one word of shared memory per thread. Add the words in iterations,
    //|     // with a barrier after each iteration. One thread adds the block's sum to *sum.
    //| }
    //<<
}

LAB_LAUNCH(count, rows)
{
    return {dim3(lab_ceil_div(count, BLOCK)), dim3(BLOCK)};
}
