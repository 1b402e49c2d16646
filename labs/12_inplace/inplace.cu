// 12_inplace: a square matrix, transposed where it lies.
#include "lab.h"

#define TILE 64     // a side, in floats
#define THREADS 512 // of a block
#ifndef BLOCKS // at least so many on an SM: bounds the registers of a thread
#if __CUDA_ARCH__ == 800 || __CUDA_ARCH__ == 900 || __CUDA_ARCH__ == 1000 // which hold 2048 threads
#define BLOCKS 4
#else
#define BLOCKS 2
#endif
#endif

LAB(inplace);


// The matrix has as many rows as columns: width == height.
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) transpose(float *data, int width, int height)
{
    // Your turn: a block takes two tiles that change places. Which blocks are there, and what of the diagonal?
}

LAB_LAUNCH(width, height)
{
    return {dim3(lab_ceil_div(width, TILE), lab_ceil_div(height, TILE)), dim3(THREADS)};
}
