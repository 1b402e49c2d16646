// rows_by_column: two rows per block as in rows.cu, but consecutive lanes go down the columns.
// Pairs of lanes store to adjacent places, and load from two lines.
#include "lab.h"

LAB(naive);

extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
    for (int i = threadIdx.x; i < 2 * width; i += blockDim.x) {
        int row = 2 * blockIdx.x + i % 2, col = i / 2;
        if (row < height)
            odata[(size_t)col * height + row] = idata[(size_t)row * width + col];
    }
}

LAB_LAUNCH(width, height)
{
    return {dim3(lab_ceil_div(height, 2)), dim3(16)};
}
