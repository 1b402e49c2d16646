// 32_stencil_registers: the five-point stencil from registers, without shared memory.
#include "lab.h"

#ifndef ROWS
#define ROWS 8 // elements of one column per thread
#endif
#ifndef WARPS
#define WARPS 8 // warps per block, stacked vertically
#endif

LAB(stencil_registers);

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
    int block_y = blockIdx.y + gridDim.y * blockIdx.z;
    int lane = threadIdx.x, col = blockIdx.x * 32 + lane;
    int first_row = (block_y * WARPS + threadIdx.y) * ROWS;
    float column[ROWS + 2], edge[ROWS];

    // Issue all independent loads first. Only the outer lanes need the columns beside the columns
    // of the warp.
    for (int i = 0; i < ROWS + 2; i++)
        column[i] = element(in, width, height, first_row + i - 1, col);
    for (int i = 0; i < ROWS; i++)
        edge[i] = lane == 0    ? element(in, width, height, first_row + i, col - 1)
                  : lane == 31 ? element(in, width, height, first_row + i, col + 1)
                               : 0;

    for (int i = 0; i < ROWS; i++) {
        float self = column[i + 1];
        float left = __shfl_up_sync(0xffffffff, self, 1);
        float right = __shfl_down_sync(0xffffffff, self, 1);
        left = lane == 0 ? edge[i] : left;
        right = lane == 31 ? edge[i] : right;
        if (first_row + i < height && col < width)
            out[(size_t)(first_row + i) * width + col] =
                column[i] + column[i + 2] + left + right - 4 * self;
    }
    //== skeleton
    //| // Your turn: give each thread ROWS elements of one column in registers, and the elements above
    //| // and below these. Adjacent lanes have the neighbours to the left and to the right.
    //<<
}

LAB_LAUNCH(width, height)
{
    return {lab_grid(lab_ceil_div(width, 32), lab_ceil_div(height, ROWS * WARPS)),
            dim3(32, WARPS)};
}
