// 00_copy, first exercise: a copy, element by element.
//
// A block of TILE_DIM x BLOCK_ROWS threads copies a square tile of TILE_DIM x TILE_DIM elements, so
// each thread copies TILE_DIM / BLOCK_ROWS elements. The copy's bandwidth is the upper bound for a
// transpose, which moves the same bytes.
#include "lab.h"

#ifndef TILE_DIM
#define TILE_DIM 32
#endif
#ifndef BLOCK_ROWS
#define BLOCK_ROWS 8
#endif
static_assert(TILE_DIM % BLOCK_ROWS == 0, "BLOCK_ROWS must divide TILE_DIM");

LAB(copy);

extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
    int block_y = blockIdx.y + gridDim.y * blockIdx.z; // row of the block: see lab_grid in lab.h
    int col = blockIdx.x * TILE_DIM + threadIdx.x;
    int row = block_y * TILE_DIM + threadIdx.y;

    for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS) {
        if (col < width && row + i < height) {
            // Your turn: copy the element in row (row + i) and column col. Both matrices are
            // stored row by row, width elements per row. Compute the index as a size_t: the
            // product of two ints overflows from 46341 x 46341 elements on.
        }
    }
}

LAB_LAUNCH(width, height)
{
    return {lab_grid(lab_ceil_div(width, TILE_DIM), lab_ceil_div(height, TILE_DIM)),
            dim3(TILE_DIM, BLOCK_ROWS)};
}
