// 08_vectorized: the padded transpose with 16-byte accesses on both sides.
#include "lab.h"

#define TILE_DIM 32

LAB(vectorized);

extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
    // Your turn: start from your kernel of 03_padded, and use one float4 per thread on both
    // sides: 8 threads across, 32 down, no loops. When is an address valid for a float4?
}

LAB_LAUNCH(width, height)
{
    return {lab_grid(lab_ceil_div(width, TILE_DIM), lab_ceil_div(height, TILE_DIM)),
            dim3(TILE_DIM / 4, TILE_DIM)};
}
