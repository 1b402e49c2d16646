// weighted: bank conflicts matter again with arithmetic on the tile. Each output is a weighted sum
// of TERMS elements of a tile column. All weights except the first are 0, so this is a transpose.
// The weights depend on `width`, so the compiler removes no term. -D TERMS=1 is lab 03, -D TERMS=1
// -D PADDING=0 is lab 02. -D FMAS=64 adds arithmetic in registers, which hides conflicts.
#include "lab.h"

#ifndef TERMS
#define TERMS 8
#endif
#ifndef PADDING
#define PADDING 1
#endif
#ifndef FMAS
#define FMAS 0
#endif
enum { TILE_DIM = 32, BLOCK_ROWS = 8 };

LAB(padded);

extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
    __shared__ float tile[TILE_DIM][TILE_DIM + PADDING];
    int left = blockIdx.x * TILE_DIM, top = (blockIdx.y + gridDim.y * blockIdx.z) * TILE_DIM;
    float zero = width < 0 ? 1.0f : 0.0f, one = 1.0f - zero;

    for (int i = threadIdx.y; i < TILE_DIM; i += BLOCK_ROWS) {
        bool inside = left + threadIdx.x < width && top + i < height;
        tile[i][threadIdx.x] = inside ? idata[(size_t)(top + i) * width + left + threadIdx.x] : 0.0f;
    }

    __syncthreads();

    for (int i = threadIdx.y; i < TILE_DIM; i += BLOCK_ROWS) {
        float sum = tile[threadIdx.x][i];
        for (int k = 1; k < TERMS; k++)
            sum -= zero * fabsf(tile[threadIdx.x][(i + k) % TILE_DIM]);
        for (int k = 0; k < FMAS; k++)
            sum = sum * one - zero;
        if (left + i < width && top + threadIdx.x < height)
            odata[(size_t)(left + i) * height + top + threadIdx.x] = sum;
    }
}

LAB_LAUNCH(width, height)
{
    return {lab_grid(lab_ceil_div(width, TILE_DIM), lab_ceil_div(height, TILE_DIM)), dim3(TILE_DIM, BLOCK_ROWS)};
}
