// 09_coarsened: a tile of 64 x 64, and four float4 per thread.
#include "lab.h"

#ifndef TILE_DIM
#define TILE_DIM 64
#endif
static_assert(TILE_DIM % 32 == 0, "TILE_DIM must be a multiple of 32");

LAB(coarsened);

extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
    //>> solution
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];
    enum { PIECES = TILE_DIM / 32 }; // pieces of 32 x 32 along a side of the tile

    int quad = 4 * threadIdx.x, line = threadIdx.y; // column and row in a piece
    int left = blockIdx.x * TILE_DIM, top = (blockIdx.y + gridDim.y * blockIdx.z) * TILE_DIM;
    bool aligned = width % 4 == 0 && height % 4 == 0 && (size_t)idata % 16 == 0 && (size_t)odata % 16 == 0;

    if (aligned && left + TILE_DIM <= width && top + TILE_DIM <= height) {
        // Issue all loads first, so that they are in flight together.
        float4 held[PIECES][PIECES];
#pragma unroll
        for (int j = 0; j < PIECES; j++)
#pragma unroll
            for (int i = 0; i < PIECES; i++)
                held[j][i] = *(const float4 *)(idata + (size_t)(top + 32 * j + line) * width + left + 32 * i + quad);
#pragma unroll
        for (int j = 0; j < PIECES; j++)
#pragma unroll
            for (int i = 0; i < PIECES; i++) {
                tile[32 * i + quad][32 * j + line] = held[j][i].x;
                tile[32 * i + quad + 1][32 * j + line] = held[j][i].y;
                tile[32 * i + quad + 2][32 * j + line] = held[j][i].z;
                tile[32 * i + quad + 3][32 * j + line] = held[j][i].w;
            }
        __syncthreads();
#pragma unroll
        for (int j = 0; j < PIECES; j++)
#pragma unroll
            for (int i = 0; i < PIECES; i++) {
                const float *four = &tile[32 * j + line][32 * i + quad];
                *(float4 *)(odata + (size_t)(left + 32 * j + line) * height + top + 32 * i + quad) =
                    make_float4(four[0], four[1], four[2], four[3]);
            }
    } else {
        // Move single elements at the edges, and if rows are not aligned.
        int thread = threadIdx.y * 8 + threadIdx.x, x = thread % TILE_DIM, y = thread / TILE_DIM;
        int step = 256 / TILE_DIM;
        for (int i = y; i < TILE_DIM; i += step)
            if (left + x < width && top + i < height)
                tile[x][i] = idata[(size_t)(top + i) * width + left + x];
        __syncthreads();
        for (int i = y; i < TILE_DIM; i += step)
            if (top + x < height && left + i < width)
                odata[(size_t)(left + i) * height + top + x] = tile[i][x];
    }
    //== skeleton
    //| // Your turn: start from your kernel of 08_vectorized, and give each thread four float4 of
    //| // a tile of 64 x 64. Load all four float4 before the first store.
    //<<
}

LAB_LAUNCH(width, height)
{
    return {lab_grid(lab_ceil_div(width, TILE_DIM), lab_ceil_div(height, TILE_DIM)), dim3(8, 32)};
}
