// 12_inplace: a square matrix, transposed where it lies.
#include "lab.h"

#define TILE 64     // a side, in floats
#define THREADS 1024 // of a block: half of them for each tile of a pair
#ifndef BLOCKS
#define BLOCKS 2 // at least so many on an SM: bounds the registers of a thread
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
