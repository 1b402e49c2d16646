// plain: a batch with the tile of lab 03, and matrices along z.
#include "lab.h"

#ifndef TILE_DIM
#define TILE_DIM 32
#endif
#ifndef BLOCK_ROWS
#define BLOCK_ROWS 8
#endif

LAB(batched);

// The grid allows at most 65535 matrices, and 65535 rows of tiles.
extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height, int matrices)
{
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];
    size_t offset = (size_t)blockIdx.z * width * height;
    int top = blockIdx.y * TILE_DIM, left = blockIdx.x * TILE_DIM;
    int x = threadIdx.x;

    for (int y = threadIdx.y; y < TILE_DIM; y += BLOCK_ROWS)
        if (left + x < width && top + y < height)
            tile[y][x] = idata[offset + (size_t)(top + y) * width + left + x];

    __syncthreads();

    for (int y = threadIdx.y; y < TILE_DIM; y += BLOCK_ROWS)
        if (top + x < height && left + y < width)
            odata[offset + (size_t)(left + y) * height + top + x] = tile[x][y];
}

LAB_LAUNCH(width, height, matrices)
{
    return {dim3(lab_ceil_div(width, TILE_DIM), lab_ceil_div(height, TILE_DIM), matrices), dim3(TILE_DIM, BLOCK_ROWS)};
}
