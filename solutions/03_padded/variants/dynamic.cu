// dynamic: the padded tile in dynamic shared memory, with the size that LAB_LAUNCH requests. The
// array has one dimension, so the padding is in the index arithmetic and in this size.
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
    enum { PITCH = TILE_DIM + 1 };
    extern __shared__ float tile[];
    int left = blockIdx.x * TILE_DIM, top = (blockIdx.y + gridDim.y * blockIdx.z) * TILE_DIM;
    int x = threadIdx.x;

    for (int y = threadIdx.y; y < TILE_DIM; y += BLOCK_ROWS)
        if (left + x < width && top + y < height)
            tile[y * PITCH + x] = idata[(size_t)(top + y) * width + left + x];

    __syncthreads();

    for (int y = threadIdx.y; y < TILE_DIM; y += BLOCK_ROWS)
        if (top + x < height && left + y < width)
            odata[(size_t)(left + y) * height + top + x] = tile[x * PITCH + y];
}

LAB_LAUNCH(width, height)
{
    return {lab_grid(lab_ceil_div(width, TILE_DIM), lab_ceil_div(height, TILE_DIM)),
            dim3(TILE_DIM, BLOCK_ROWS), TILE_DIM * (TILE_DIM + 1) * sizeof(float)};
}
