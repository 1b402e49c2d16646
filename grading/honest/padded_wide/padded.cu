#include "lab.h"

LAB(padded);

extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
    __shared__ float tile[64][65];
    int x = blockIdx.x * 64 + threadIdx.x;
    int y = (blockIdx.y + gridDim.y * blockIdx.z) * 64 + threadIdx.y;
    for (int i = 0; i < 64; i += 8)
        if (x < width && y + i < height)
            tile[threadIdx.y + i][threadIdx.x] = idata[(size_t)(y + i) * width + x];
    __syncthreads();
    x = (blockIdx.y + gridDim.y * blockIdx.z) * 64 + threadIdx.x;
    y = blockIdx.x * 64 + threadIdx.y;
    for (int i = 0; i < 64; i += 8)
        if (x < height && y + i < width)
            odata[(size_t)(y + i) * height + x] = tile[threadIdx.x][threadIdx.y + i];
}

LAB_LAUNCH(width, height)
{
    return {lab_grid(lab_ceil_div(width, 64), lab_ceil_div(height, 64)), dim3(64, 8)};
}
