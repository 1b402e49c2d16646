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
    // Your turn: let each thread load four elements of one column, and store them as one float4.
    // If rows of the output do not start at multiples of 16 bytes, store the elements one by one.
}

LAB_LAUNCH(width, height)
{
    return {lab_grid(lab_ceil_div(width, BLOCK_COLS), lab_ceil_div(height, 4 * BLOCK_ROWS)),
            dim3(BLOCK_COLS, BLOCK_ROWS)};
}
