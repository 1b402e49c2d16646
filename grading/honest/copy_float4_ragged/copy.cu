#include "lab.h"

LAB(copy);

extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < (size_t)width * height / 4)
        reinterpret_cast<float4 *>(odata)[i] = reinterpret_cast<const float4 *>(idata)[i];
}

LAB_LAUNCH(width, height)
{
    return {dim3(lab_ceil_div(width * height, 1024)), dim3(256)};
}
