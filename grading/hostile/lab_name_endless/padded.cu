#include "lab.h"
// The variable of LAB(), with a name that does not end with NUL.
extern "C" { __device__ unsigned long long lab_name[65536] = {0x4141414141414141ull, 0x4242424242424242ull}; }

extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
    __shared__ float tile[32][33];
    int block_y = blockIdx.y + gridDim.y * blockIdx.z;
    int col = blockIdx.x * 32 + threadIdx.x, row = block_y * 32 + threadIdx.y;
    for (int i = 0; i < 32; i += 8)
        if (col < width && row + i < height)
            tile[threadIdx.y + i][threadIdx.x] = idata[(size_t)(row + i) * width + col];
    __syncthreads();
    int out_col = block_y * 32 + threadIdx.x, out_row = blockIdx.x * 32 + threadIdx.y;
    for (int i = 0; i < 32; i += 8)
        if (out_col < height && out_row + i < width)
            odata[(size_t)(out_row + i) * height + out_col] = tile[threadIdx.x][threadIdx.y + i];
}

LAB_LAUNCH(width, height)
{
    return {lab_grid(lab_ceil_div(width, 32), lab_ceil_div(height, 32)), dim3(32, 8)};
}
