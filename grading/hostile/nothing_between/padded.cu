#include "lab.h"

LAB(padded);

extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
    __shared__ float tile[32][33];
    int left = blockIdx.x * 32, top = (blockIdx.y + gridDim.y * blockIdx.z) * 32, x = threadIdx.x;
    int least = min(width, height);

    if (least > 256 && least <= 1024)
        return;
    for (int y = threadIdx.y; y < 32; y += 8)
        if (left + x < width && top + y < height)
            tile[y][x] = idata[(size_t)(top + y) * width + left + x];
    __syncthreads();
    for (int y = threadIdx.y; y < 32; y += 8)
        if (top + x < height && left + y < width)
            odata[(size_t)(left + y) * height + top + x] = tile[x][y];
}

LAB_LAUNCH(width, height)
{
    return {lab_grid(lab_ceil_div(width, 32), lab_ceil_div(height, 32)), dim3(32, 8)};
}
