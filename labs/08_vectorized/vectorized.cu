// 08_vectorized: the padded transpose with 16-byte accesses on both sides.
#include "lab.h"

#define TILE_DIM 32

LAB(vectorized);

extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
    // Your turn: bring your kernel from 03_padded here, with a float4 for each thread on both
    // sides: 8 threads across, 32 down, no loops. When may an address be taken for a float4's?
}

LAB_LAUNCH(width, height)
{
    return {lab_grid(lab_ceil_div(width, TILE_DIM), lab_ceil_div(height, TILE_DIM)),
            dim3(TILE_DIM / 4, TILE_DIM)};
}
