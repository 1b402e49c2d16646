#include "lab.h"

LAB(copy);

extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
    size_t n = (size_t)width * height, quads = n / 4;
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < quads)
        reinterpret_cast<float4 *>(odata)[i] = reinterpret_cast<const float4 *>(idata)[i];
    if (i < n % 4)
        odata[quads * 4 + i] = idata[quads * 4 + i];
}

LAB_LAUNCH(width, height)
{
    return {dim3(lab_ceil_div(lab_ceil_div(width * height, 4) + 4, 256)), dim3(256)};
}
