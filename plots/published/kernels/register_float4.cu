// A transpose without shared memory: a thread loads four elements of a column, one below the other, and
// stores them as one float4, four adjacent elements of an output row. A warp of 16 x 2 threads loads whole
// sectors (16 adjacent elements) and stores whole sectors (two adjacent float4).
#include "lab.h"

#define SIDE 16
#define PER_THREAD 4

LAB(naive);

extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
    int col = blockIdx.x * SIDE + threadIdx.x;
    int row = ((blockIdx.y + gridDim.y * blockIdx.z) * SIDE + threadIdx.y) * PER_THREAD;
    if (col >= width || row >= height)
        return;
    const float *from = idata + (size_t)row * width + col;
    float *to = odata + (size_t)col * height + row;
    if (height % PER_THREAD == 0) {
        float4 quad = make_float4(from[0], from[width], from[2 * (size_t)width], from[3 * (size_t)width]);
        *reinterpret_cast<float4 *>(to) = quad;
    } else {
        for (int i = 0; i < PER_THREAD && row + i < height; i++)
            to[i] = from[(size_t)i * width];
    }
}

LAB_LAUNCH(width, height)
{
    return {lab_grid(lab_ceil_div(width, SIDE), lab_ceil_div(height, SIDE * PER_THREAD)), dim3(SIDE, SIDE)};
}
