#include "lab.h"

LAB(copy);

extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
    int y = blockIdx.x * 32 + threadIdx.x;
    for (int x = (blockIdx.y + gridDim.y * blockIdx.z) * 32 + threadIdx.y; x < ((int)(blockIdx.y + gridDim.y * blockIdx.z) + 1) * 32; x += 8)
        if (x < width && y < height)
            odata[(size_t)y * width + x] = idata[(size_t)y * width + x];
}

LAB_LAUNCH(width, height)
{
    return {lab_grid(lab_ceil_div(height, 32), lab_ceil_div(width, 32)), dim3(32, 8)};
}
