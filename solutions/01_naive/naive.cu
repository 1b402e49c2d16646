// 01_naive: a transpose directly from global memory to global memory.
//
// The threads of a warp read 32 neighbours in a row of the input. They therefore write 32 elements
// of one column of the output.
#include "lab.h"

#ifndef TILE_DIM
#define TILE_DIM 32
#endif
#ifndef BLOCK_ROWS
#define BLOCK_ROWS 8
#endif
static_assert(TILE_DIM % BLOCK_ROWS == 0, "BLOCK_ROWS must divide TILE_DIM");

LAB(naive);

extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
    int block_y = blockIdx.y + gridDim.y * blockIdx.z; // row of the block: see lab_grid in lab.h
    int col = blockIdx.x * TILE_DIM + threadIdx.x;
    int row = block_y * TILE_DIM + threadIdx.y;

    for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS) {
        if (col < width && row + i < height) {
            //>> solution
            odata[(size_t)col * height + row + i] = idata[(size_t)(row + i) * width + col];
            //== skeleton
            //| // Your turn: this thread moves the element in row (row + i), column col of idata. In
            //| // which row and column of odata does this element belong, and how many columns does
            //| // odata have? Write one assignment. Compute indices as size_t, as in the copy.
            //<<
        }
    }
}

LAB_LAUNCH(width, height)
{
    return {lab_grid(lab_ceil_div(width, TILE_DIM), lab_ceil_div(height, TILE_DIM)),
            dim3(TILE_DIM, BLOCK_ROWS)};
}
