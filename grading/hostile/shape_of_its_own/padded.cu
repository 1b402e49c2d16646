#include "lab.h"

LAB(padded);

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

// The kernel that LAB_LAUNCH defines, written by hand, which does not set most of the shape.
extern "C" __global__ void lab_launch_shape(unsigned *shape, int columns, int rows)
{
    shape[0] = 1;
}
