// 21_sum_sequential: the sum of an array, without bank conflicts.
#include "lab.h"

#ifndef BLOCK
#define BLOCK 256
#endif
static_assert(BLOCK % 2 == 0 && (BLOCK & (BLOCK - 1)) == 0, "BLOCK must be a power of two");

LAB(sum_sequential);

// *sum is 0 before the launch.
extern "C" __global__ void reduce(unsigned *sum, const unsigned *values, int count)
{
    //>> solution
    __shared__ unsigned partial[BLOCK];
    int i = blockIdx.x * BLOCK + threadIdx.x;

    partial[threadIdx.x] = i < count ? values[i] : 0;
    __syncthreads();

    // Add the upper half to the lower half, so that neighbouring threads use neighbouring words.
    for (int step = BLOCK / 2; step > 0; step /= 2) {
        if (threadIdx.x < step)
            partial[threadIdx.x] += partial[threadIdx.x + step];
        __syncthreads();
    }

    if (threadIdx.x == 0)
        atomicAdd(sum, partial[0]);
    //== skeleton
    //| // Your turn: copy your kernel from 20_sum_shared and run it once unchanged. Then let the
    //| // threads of a warp access neighbouring words in every iteration.
    //<<
}

LAB_LAUNCH(count, rows)
{
    return {dim3(lab_ceil_div(count, BLOCK)), dim3(BLOCK)};
}
