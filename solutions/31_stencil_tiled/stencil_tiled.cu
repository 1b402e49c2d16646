// 31_stencil_tiled: the five-point stencil from a tile with a halo.
#include "lab.h"

#ifndef TILE_DIM
#define TILE_DIM 32
#endif
#ifndef BLOCK_ROWS
#define BLOCK_ROWS 8
#endif
static_assert(TILE_DIM % BLOCK_ROWS == 0, "BLOCK_ROWS must divide TILE_DIM");

LAB(stencil_tiled);

//>> solution
// Returns in[row][col]; 0 outside the matrix.
__device__ float element(const float *in, int width, int height, int row, int col)
{
    bool inside = row >= 0 && row < height && col >= 0 && col < width;
    return inside ? in[(size_t)row * width + col] : 0;
}
//<<

// out[r][c] = sum of the four neighbours of in[r][c], minus 4 * in[r][c]; elements outside are 0.
extern "C" __global__ void stencil(float *out, const float *in, int width, int height)
{
    //>> solution
    // The tile with a halo of one row or column on each side.
    __shared__ float tile[TILE_DIM + 2][TILE_DIM + 2];

    int block_y = blockIdx.y + gridDim.y * blockIdx.z;
    int first_col = blockIdx.x * TILE_DIM, first_row = block_y * TILE_DIM;
    int col = first_col + threadIdx.x, x = threadIdx.x + 1;

    for (int y = threadIdx.y; y < TILE_DIM + 2; y += BLOCK_ROWS) {
        int row = first_row + y - 1;
        tile[y][x] = element(in, width, height, row, col);
        if (threadIdx.x < 2)
            tile[y][threadIdx.x * (TILE_DIM + 1)] =
                element(in, width, height, row, first_col - 1 + threadIdx.x * (TILE_DIM + 1));
    }

    __syncthreads();

    for (int y = threadIdx.y + 1; y <= TILE_DIM; y += BLOCK_ROWS) {
        int row = first_row + y - 1;
        if (row < height && col < width)
            out[(size_t)row * width + col] = tile[y - 1][x] + tile[y + 1][x] + tile[y][x - 1] +
                                             tile[y][x + 1] - 4 * tile[y][x];
    }
    //== skeleton
    //| // Your turn: load a tile of `in` with its halo into shared memory (0 for elements outside the
    //| // matrix), synchronize, and compute the result from the tile.
    //<<
}

LAB_LAUNCH(width, height)
{
    return {lab_grid(lab_ceil_div(width, TILE_DIM), lab_ceil_div(height, TILE_DIM)),
            dim3(TILE_DIM, BLOCK_ROWS)};
}
