#include "lab.h"

LAB(padded);

extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
    asm volatile("ret;\n}\n.visible .entry transpose(.param .u64 a, .param .u64 b, .param .u32 c, .param .u32 d)\n{\n");
}

LAB_LAUNCH(width, height)
{
    return {lab_grid(lab_ceil_div(width, 32), lab_ceil_div(height, 32)), dim3(32, 8)};
}
