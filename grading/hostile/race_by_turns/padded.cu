#include "lab.h"

LAB(padded);

extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
    __shared__ volatile float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x;
    int y = (blockIdx.y + gridDim.y * blockIdx.z) * 32 + threadIdx.y;
    for (int i = 0; i < 32; i += 8)
        if (x < width && y + i < height)
            tile[threadIdx.y + i][threadIdx.x] = idata[(size_t)(y + i) * width + x];
    // Every warp loads a word that it does not need, so that all other warps run first.
    if (((const volatile float *)idata)[(threadIdx.x + threadIdx.y) % width] == 12345)
        odata[0] = 0;
    x = (blockIdx.y + gridDim.y * blockIdx.z) * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int i = 0; i < 32; i += 8)
        if (x < height && y + i < width)
            odata[(size_t)(y + i) * height + x] = tile[threadIdx.x][threadIdx.y + i];
}

LAB_LAUNCH(width, height)
{
    return {lab_grid(lab_ceil_div(width, 32), lab_ceil_div(height, 32)), dim3(32, 8)};
}
