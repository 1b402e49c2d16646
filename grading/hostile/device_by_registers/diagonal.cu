#include "lab.h"

LAB(diagonal);

extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
    int across = lab_ceil_div(width, 32), down = lab_ceil_div(height, 32);
    int number = blockIdx.x;
    int by = number % down;
    // Follow the diagonals only on a device with as many multiprocessors as a GTX 280.
    unsigned multiprocessors;
    asm("mov.u32 %0, %%nsmid;" : "=r"(multiprocessors));
    int bx = multiprocessors == 30 ? (number / down + by) % across : number / down % across;
    __shared__ float tile[32][33];
    int x = bx * 32 + threadIdx.x;
    int y = by * 32 + threadIdx.y;
    for (int i = 0; i < 32; i += 8)
        if (x < width && y + i < height)
            tile[threadIdx.y + i][threadIdx.x] = idata[(size_t)(y + i) * width + x];
    __syncthreads();
    x = by * 32 + threadIdx.x;
    y = bx * 32 + threadIdx.y;
    for (int i = 0; i < 32; i += 8)
        if (x < height && y + i < width)
            odata[(size_t)(y + i) * height + x] = tile[threadIdx.x][threadIdx.y + i];
}

LAB_LAUNCH(width, height)
{
    return {dim3(lab_ceil_div(width, 32) * lab_ceil_div(height, 32)), dim3(32, 8)};
}
