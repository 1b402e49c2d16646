// shared_atomics: one histogram for each block, in shared memory.
#include "lab.h"

#ifndef BLOCK
#define BLOCK 256
#endif
#ifndef ELEMENTS
#define ELEMENTS 32 // elements per thread
#endif
#define BINS 256

LAB(histogram);

extern "C" __global__ void histogram(unsigned *bins, const unsigned *values, int count)
{
    __shared__ unsigned counts[BINS];

    for (int bin = threadIdx.x; bin < BINS; bin += BLOCK)
        counts[bin] = 0;
    __syncthreads();

    for (size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x; i < count;
         i += (size_t)gridDim.x * BLOCK)
        atomicAdd(&counts[values[i] % BINS], 1);
    __syncthreads();

    for (int bin = threadIdx.x; bin < BINS; bin += BLOCK)
        atomicAdd(&bins[bin], counts[bin]);
}

LAB_LAUNCH(count, rows)
{
    return {dim3(lab_ceil_div(count, BLOCK * ELEMENTS)), dim3(BLOCK)};
}
