// four_rows: a pitch of 33 does not always help. A warp reads 4 x 8 elements by columns from a tile
// of 4 rows. With pitch 32, the elements of a column share a bank. With pitch 33, adjacent columns
// share banks. With -D PITCH=40, elements of a column are eight banks apart, with a bank per lane.
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

    // A warp stores eight rows of four neighbours.
    int row = x % ROWS, col = y * (COLS / ROWS) + x / ROWS;
    if (top + row < height && left + col < width)
        odata[(size_t)(left + col) * height + top + row] = tile[row][col];
}

LAB_LAUNCH(width, height)
{
    return {lab_grid(lab_ceil_div(width, COLS), lab_ceil_div(height, ROWS)), dim3(COLS, ROWS)};
}
