// every_second_row: the transpose of the RTX 3070 article. Each of SIDE x SIDE threads loads an
// element, stores it transposed to shared memory, and reads a row. A warp covers 32 / SIDE rows and
// stores as many columns. Without padding, the columns use few banks: 4 for 16 x 16 threads.
//
// GROUP = 32 / SIDE rows fill all banks. GROUP words of padding follow each group, so each lane
// has a separate bank for stores and loads: for 32 x 32 threads, one word after each row (lab 03);
// for 16 x 16, two words after every second row; for 8 x 8, four words after every fourth row.
#include "lab.h"

#ifndef SIDE
#define SIDE 16
#endif
#ifndef BANKS
#define BANKS 32
#endif
enum { GROUP = BANKS / SIDE };
#ifndef PADDING
#define PADDING GROUP
#endif

LAB(padded);

static __device__ int place(int row, int col)
{
    return row * SIDE + row / GROUP * PADDING + col;
}

extern "C" __global__ void transpose(float *__restrict__ odata, const float *__restrict__ idata, int width,
                                     int height)
{
    __shared__ float tile[SIDE * SIDE + SIDE / GROUP * PADDING];
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
