// The mirrored naive transpose: a warp stores a row of the output and loads a column of the input.
// A load can hit in the L1 after a neighbouring warp has loaded the sector. Stores go to the L2.
#include "lab.h"

#define SIDE 32

LAB(naive);

extern "C" __global__ void transpose(float *__restrict__ odata, const float *__restrict__ idata, int width,
                                     int height)
{
    int out_col = blockIdx.x * SIDE + threadIdx.x;
    int out_row = (blockIdx.y + gridDim.y * blockIdx.z) * SIDE + threadIdx.y;
    if (out_col < height && out_row < width)
        odata[(size_t)out_row * height + out_col] = idata[(size_t)out_col * width + out_row];
}

LAB_LAUNCH(width, height)
{
    return {lab_grid(lab_ceil_div(height, SIDE), lab_ceil_div(width, SIDE)), dim3(SIDE, SIDE)};
}
