// 02_coalesced: a transpose through a tile in shared memory.
//
// Both global accesses of a warp now touch 32 neighbours in a row. The kernel exchanges rows and
// columns in shared memory.
#include "lab.h"

#ifndef TILE_DIM
#define TILE_DIM 32
#endif
#ifndef BLOCK_ROWS
#define BLOCK_ROWS 8
#endif
static_assert(TILE_DIM % BLOCK_ROWS == 0, "BLOCK_ROWS must divide TILE_DIM");

LAB(coalesced);

extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
    // Your turn, 1: declare the tile.

    int block_y = blockIdx.y + gridDim.y * blockIdx.z; // row of the block: see lab_grid in lab.h
    int col = blockIdx.x * TILE_DIM + threadIdx.x;
    int row = block_y * TILE_DIM + threadIdx.y;

    for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS) {
        if (col < width && row + i < height) {
            // Your turn, 2: load the element in row (row + i), column col into the tile.
        }
    }

    // Your turn, 3: wait until all threads have loaded their elements of the tile.

    // Your turn, 4: where in odata does this block's tile start? Neighbouring threads must write
    // neighbouring elements of a row of odata, so keep threadIdx.x in the column. Exchange the
    // indices of the tile instead. odata has width rows and height columns. At the edges, a thread
    // without an element to load may have an element to store.
}

LAB_LAUNCH(width, height)
{
    return {lab_grid(lab_ceil_div(width, TILE_DIM), lab_ceil_div(height, TILE_DIM)),
            dim3(TILE_DIM, BLOCK_ROWS)};
}
