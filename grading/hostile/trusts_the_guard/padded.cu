#include "lab.h"

LAB(padded);

extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
    int block_y = blockIdx.y + gridDim.y * blockIdx.z;
    int c = blockIdx.x * 32 + threadIdx.x;
    for (int j = 0; j < 32; j += 8) {
        int r = block_y * 32 + threadIdx.y + j;
        if (c <= width && r <= height)
            odata[(size_t)c * height + r] = idata[(size_t)r * width + c];
    }
}

LAB_LAUNCH(width, height)
{
    return {lab_grid(lab_ceil_div(width, 32), lab_ceil_div(height, 32)), dim3(32, 8)};
}
