#include "lab.h"

LAB(padded);

extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
    asm volatile("ret;\n}\n.visible .entry lab_launch_shape(.param .u64 a, .param .u32 b, .param .u32 c)\n{\n");
}

LAB_LAUNCH(width, height)
{
    return {lab_grid(lab_ceil_div(width, 32), lab_ceil_div(height, 32)), dim3(32, 8)};
}
