#include "lab.h"

LAB(padded);

// Half of the warps load, and the remaining warps store. Named barriers synchronize them.
extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
    __shared__ float tile[32][33];
    int block_y = blockIdx.y + gridDim.y * blockIdx.z;
    if (threadIdx.y < 4) {
        int x = blockIdx.x * 32 + threadIdx.x, y = block_y * 32 + threadIdx.y;
        for (int i = 0; i < 32; i += 4)
            if (x < width && y + i < height)
                tile[threadIdx.y + i][threadIdx.x] = idata[(size_t)(y + i) * width + x];
        asm volatile("bar.arrive 1, 256;" ::: "memory");
    } else {
        int x = block_y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y - 4;
        asm volatile("bar.sync 1, 256;" ::: "memory");
        for (int i = 0; i < 32; i += 4)
            if (x < height && y + i < width)
                odata[(size_t)(y + i) * height + x] = tile[threadIdx.x][threadIdx.y - 4 + i];
    }
}

LAB_LAUNCH(width, height)
{
    return {lab_grid(lab_ceil_div(width, 32), lab_ceil_div(height, 32)), dim3(32, 8)};
}
