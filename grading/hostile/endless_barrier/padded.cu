#include "lab.h"

LAB(padded);

extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
    if (threadIdx.x < 16) { __syncthreads(); }
    while (threadIdx.x >= 16 && *(volatile float *)odata != 3.0f) ;
}

LAB_LAUNCH(width, height)
{
    return {lab_grid(lab_ceil_div(width, 32), lab_ceil_div(height, 32)), dim3(32, 8)};
}
