#include "lab.h"

LAB(copy_shared);

extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
    int x = blockIdx.x * 32 + threadIdx.x;
    int y = (blockIdx.y + gridDim.y * blockIdx.z) * 32 + threadIdx.y;
    __shared__ volatile float show[32][32];
    for (int i = 0; i < 32; i += 8)
        if (x < width && y + i < height) {
            float value = idata[(size_t)(y + i) * width + x];
            show[threadIdx.y + i][threadIdx.x] = value;
            float seen = show[threadIdx.y + i][threadIdx.x];
            (void)seen;
            odata[(size_t)(y + i) * width + x] = value;
        }
}

LAB_LAUNCH(width, height)
{
    return {lab_grid(lab_ceil_div(width, 32), lab_ceil_div(height, 32)), dim3(32, 8)};
}
