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
    // Your turn: copy your kernel from 20_sum_shared and run it once unchanged. Then let the
    // threads of a warp access neighbouring words in every iteration.
}

LAB_LAUNCH(count, rows)
{
    return {dim3(lab_ceil_div(count, BLOCK)), dim3(BLOCK)};
}
