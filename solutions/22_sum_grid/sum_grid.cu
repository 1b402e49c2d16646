// 22_sum_grid: the sum of an array, with most of the work in registers.
#include "lab.h"

#ifndef BLOCK
#define BLOCK 256
#endif
#ifndef ELEMENTS
#define ELEMENTS 16 // elements per thread
#endif
static_assert(BLOCK % 32 == 0 && BLOCK <= 1024, "BLOCK must be a multiple of 32");

LAB(sum_grid);

// *sum is 0 before the launch.
extern "C" __global__ void reduce(unsigned *sum, const unsigned *values, int count)
{
    //>> solution
    __shared__ unsigned partial[32];
    unsigned own = 0;

    // In this grid-stride loop, the elements of a warp are neighbours in every iteration.
    for (size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x; i < count;
         i += (size_t)gridDim.x * BLOCK)
        own += values[i];

    // Lanes add values by shuffles. The sums of the warps are added in shared memory.
    for (int distance = 16; distance > 0; distance /= 2)
        own += __shfl_down_sync(0xffffffff, own, distance);
    if (threadIdx.x % 32 == 0)
        partial[threadIdx.x / 32] = own;
    __syncthreads();

    if (threadIdx.x < 32) {
        own = threadIdx.x < BLOCK / 32 ? partial[threadIdx.x] : 0;
        for (int distance = 16; distance > 0; distance /= 2)
            own += __shfl_down_sync(0xffffffff, own, distance);
        if (threadIdx.x == 0)
            atomicAdd(sum, own);
    }
    //== skeleton
    //| // Your turn: let each thread add several elements before it uses shared memory. Let the
    //| // lanes of a warp add their values without shared memory.
    //<<
}

LAB_LAUNCH(count, rows)
{
    //>> solution
    return {dim3(lab_ceil_div(count, BLOCK * ELEMENTS)), dim3(BLOCK)};
    //== skeleton
    //| return {dim3(lab_ceil_div(count, BLOCK)), dim3(BLOCK)};
    //<<
}
