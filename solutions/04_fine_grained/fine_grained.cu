// 04_fine_grained: the half of a transpose that takes place inside the tiles.
//
// Every tile is transposed and stays in its place. The output has the shape of the input, and both
// sides are multiples of TILE_DIM. The tile size is part of the problem: -D TILE_DIM=16 changes the
// expected output.
#include "lab.h"

#ifndef TILE_DIM
#define TILE_DIM 32
#endif
#ifndef BLOCK_ROWS
#define BLOCK_ROWS 8
#endif
static_assert(TILE_DIM % BLOCK_ROWS == 0, "BLOCK_ROWS must divide TILE_DIM");

LAB(fine_grained);

extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
    //>> solution
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];

    //<<
    int block_y = blockIdx.y + gridDim.y * blockIdx.z; // row of the block: see lab_grid in lab.h
    int col = blockIdx.x * TILE_DIM + threadIdx.x;
    int row = block_y * TILE_DIM + threadIdx.y;

    for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS) {
        //>> solution
        if (col < width && row + i < height)
            tile[threadIdx.y + i][threadIdx.x] = idata[(size_t)(row + i) * width + col];
        //== skeleton
        //| if (col < width && row + i < height) {
        //|     // Your turn, 1: load the tile.
        //| }
        //<<
    }

    //>> solution
    __syncthreads();

    for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS) {
        if (col < width && row + i < height)
            odata[(size_t)(row + i) * width + col] = tile[threadIdx.x][threadIdx.y + i];
    }
    //== skeleton
    //| // Your turn, 2: write the tile back, transposed, to its original place. Here odata
    //| // has width columns, like idata.
    //<<
}

LAB_LAUNCH(width, height)
{
    //>> solution
    return {lab_grid(lab_ceil_div(width, TILE_DIM), lab_ceil_div(height, TILE_DIM)),
            dim3(TILE_DIM, BLOCK_ROWS)};
    //== skeleton
    //| // Your turn, 3: one block is launched. How many blocks does width x height need?
    //| return {lab_grid(1, 1), dim3(TILE_DIM, BLOCK_ROWS)};
    //<<
}
