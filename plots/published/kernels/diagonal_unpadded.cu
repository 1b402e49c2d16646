// Lab 06's diagonal order with lab 02's tile: limited by bank conflicts, not partition camping.
#include "lab.h"

#define TILE 32
#define ROWS 8

LAB(diagonal);

extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
    __shared__ float tile[TILE][TILE];
    int tiles_x = lab_ceil_div(width, TILE), tiles_y = lab_ceil_div(height, TILE);
    int tile_y = blockIdx.x % tiles_y;
    int tile_x = (blockIdx.x / tiles_y + tile_y) % tiles_x;
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
    return {dim3(lab_ceil_div(width, TILE) * lab_ceil_div(height, TILE)), dim3(TILE, ROWS)};
}
