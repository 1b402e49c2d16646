#include "lab.h"

LAB(fine_grained);

/* Loads an element with an atomic operation on the eight bytes that contain it. */
__device__ float wide(float *at)
{
    unsigned long long pair = atomicOr((unsigned long long *)((size_t)at & ~(size_t)7), 0ull);
    return __int_as_float((int)((size_t)at & 4 ? pair >> 32 : pair));
}

extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
    __shared__ __align__(16) float tile[32][32];
    int x = blockIdx.x * 32 + threadIdx.x;
    int y = (blockIdx.y + gridDim.y * blockIdx.z) * 32 + threadIdx.y;
    for (int i = 0; i < 32; i += 8)
        if (x < width && y + i < height)
            tile[threadIdx.y + i][threadIdx.x] = idata[(size_t)(y + i) * width + x];
    __syncthreads();
    x = blockIdx.x * 32 + threadIdx.x;
    y = (blockIdx.y + gridDim.y * blockIdx.z) * 32 + threadIdx.y;
    for (int i = 0; i < 32; i += 8)
        if (x < width && y + i < height)
            odata[(size_t)(y + i) * width + x] = i < 16 ? wide(&tile[threadIdx.x][threadIdx.y + i]) : tile[threadIdx.x][threadIdx.y + i];
}

LAB_LAUNCH(width, height)
{
    return {lab_grid(lab_ceil_div(width, 32), lab_ceil_div(height, 32)), dim3(32, 8)};
}
