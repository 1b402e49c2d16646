// 31_stencil_tiled: the five-point stencil from a tile with a halo.
#include "lab.h"

#ifndef TILE_DIM
#define TILE_DIM 32
#endif
#ifndef BLOCK_ROWS
#define BLOCK_ROWS 8
#endif
static_assert(TILE_DIM % BLOCK_ROWS == 0, "BLOCK_ROWS must divide TILE_DIM");

LAB(stencil_tiled);


// out[r][c] = sum of the four neighbours of in[r][c], minus 4 * in[r][c]; elements outside are 0.
extern "C" __global__ void stencil(float *out, const float *in, int width, int height)
{
    // Your turn: load a tile of `in` with its halo into shared memory (0 for elements outside the
    // matrix), synchronize, and compute the result from the tile.
}

LAB_LAUNCH(width, height)
{
    return {lab_grid(lab_ceil_div(width, TILE_DIM), lab_ceil_div(height, TILE_DIM)),
            dim3(TILE_DIM, BLOCK_ROWS)};
}
