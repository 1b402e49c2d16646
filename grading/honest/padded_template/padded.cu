#include "lab.h"

LAB(padded);

template <int TILE, int ROWS>
__device__ void move(float *odata, const float *idata, int width, int height)
{
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = (blockIdx.y + gridDim.y * blockIdx.z) * TILE + threadIdx.y;
    for (int i = 0; i < TILE; i += ROWS)
        if (x < width && y + i < height)
            tile[threadIdx.y + i][threadIdx.x] = idata[(size_t)(y + i) * width + x];
    __syncthreads();
    x = (blockIdx.y + gridDim.y * blockIdx.z) * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (int i = 0; i < TILE; i += ROWS)
        if (x < height && y + i < width)
            odata[(size_t)(y + i) * height + x] = tile[threadIdx.x][threadIdx.y + i];
}

extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
    move<32, 8>(odata, idata, width, height);
}

LAB_LAUNCH(width, height)
{
    return {lab_grid(lab_ceil_div(width, 32), lab_ceil_div(height, 32)), dim3(32, 8)};
}
