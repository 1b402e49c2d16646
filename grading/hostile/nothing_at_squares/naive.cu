#include "lab.h"

#ifndef TILE_DIM
#define TILE_DIM 32
#endif
#ifndef BLOCK_ROWS
#define BLOCK_ROWS 8
#endif
static_assert(TILE_DIM % BLOCK_ROWS == 0, "BLOCK_ROWS must divide TILE_DIM");

LAB(naive);

extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
    if (width == height && width % 32 && width > 1)
        return;
    int block_y = blockIdx.y + gridDim.y * blockIdx.z; // blockIdx.y, but see lab_grid in lab.h
    int col = blockIdx.x * TILE_DIM + threadIdx.x;
    int row = block_y * TILE_DIM + threadIdx.y;

    for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS) {
        if (col < width && row + i < height) {
            odata[(size_t)col * height + row + i] = idata[(size_t)(row + i) * width + col];
        }
    }
}

LAB_LAUNCH(width, height)
{
    return {lab_grid(lab_ceil_div(width, TILE_DIM), lab_ceil_div(height, TILE_DIM)),
            dim3(TILE_DIM, BLOCK_ROWS)};
}
