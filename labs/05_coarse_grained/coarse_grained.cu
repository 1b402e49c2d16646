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
    // Your turn, 1: start from your kernel of 03_padded. Let the kernel move tiles without
    // transposing them. One index expression changes.
}

LAB_LAUNCH(width, height)
{
    // Your turn, 2: one block is launched. How many blocks does width x height need?
    return {lab_grid(1, 1), dim3(TILE_DIM, BLOCK_ROWS)};
}
