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
    // Your turn: let each thread add several elements before it uses shared memory. Let the
    // lanes of a warp add their values without shared memory.
}

LAB_LAUNCH(count, rows)
{
    return {dim3(lab_ceil_div(count, BLOCK)), dim3(BLOCK)};
}
