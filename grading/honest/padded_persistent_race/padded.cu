#include "lab.h"

LAB(padded);

extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
    __shared__ float tile[32][33];
    int across = (width + 31) / 32, down = (height + 31) / 32;
    for (int t = blockIdx.x; t < across * down; t += gridDim.x) {
        int bx = t % across, by = t / across;
        int x = bx * 32 + threadIdx.x, y = by * 32 + threadIdx.y;
        for (int i = 0; i < 32; i += 8)
            if (x < width && y + i < height)
                tile[threadIdx.y + i][threadIdx.x] = idata[(size_t)(y + i) * width + x];
        __syncthreads();
        x = by * 32 + threadIdx.x;
        y = bx * 32 + threadIdx.y;
        for (int i = 0; i < 32; i += 8)
            if (x < height && y + i < width)
                odata[(size_t)(y + i) * height + x] = tile[threadIdx.x][threadIdx.y + i];
    }
}

LAB_LAUNCH(width, height)
{
    return {dim3(4), dim3(32, 8)};
}
