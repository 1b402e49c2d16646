#include "lab.h"
__device__ __noinline__ int down(int n) { volatile int keep[64]; keep[n & 63] = n; return down(n + 1) + keep[(n + 1) & 63]; }

LAB(padded);

extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
    odata[0] = down(width);
}

LAB_LAUNCH(width, height)
{
    return {lab_grid(lab_ceil_div(width, 32), lab_ceil_div(height, 32)), dim3(32, 8)};
}
