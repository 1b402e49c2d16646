#include "lab.h"

LAB(diagonal);

extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
    __shared__ float tile[32][33];
    int by = blockIdx.y + gridDim.y * blockIdx.z, x = blockIdx.x * 32 + threadIdx.x, y = by * 32 + threadIdx.y;
    float unused = *(volatile const float *)(idata + (blockIdx.x % 2 ? 0 : (size_t)width * height - 1));
    (void)unused;
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
