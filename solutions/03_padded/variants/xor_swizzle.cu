// xor_swizzle: no padding. Element (y, x) of the tile is at (y, x ^ y). A row has the same 32 words
// in another order, and in a column x ^ y takes every value once. TILE_DIM must be a power of two.
#include "lab.h"

#ifndef TILE_DIM
#define TILE_DIM 32
#endif
#ifndef BLOCK_ROWS
#define BLOCK_ROWS 8
#endif

LAB(padded);

extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
    __shared__ float tile[TILE_DIM][TILE_DIM];
    int left = blockIdx.x * TILE_DIM, top = (blockIdx.y + gridDim.y * blockIdx.z) * TILE_DIM;
    int x = threadIdx.x;

    for (int y = threadIdx.y; y < TILE_DIM; y += BLOCK_ROWS)
        if (left + x < width && top + y < height)
            tile[y][x ^ y] = idata[(size_t)(top + y) * width + left + x];

    __syncthreads();

    for (int y = threadIdx.y; y < TILE_DIM; y += BLOCK_ROWS)
        if (top + x < height && left + y < width)
            odata[(size_t)(left + y) * height + top + x] = tile[x][y ^ x];
}

LAB_LAUNCH(width, height)
{
    return {lab_grid(lab_ceil_div(width, TILE_DIM), lab_ceil_div(height, TILE_DIM)),
            dim3(TILE_DIM, BLOCK_ROWS)};
}
