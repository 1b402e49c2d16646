// 07_register_tile: four rows in the registers of each thread, and no shared memory.
#include "lab.h"

#ifndef BLOCK_COLS
#define BLOCK_COLS 16 // threads across: columns per block
#endif
#ifndef BLOCK_ROWS
#define BLOCK_ROWS 16 // threads down: a quarter of the rows per block
#endif

LAB(register_tile);

extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
    //>> solution
    int col = blockIdx.x * BLOCK_COLS + threadIdx.x;
    int row = 4 * ((blockIdx.y + gridDim.y * blockIdx.z) * BLOCK_ROWS + threadIdx.y);
    if (col >= width || row >= height)
        return;

    const float *in = idata + (size_t)row * width + col;
    float *out = odata + (size_t)col * height + row;

    if (height % 4 == 0 && (size_t)odata % 16 == 0) {
        // Four elements of a column become four neighbours of a row, which is one 16-byte store. A
        // warp covers 16 columns with 2 of these groups each, so two lanes fill a sector.
        float4 four = {in[0], in[width], in[2 * (size_t)width], in[3 * (size_t)width]};
        *(float4 *)out = four;
    } else {
        for (int i = 0; i < 4 && row + i < height; i++)
            out[i] = in[(size_t)i * width];
    }
    //== skeleton
    //| // Your turn: let each thread load four elements of one column, and store them as one float4.
    //| // If rows of the output do not start at multiples of 16 bytes, store the elements one by one.
    //<<
}

LAB_LAUNCH(width, height)
{
    return {lab_grid(lab_ceil_div(width, BLOCK_COLS), lab_ceil_div(height, 4 * BLOCK_ROWS)),
            dim3(BLOCK_COLS, BLOCK_ROWS)};
}
