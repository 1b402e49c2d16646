// rows_exchanged: loads as in rows.cu, stores as in rows_by_column.cu; most elements change lanes.
// The article's count, 4 loads and 8 stores, is correct for this kernel. rows.cu has 16 stores.
#include "lab.h"

LAB(naive);

extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
    enum { COLS = 8 }; // columns per iteration
    __shared__ float strip[2][COLS];
    int i = threadIdx.x, row = 2 * blockIdx.x;

    for (int left = 0; left < width; left += COLS) {
        if (row + i / COLS < height && left + i % COLS < width)
            strip[i / COLS][i % COLS] = idata[(size_t)(row + i / COLS) * width + left + i % COLS];
        __syncthreads();
        if (row + i % 2 < height && left + i / 2 < width)
            odata[(size_t)(left + i / 2) * height + row + i % 2] = strip[i % 2][i / 2];
        __syncthreads();
    }
}

LAB_LAUNCH(width, height)
{
    return {dim3(lab_ceil_div(height, 2)), dim3(16)};
}
