// pairs_of_32: in place with the tile of lab 03; one block per tile; half of the blocks have no work.
#include "lab.h"

#ifndef BLOCK_ROWS
#define BLOCK_ROWS 8
#endif
enum { TILE = 32 };

LAB(inplace);

extern "C" __global__ void transpose(float *data, int width, int height)
{
    __shared__ float upper[TILE][TILE + 1], lower[TILE][TILE + 1];

    if (blockIdx.y < blockIdx.x)
        return; // the whole block returns, because another block processes this pair

    // The tile on or below the diagonal, and its partner above the diagonal.
    int x = threadIdx.x, y = threadIdx.y, n = width;
    int top = blockIdx.y * TILE, left = blockIdx.x * TILE;

    for (int i = y; i < TILE; i += BLOCK_ROWS) {
        if (top + i < n && left + x < n)
            lower[i][x] = data[(size_t)(top + i) * n + left + x];
        if (left + i < n && top + x < n)
            upper[i][x] = data[(size_t)(left + i) * n + top + x];
    }

    __syncthreads();

    for (int i = y; i < TILE; i += BLOCK_ROWS) {
        if (left + i < n && top + x < n)
            data[(size_t)(left + i) * n + top + x] = lower[x][i];
        if (top + i < n && left + x < n && top != left)
            data[(size_t)(top + i) * n + left + x] = upper[x][i];
    }
}

LAB_LAUNCH(width, height)
{
    int tiles = lab_ceil_div(width, TILE);
    return {dim3(tiles, tiles), dim3(TILE, BLOCK_ROWS)};
}
