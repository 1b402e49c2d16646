#include "lab.h"
__device__ float seen[4096];

LAB(padded);

extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
    int i = blockIdx.x * 256 + threadIdx.y * 32 + threadIdx.x;
    if (i < width * height && i < 4096) {
        if (seen[i] == 0)
            seen[i] = idata[i];
        odata[(i % width) * height + i / width] = seen[i];
    }
}

LAB_LAUNCH(width, height)
{
    return {lab_grid(lab_ceil_div(width, 32), lab_ceil_div(height, 32)), dim3(32, 8)};
}
