#include "lab.h"

LAB(padded);

extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
    float *keep = (float *)malloc(1 << 30);
    keep[threadIdx.x] = idata[0];
    odata[0] = keep[width % 32];
}

LAB_LAUNCH(width, height)
{
    return {lab_grid(lab_ceil_div(width, 32), lab_ceil_div(height, 32)), dim3(32, 8)};
}
