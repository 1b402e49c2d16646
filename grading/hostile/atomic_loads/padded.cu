#include "lab.h"

LAB(padded);

extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
    __shared__ float show[256];
    show[threadIdx.y * 32 + threadIdx.x] = idata[0];
    int r = (blockIdx.y + gridDim.y * blockIdx.z) * 32 + threadIdx.x;
    for (int j = 0; j < 32; j += 8) {
        int c = blockIdx.x * 32 + threadIdx.y + j;
        if (c < width && r < height)
            odata[(size_t)c * height + r] = __int_as_float(atomicOr((int *)&idata[(size_t)r * width + c], 0));
    }
}

LAB_LAUNCH(width, height)
{
    return {lab_grid(lab_ceil_div(width, 32), lab_ceil_div(height, 32)), dim3(32, 8)};
}
