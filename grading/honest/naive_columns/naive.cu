#include "lab.h"

LAB(naive);

extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
    int x = blockIdx.x * 8 + threadIdx.y;
    int y = (blockIdx.y + gridDim.y * blockIdx.z) * 32 + threadIdx.x;
    if (x < width && y < height)
        odata[(size_t)x * height + y] = idata[(size_t)y * width + x];
}

LAB_LAUNCH(width, height)
{
    return {lab_grid(lab_ceil_div(width, 8), lab_ceil_div(height, 32)), dim3(32, 8)};
}
