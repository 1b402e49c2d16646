// global_atomics: one atomic addition to global memory for each value.
#include "lab.h"

#ifndef BLOCK
#define BLOCK 256
#endif
#define BINS 256

LAB(histogram);

extern "C" __global__ void histogram(unsigned *bins, const unsigned *values, int count)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;

    if (i < count)
        atomicAdd(&bins[values[i] % BINS], 1);
}

LAB_LAUNCH(count, rows)
{
    return {dim3(lab_ceil_div(count, BLOCK)), dim3(BLOCK)};
}
