// The padded transpose with blockIdx.x and blockIdx.y exchanged: neighbouring blocks store along a
// row and load down a column, so partition camping affects the input, not the output.
#include "lab.h"

#define TILE 32
#define ROWS 8

LAB(padded);

extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
    __shared__ float tile[TILE][TILE + 1];
    int tile_x = blockIdx.y + gridDim.y * blockIdx.z, tile_y = blockIdx.x;
    int col = tile_x * TILE + threadIdx.x, row = tile_y * TILE + threadIdx.y;
    for (int i = 0; i < TILE; i += ROWS) {
        if (col < width && row + i < height)
            tile[threadIdx.y + i][threadIdx.x] = idata[(size_t)(row + i) * width + col];
    }

    __syncthreads();

    int out_col = tile_y * TILE + threadIdx.x, out_row = tile_x * TILE + threadIdx.y;
    for (int i = 0; i < TILE; i += ROWS) {
        if (out_col < height && out_row + i < width)
            odata[(size_t)(out_row + i) * height + out_col] = tile[threadIdx.x][threadIdx.y + i];
    }
}

LAB_LAUNCH(width, height)
{
    return {lab_grid(lab_ceil_div(height, TILE), lab_ceil_div(width, TILE)), dim3(TILE, ROWS)};
}
