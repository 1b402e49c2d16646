#include "lab.h"

LAB(copy);

extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
    size_t n = (size_t)width * height;
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        odata[i] = idata[i];
}

LAB_LAUNCH(width, height)
{
    return {dim3(264), dim3(256)};
}
