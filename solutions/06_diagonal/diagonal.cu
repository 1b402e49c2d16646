// 06_diagonal: the padded transpose with blocks in diagonal order.
//
// The grid is one-dimensional, with one block per tile. The hardware starts the blocks in the order
// of their numbers. The kernel decides which tile a block processes.
#include "lab.h"

#ifndef TILE_DIM
#define TILE_DIM 32
#endif
#ifndef BLOCK_ROWS
#define BLOCK_ROWS 8
#endif
static_assert(TILE_DIM % BLOCK_ROWS == 0, "BLOCK_ROWS must divide TILE_DIM");

LAB(diagonal);

extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
    //>> solution
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];

    // Consecutive blocks go down a diagonal: each step changes both the row and the column of
    // tiles. At the right edge, the diagonal continues at the left edge. There are
    // tiles_x diagonals of tiles_y tiles, even if the matrix is not square.
    int tiles_x = lab_ceil_div(width, TILE_DIM);
    int tiles_y = lab_ceil_div(height, TILE_DIM);
    int diagonal = blockIdx.x / tiles_y;
    int tile_y = blockIdx.x % tiles_y;
    int tile_x = (diagonal + tile_y) % tiles_x;

    int col = tile_x * TILE_DIM + threadIdx.x;
    int row = tile_y * TILE_DIM + threadIdx.y;

    for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS) {
        if (col < width && row + i < height)
            tile[threadIdx.y + i][threadIdx.x] = idata[(size_t)(row + i) * width + col];
    }

    __syncthreads();

    int out_col = tile_y * TILE_DIM + threadIdx.x;
    int out_row = tile_x * TILE_DIM + threadIdx.y;

    for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS) {
        if (out_col < height && out_row + i < width)
            odata[(size_t)(out_row + i) * height + out_col] = tile[threadIdx.x][threadIdx.y + i];
    }
    //== skeleton
    //| // Your turn: compute the tile that block number blockIdx.x processes (tile_x across, tile_y
    //| // down). The tiles of consecutive blocks must lie on a diagonal. Every tile must be processed
    //| // exactly once, even if the matrix is not square. Copy the remaining code from 03_padded, with
    //| // tile_x and tile_y in place of blockIdx.x and block_y.
    //<<
}

LAB_LAUNCH(width, height)
{
    return {dim3(lab_ceil_div(width, TILE_DIM) * lab_ceil_div(height, TILE_DIM)),
            dim3(TILE_DIM, BLOCK_ROWS)};
}
