// 05_coarse_grained: the half of a transpose that moves the tiles.
//
// Every tile moves to its transposed place. Nothing changes inside a tile: rows stay rows. Both
// sides are multiples of TILE_DIM. The tile size is part of the problem: -D TILE_DIM=16 changes the
// expected output.
#include "lab.h"

#ifndef TILE_DIM
#define TILE_DIM 32
#endif
#ifndef BLOCK_ROWS
#define BLOCK_ROWS 8
#endif
static_assert(TILE_DIM % BLOCK_ROWS == 0, "BLOCK_ROWS must divide TILE_DIM");

LAB(coarse_grained);

extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
    //>> solution
    // No thread needs an element of another thread, so tile and barrier are not required. With
    // tile and barrier, this kernel differs from 04_fine_grained only in the order of addresses.
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
            odata[(size_t)(out_row + i) * height + out_col] = tile[threadIdx.y + i][threadIdx.x];
    }
    //== skeleton
    //| // Your turn, 1: start from your kernel of 03_padded. Let the kernel move tiles without
    //| // transposing them. One index expression changes.
    //<<
}

LAB_LAUNCH(width, height)
{
    //>> solution
    return {lab_grid(lab_ceil_div(width, TILE_DIM), lab_ceil_div(height, TILE_DIM)),
            dim3(TILE_DIM, BLOCK_ROWS)};
    //== skeleton
    //| // Your turn, 2: one block is launched. How many blocks does width x height need?
    //| return {lab_grid(1, 1), dim3(TILE_DIM, BLOCK_ROWS)};
    //<<
}
