// rows: a block of 16 threads (a program of the LeetGPU article) transposes two rows of the matrix.
// On the device `toy`, with 8 x 8 elements, the four lanes of a warp store to four lines.
#include "lab.h"

LAB(naive);

extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
    for (int i = threadIdx.x; i < 2 * width; i += blockDim.x) {
        int row = 2 * blockIdx.x + i / width, col = i % width;
        if (row < height)
            odata[(size_t)col * height + row] = idata[(size_t)row * width + col];
    }
}

LAB_LAUNCH(width, height)
{
    return {dim3(lab_ceil_div(height, 2)), dim3(16)};
}
