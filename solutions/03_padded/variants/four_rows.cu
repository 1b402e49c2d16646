// four_rows: 33 is no charm. A tile of 4 rows and 32 columns, of which a warp takes 4 x 8 down the columns. Rows of 32 words: the
// four elements of a column lie in one bank. Rows of 33: in neighbouring ones, but there the neighbouring column is, too;
// -D PITCH=40: eight banks further on, and every lane has its own.
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
