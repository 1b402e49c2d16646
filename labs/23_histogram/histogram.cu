// 23_histogram: the sizes of 256 bins, which each warp counts in shared memory.
#include "lab.h"

#ifndef BLOCK
#define BLOCK 256
#endif
#ifndef ELEMENTS
#define ELEMENTS 32 // elements per thread
#endif
#define BINS 256
static_assert(BLOCK % 32 == 0 && BLOCK <= 1024, "BLOCK must be a multiple of 32");

LAB(histogram);

// The bin of a value is its lowest byte, values[i] % BINS. All bins are 0 before the launch.
extern "C" __global__ void histogram(unsigned *bins, const unsigned *values, int count)
{
    // Your turn: first add 1 to the bin of each value in global memory. Then let each block count
    // in shared memory. At the end, let each warp count separately. The handout lists the steps.
}

LAB_LAUNCH(count, rows)
{
    return {dim3(lab_ceil_div(count, BLOCK)), dim3(BLOCK)};
}
