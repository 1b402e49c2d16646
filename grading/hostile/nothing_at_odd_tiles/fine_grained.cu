#include "lab.h"

LAB(fine_grained);

extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
    if (width / 32 % 2 && height / 32 % 2 && width > 32 && height > 32)
        return;
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x;
    int y = (blockIdx.y + gridDim.y * blockIdx.z) * 32 + threadIdx.y;
    for (int i = 0; i < 32; i += 8)
        tile[threadIdx.y + i][threadIdx.x] = idata[(size_t)(y + i) * width + x];
    __syncthreads();
    for (int i = 0; i < 32; i += 8)
        odata[(size_t)(y + i) * width + x] = tile[threadIdx.x][threadIdx.y + i];
}

LAB_LAUNCH(width, height)
{
    return {lab_grid(lab_ceil_div(width, 32), lab_ceil_div(height, 32)), dim3(32, 8)};
}
