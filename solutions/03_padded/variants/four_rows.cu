// four_rows: a pitch of 33 does not always help. A tile of 4 rows and 32 columns; a warp reads 4 x 8 elements down the columns.
// Pitch 32: the four elements of a column share a bank. Pitch 33: they use neighbouring banks, and so does the next
// column. -D PITCH=40: they are eight banks apart, and every lane has its own bank.
#include "lab.h"

#ifndef PITCH
#define PITCH 33
#endif
enum { ROWS = 4, COLS = 32 };

LAB(padded);

extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
    __shared__ float tile[ROWS][PITCH];
    int left = blockIdx.x * COLS, top = (blockIdx.y + gridDim.y * blockIdx.z) * ROWS;
    int x = threadIdx.x, y = threadIdx.y;

    if (left + x < width && top + y < height)
        tile[y][x] = idata[(size_t)(top + y) * width + left + x];

    __syncthreads();

    // Four neighbours of an output row, eight rows a warp.
    int row = x % ROWS, col = y * (COLS / ROWS) + x / ROWS;
    if (top + row < height && left + col < width)
        odata[(size_t)(left + col) * height + top + row] = tile[row][col];
}

LAB_LAUNCH(width, height)
{
    return {lab_grid(lab_ceil_div(width, COLS), lab_ceil_div(height, ROWS)), dim3(COLS, ROWS)};
}
