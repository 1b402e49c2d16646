// swap: in place without shared memory, with one thread per pair of elements across the diagonal.
#include "lab.h"

#ifndef BLOCK_X
#define BLOCK_X 32
#endif
#ifndef BLOCK_Y
#define BLOCK_Y 8
#endif

LAB(inplace);

// Half of the threads have nothing to do. One side of every swap goes down a column, where loads
// and stores touch a sector for each element.
extern "C" __global__ void transpose(float *data, int width, int height)
{
    int col = blockIdx.x * BLOCK_X + threadIdx.x;
    int row = blockIdx.y * BLOCK_Y + threadIdx.y;

    if (row < height && col < row) {
        float below = data[(size_t)row * width + col];
        float above = data[(size_t)col * width + row];
        data[(size_t)row * width + col] = above;
        data[(size_t)col * width + row] = below;
    }
}

LAB_LAUNCH(width, height)
{
    return {dim3(lab_ceil_div(width, BLOCK_X), lab_ceil_div(height, BLOCK_Y)), dim3(BLOCK_X, BLOCK_Y)};
}
