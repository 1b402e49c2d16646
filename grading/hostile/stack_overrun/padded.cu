#include "lab.h"

LAB(padded);

extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
    volatile float keep[4] = {1, 2, 3, 4};
    for (int i = 0; i < width * 1000; i++)
        keep[i] = 7;
    odata[0] = keep[width & 3];
}

LAB_LAUNCH(width, height)
{
    return {lab_grid(lab_ceil_div(width, 32), lab_ceil_div(height, 32)), dim3(32, 8)};
}
