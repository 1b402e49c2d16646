#include "lab.h"

LAB(copy);

extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
    int x = blockIdx.x * 32 + threadIdx.x;
    int y = blockIdx.y * 32 + threadIdx.y;
    for (int i = 0; i < 32; i += 8)
        if (x < width && y + i < height)
            odata[(size_t)(y + i) * width + x] = idata[(size_t)(y + i) * width + x];
}

LAB_LAUNCH(width, height)
{
    return {dim3(250, 10), dim3(32, 8)};
}
