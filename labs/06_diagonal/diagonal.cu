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
    // Your turn: compute the tile that block number blockIdx.x processes (tile_x across, tile_y
    // down). The tiles of consecutive blocks must lie on a diagonal. Every tile must be processed
    // exactly once, even if the matrix is not square. Copy the remaining code from 03_padded, with
    // tile_x and tile_y in place of blockIdx.x and block_y.
}

LAB_LAUNCH(width, height)
{
    return {dim3(lab_ceil_div(width, TILE_DIM) * lab_ceil_div(height, TILE_DIM)),
            dim3(TILE_DIM, BLOCK_ROWS)};
}
