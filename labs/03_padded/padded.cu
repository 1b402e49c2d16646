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
    // Your turn: copy your kernel from 02_coalesced and run it once unchanged. Then remove its
    // 31 conflicts per load. Every thread must still load and store the same elements.
}

LAB_LAUNCH(width, height)
{
    return {lab_grid(lab_ceil_div(width, TILE_DIM), lab_ceil_div(height, TILE_DIM)),
            dim3(TILE_DIM, BLOCK_ROWS)};
}
