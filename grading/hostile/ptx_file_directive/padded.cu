#include "lab.h"

LAB(padded);

extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
    asm volatile(".file 7 \"/etc/passwd\"\n\t.loc 7 1 0");
    odata[-1000000] = 7;
}

LAB_LAUNCH(width, height)
{
    return {lab_grid(lab_ceil_div(width, 32), lab_ceil_div(height, 32)), dim3(32, 8)};
}
