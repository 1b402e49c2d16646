// 03_padded: the tiled transpose without bank conflicts.
#include "lab.h"

#ifndef TILE_DIM
#define TILE_DIM 32
#endif
#ifndef BLOCK_ROWS
#define BLOCK_ROWS 8
#endif
static_assert(TILE_DIM % BLOCK_ROWS == 0, "BLOCK_ROWS must divide TILE_DIM");

LAB(padded);

extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
    //>> solution
    // Each row has one word of padding, so the elements of a column are 33 words apart, in 32
    // different banks. The padding is never read or written.
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];

    int block_y = blockIdx.y + gridDim.y * blockIdx.z;
    int col = blockIdx.x * TILE_DIM + threadIdx.x;
    int row = block_y * TILE_DIM + threadIdx.y;

    for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS) {
        if (col < width && row + i < height)
            tile[threadIdx.y + i][threadIdx.x] = idata[(size_t)(row + i) * width + col];
    }

    __syncthreads();

    int out_col = block_y * TILE_DIM + threadIdx.x;
    int out_row = blockIdx.x * TILE_DIM + threadIdx.y;

    for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS) {
        if (out_col < height && out_row + i < width)
            odata[(size_t)(out_row + i) * height + out_col] = tile[threadIdx.x][threadIdx.y + i];
    }
    //== skeleton
    //| // Your turn: copy your kernel from 02_coalesced and run it once unchanged. Then remove its
    //| // 31 conflicts per load. Every thread must still load and store the same elements.
    //<<
}

LAB_LAUNCH(width, height)
{
    return {lab_grid(lab_ceil_div(width, TILE_DIM), lab_ceil_div(height, TILE_DIM)),
            dim3(TILE_DIM, BLOCK_ROWS)};
}
