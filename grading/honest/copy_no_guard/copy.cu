#include "lab.h"

LAB(copy);

extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = (blockIdx.y + gridDim.y * blockIdx.z) * blockDim.y + threadIdx.y;
    odata[(size_t)y * width + x] = idata[(size_t)y * width + x];
}

LAB_LAUNCH(width, height)
{
    return {lab_grid(lab_ceil_div(width, 32), lab_ceil_div(height, 8)), dim3(32, 8)};
}
