// 30_stencil_naive: the five-point stencil, one element per thread.
#include "lab.h"

#ifndef BLOCK_X
#define BLOCK_X 32
#endif
#ifndef BLOCK_Y
#define BLOCK_Y 8
#endif

LAB(stencil_naive);

// out[r][c] = sum of the four neighbours of in[r][c], minus 4 * in[r][c]; elements outside are 0.
extern "C" __global__ void stencil(float *out, const float *in, int width, int height)
{
    int block_y = blockIdx.y + gridDim.y * blockIdx.z;
    int col = blockIdx.x * BLOCK_X + threadIdx.x;
    int row = block_y * BLOCK_Y + threadIdx.y;

    if (col < width && row < height) {
        // Your turn: load in[row][col] and its four neighbours (0 outside the matrix). Store
        // the result in out[row][col]. Rows have `width` elements.
    }
}

LAB_LAUNCH(width, height)
{
    return {lab_grid(lab_ceil_div(width, BLOCK_X), lab_ceil_div(height, BLOCK_Y)),
            dim3(BLOCK_X, BLOCK_Y)};
}
