// 32_stencil_registers: the five-point stencil from registers, without shared memory.
#include "lab.h"

#ifndef ROWS
#define ROWS 8 // elements of one column per thread
#endif
#ifndef WARPS
#define WARPS 8 // warps per block, stacked vertically
#endif

LAB(stencil_registers);


// out[r][c] = sum of the four neighbours of in[r][c], minus 4 * in[r][c]; elements outside are 0.
extern "C" __global__ void stencil(float *out, const float *in, int width, int height)
{
    // Your turn: give each thread ROWS elements of one column in registers, and the elements above
    // and below these. Adjacent lanes have the neighbours to the left and to the right.
}

LAB_LAUNCH(width, height)
{
    return {lab_grid(lab_ceil_div(width, 32), lab_ceil_div(height, ROWS * WARPS)),
            dim3(32, WARPS)};
}
