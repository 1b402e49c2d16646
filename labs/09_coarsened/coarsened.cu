// 09_coarsened: a tile of 64 x 64, and four float4 per thread.
#include "lab.h"

#ifndef TILE_DIM
#define TILE_DIM 64
#endif
static_assert(TILE_DIM % 32 == 0, "TILE_DIM must be a multiple of 32");

LAB(coarsened);

extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
    // Your turn: start from your kernel of 08_vectorized, and give each thread four float4 of
    // a tile of 64 x 64. Load all four float4 before the first store.
}

LAB_LAUNCH(width, height)
{
    return {lab_grid(lab_ceil_div(width, TILE_DIM), lab_ceil_div(height, TILE_DIM)), dim3(8, 32)};
}
