// The image transpose: 16 x 16 threads, an element each, turned on the way INTO shared memory and read back
// in rows. A warp is two rows of the block, so it stores two columns of the tile. Without padding these
// fall into 4 of the 32 banks; PADDING = 2 shifts every second row of the tile by two words, and then
// each lane has a bank of its own.
#include "lab.h"

#define SIDE 16
#ifndef PADDING
#define PADDING 0
#endif

LAB(coalesced);

static __device__ int place(int row, int col)
{
    return row * SIDE + row / 2 * PADDING + col;
}

extern "C" __global__ void transpose(float *__restrict__ odata, const float *__restrict__ idata, int width,
                                     int height)
{
    __shared__ float tile[SIDE * SIDE + SIDE / 2 * PADDING];
    int left = blockIdx.x * SIDE, top = (blockIdx.y + gridDim.y * blockIdx.z) * SIDE;
    int col = left + threadIdx.x, row = top + threadIdx.y;
    if (col < width && row < height)
        tile[place(threadIdx.x, threadIdx.y)] = idata[(size_t)row * width + col];

    __syncthreads();

    int out_col = top + threadIdx.x, out_row = left + threadIdx.y;
    if (out_col < height && out_row < width)
        odata[(size_t)out_row * height + out_col] = tile[place(threadIdx.y, threadIdx.x)];
}

LAB_LAUNCH(width, height)
{
    return {lab_grid(lab_ceil_div(width, SIDE), lab_ceil_div(height, SIDE)), dim3(SIDE, SIDE)};
}
