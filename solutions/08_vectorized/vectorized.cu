// 08_vectorized: the padded transpose with 16-byte accesses on both sides.
#include "lab.h"

#define TILE_DIM 32

LAB(vectorized);

extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
    //>> solution
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];

    int block_y = blockIdx.y + gridDim.y * blockIdx.z;
    int quad = 4 * threadIdx.x; // column in the tile of the thread's first element
    int line = threadIdx.y;     // row in the tile of the thread's four elements
    bool aligned = width % 4 == 0 && height % 4 == 0 && (size_t)idata % 16 == 0 && (size_t)odata % 16 == 0;

    // A warp has 8 threads across and 4 down, so it loads four pieces of 128 bytes. The stores
    // transpose the tile. In store i, the banks 4 * x + y + i of the lanes are all different.
    int col = blockIdx.x * TILE_DIM + quad, row = block_y * TILE_DIM + line;
    if (aligned && col < width && row < height) {
        float4 four = *(const float4 *)(idata + (size_t)row * width + col);
        tile[quad][line] = four.x;
        tile[quad + 1][line] = four.y;
        tile[quad + 2][line] = four.z;
        tile[quad + 3][line] = four.w;
    } else if (row < height) {
        for (int i = 0; i < 4 && col + i < width; i++)
            tile[quad + i][line] = idata[(size_t)row * width + col + i];
    }

    __syncthreads();

    // Rows of the tile are now rows of the output. Most rows of the tile are not aligned for a
    // float4, because they are 33 words apart. Four single loads make one float4.
    int out_col = block_y * TILE_DIM + quad, out_row = blockIdx.x * TILE_DIM + line;
    if (aligned && out_col < height && out_row < width) {
        float4 four = {tile[line][quad], tile[line][quad + 1], tile[line][quad + 2], tile[line][quad + 3]};
        *(float4 *)(odata + (size_t)out_row * height + out_col) = four;
    } else if (out_row < width) {
        for (int i = 0; i < 4 && out_col + i < height; i++)
            odata[(size_t)out_row * height + out_col + i] = tile[line][quad + i];
    }
    //== skeleton
    //| // Your turn: start from your kernel of 03_padded, and use one float4 per thread on both
    //| // sides: 8 threads across, 32 down, no loops. When is an address valid for a float4?
    //<<
}

LAB_LAUNCH(width, height)
{
    return {lab_grid(lab_ceil_div(width, TILE_DIM), lab_ceil_div(height, TILE_DIM)),
            dim3(TILE_DIM / 4, TILE_DIM)};
}
