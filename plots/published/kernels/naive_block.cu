// The naive transpose, one element per thread, with blocks of BLOCK_X x BLOCK_Y threads. In blocks
// of width 32, a warp stores to 32 lines. In blocks of width 8, four rows of a warp are adjacent in
// the output, and the warp stores to 8 lines.
#include "lab.h"

#ifndef BLOCK_X
#define BLOCK_X 32
#endif
#ifndef BLOCK_Y
#define BLOCK_Y 32
#endif

LAB(naive);

extern "C" __global__ void transpose(float *__restrict__ odata, const float *__restrict__ idata, int width,
                                     int height)
{
    int col = blockIdx.x * BLOCK_X + threadIdx.x;
    int row = (blockIdx.y + gridDim.y * blockIdx.z) * BLOCK_Y + threadIdx.y;
    if (col < width && row < height)
        odata[(size_t)col * height + row] = idata[(size_t)row * width + col];
}

LAB_LAUNCH(width, height)
{
    return {lab_grid(lab_ceil_div(width, BLOCK_X), lab_ceil_div(height, BLOCK_Y)), dim3(BLOCK_X, BLOCK_Y)};
}
