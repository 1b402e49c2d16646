#include "lab.h"

LAB(naive);

extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    if (blockIdx.x * 32 >= width || blockIdx.y * 32 >= height)
        return;
    for (int i = 0; i < 32; i += 8)
        if (x < width && y + i < height)
            odata[(size_t)x * height + y + i] = idata[(size_t)(y + i) * width + x];
}

LAB_LAUNCH(width, height)
{
    return {dim3(64, 64), dim3(32, 8)};
}
