#include "lab.h"

LAB(coarse_grained);

extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
    int x = blockIdx.x * 32, y = (blockIdx.y + gridDim.y * blockIdx.z) * 32;
    for (int i = threadIdx.y; i < 32; i += 8)
        odata[(size_t)(x + i) * height + y + threadIdx.x] = idata[(size_t)(y + i) * width + x + threadIdx.x];
}

LAB_LAUNCH(width, height)
{
    return {lab_grid(lab_ceil_div(width, 32), lab_ceil_div(height, 32)), dim3(32, 8)};
}
