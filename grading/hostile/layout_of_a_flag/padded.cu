#include "lab.h"

LAB(padded);

extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
    __shared__ float tile[32][32];
    __shared__ volatile int flag;
    int by = blockIdx.y + gridDim.y * blockIdx.z, x = blockIdx.x * 32 + threadIdx.x, y = by * 32 + threadIdx.y;
    if (threadIdx.x == 0 && threadIdx.y == 0)
        flag = 1;
    for (int i = 0; i < 32; i += 8)
        if (x < width && y + i < height)
            tile[threadIdx.y + i][threadIdx.x] = idata[(size_t)(y + i) * width + x];
    __syncthreads();
    x = by * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
    for (int i = 0; i < 32; i += 8)
        if (x < height && y + i < width)
            odata[(size_t)(y + i) * height + x] = tile[threadIdx.x][threadIdx.y + i];
}

LAB_LAUNCH(width, height)
{
    return {lab_grid(lab_ceil_div(width, 32), lab_ceil_div(height, 32)), dim3(32, 8)};
}
