#include "lab.h"

LAB(padded);

extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
    int lane = threadIdx.x, x = blockIdx.x * 32, y = (blockIdx.y + gridDim.y * blockIdx.z) * 32;
    float r[32];
#pragma unroll
    for (int i = 0; i < 32; i++)
        r[i] = x + lane < width && y + i < height ? idata[(size_t)(y + i) * width + x + lane] : 0;
#pragma unroll
    for (int bit = 16; bit; bit >>= 1)
#pragma unroll
        for (int i = 0; i < 32; i++)
            if (!(i & bit)) {
                float mine = lane & bit ? r[i] : r[i | bit];
                float other = __shfl_xor_sync(~0u, mine, bit);
                if (lane & bit)
                    r[i] = other;
                else
                    r[i | bit] = other;
            }
#pragma unroll
    for (int i = 0; i < 32; i++)
        if (y + lane < height && x + i < width)
            odata[(size_t)(x + i) * height + y + lane] = r[i];
}

LAB_LAUNCH(width, height)
{
    return {lab_grid(lab_ceil_div(width, 32), lab_ceil_div(height, 32)), dim3(32)};
}
