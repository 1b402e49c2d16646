#include "lab.h"

LAB(naive);
__device__ const char *text = "#include \"x\"";
__device__ const char *raw = R"(
#include HELPER
)";
extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
    (void)(1'000 + sizeof text + sizeof raw); /* '
#include HELPER
*/
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x < width && y < height)
        odata[(size_t)x * height + y] = idata[(size_t)y * width + x];
}

LAB_LAUNCH(width, height)
{
    return {dim3(lab_ceil_div(width, 32), lab_ceil_div(height, 8)), dim3(32, 8)};
}
