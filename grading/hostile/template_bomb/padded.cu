#include "lab.h"
template <int N, int D> struct bomb { static const int value = bomb<2 * N, D - 1>::value + bomb<2 * N + 1, D - 1>::value; };
template <int N> struct bomb<N, 0> { static const int value = N; };

LAB(padded);

extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
    odata[0] = bomb<0, 64>::value;
}

LAB_LAUNCH(width, height)
{
    return {lab_grid(lab_ceil_div(width, 32), lab_ceil_div(height, 32)), dim3(32, 8)};
}
