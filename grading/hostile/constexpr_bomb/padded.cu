#include "lab.h"
constexpr int spin(int n) { int s = 0; for (long long i = 0; i < 1ll << 60; i++) s += n; return s; }
constexpr int forever = spin(3);

LAB(padded);

extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
    odata[0] = forever;
}

LAB_LAUNCH(width, height)
{
    return {lab_grid(lab_ceil_div(width, 32), lab_ceil_div(height, 32)), dim3(32, 8)};
}
