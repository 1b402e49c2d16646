// 00_copy, second exercise: the same copy, through shared memory.
//
// Each block loads its tile into shared memory, waits until the whole tile is loaded, and writes it
// to the output. A copy does not need shared memory. This kernel measures the cost of shared
// memory, which the transposes need.
#include "lab.h"

#ifndef TILE_DIM
#define TILE_DIM 32
#endif
#ifndef BLOCK_ROWS
#define BLOCK_ROWS 8
#endif
static_assert(TILE_DIM % BLOCK_ROWS == 0, "BLOCK_ROWS must divide TILE_DIM");

LAB(copy_shared);

extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
    // Your turn, 1: declare a tile in shared memory, TILE_DIM rows of TILE_DIM floats.

    int block_y = blockIdx.y + gridDim.y * blockIdx.z; // row of the block: see lab_grid in lab.h
    int col = blockIdx.x * TILE_DIM + threadIdx.x;
    int row = block_y * TILE_DIM + threadIdx.y;

    for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS) {
        if (col < width && row + i < height) {
            // Your turn, 2: load the element in row (row + i) and column col into the tile.
        }
    }

    // Your turn, 3: wait until every thread of the block has filled its part of the tile, then
    // write the tile to its place in odata with a second loop.
}

LAB_LAUNCH(width, height)
{
    return {lab_grid(lab_ceil_div(width, TILE_DIM), lab_ceil_div(height, TILE_DIM)),
            dim3(TILE_DIM, BLOCK_ROWS)};
}
