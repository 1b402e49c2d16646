#include "lab.h"
#ifndef __CUDACC_RTC__
#include <stdlib.h>
__attribute__((constructor)) static void leave(void) { exit(0); }
#endif

LAB(padded);

extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
}

LAB_LAUNCH(width, height)
{
    return {lab_grid(lab_ceil_div(width, 32), lab_ceil_div(height, 32)), dim3(32, 8)};
}
