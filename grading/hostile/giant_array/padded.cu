#include "lab.h"

LAB(padded);

extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
    volatile float big[500 * 1000 * 1000];
    for (int i = 0; i < 500000000; i += 4096) big[i] = idata[0];
    odata[0] = big[width];
}

LAB_LAUNCH(width, height)
{
    return {lab_grid(lab_ceil_div(width, 32), lab_ceil_div(height, 32)), dim3(32, 8)};
}
