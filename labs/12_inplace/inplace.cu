// 12_inplace: transpose a square matrix in place.
#include "lab.h"

#define TILE 64     // side of a tile, in floats
#define THREADS 512 // threads per block
#ifndef BLOCKS // smallest number of resident blocks per SM, which limits registers per thread
#if __CUDA_ARCH__ == 800 || __CUDA_ARCH__ == 900 || __CUDA_ARCH__ == 1000 // SMs with 2048 threads
#define BLOCKS 4
#else
#define BLOCKS 2
#endif
#endif

LAB(inplace);


// The matrix has as many rows as columns: width == height.
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) transpose(float *data, int width, int height)
{
    // Your turn: a block swaps two tiles. Which blocks are needed? What happens on the diagonal?
}

LAB_LAUNCH(width, height)
{
    return {dim3(lab_ceil_div(width, TILE), lab_ceil_div(height, TILE)), dim3(THREADS)};
}
