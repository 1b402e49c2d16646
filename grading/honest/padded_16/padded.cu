#include "lab.h"

LAB(padded);

extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
    __shared__ float tile[16][17];
    int x = blockIdx.x * 16 + threadIdx.x;
    int y = (blockIdx.y + gridDim.y * blockIdx.z) * 16 + threadIdx.y;
    for (int i = 0; i < 16; i += 16)
        if (x < width && y + i < height)
            tile[threadIdx.y + i][threadIdx.x] = idata[(size_t)(y + i) * width + x];
    __syncthreads();
    x = (blockIdx.y + gridDim.y * blockIdx.z) * 16 + threadIdx.x;
    y = blockIdx.x * 16 + threadIdx.y;
    for (int i = 0; i < 16; i += 16)
        if (x < height && y + i < width)
            odata[(size_t)(y + i) * height + x] = tile[threadIdx.x][threadIdx.y + i];
}

LAB_LAUNCH(width, height)
{
    return {lab_grid(lab_ceil_div(width, 16), lab_ceil_div(height, 16)), dim3(16, 16)};
}
