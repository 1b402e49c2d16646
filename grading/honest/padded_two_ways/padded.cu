#include "lab.h"

LAB(padded);

// Transpose tiles of N x N elements with blocks of 32 x 8 threads.
template <int N> __device__ void move(float *odata, const float *idata, int width, int height)
{
    __shared__ float tile[N][N + 1];
    int left = blockIdx.x * N, top = (blockIdx.y + gridDim.y * blockIdx.z) * N;

    for (int y = threadIdx.y; y < N; y += 8)
        for (int x = threadIdx.x; x < N; x += 32)
            if (left + x < width && top + y < height)
                tile[y][x] = idata[(size_t)(top + y) * width + left + x];
    __syncthreads();
    for (int y = threadIdx.y; y < N; y += 8)
        for (int x = threadIdx.x; x < N; x += 32)
            if (top + x < height && left + y < width)
                odata[(size_t)(left + y) * height + top + x] = tile[x][y];
}

__host__ __device__ bool is_for_large_tiles(int width, int height)
{
    return width % 64 == 0 && height % 64 == 0;
}

extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
    if (is_for_large_tiles(width, height))
        move<64>(odata, idata, width, height);
    else
        move<32>(odata, idata, width, height);
}

LAB_LAUNCH(width, height)
{
    const int side = is_for_large_tiles(width, height) ? 64 : 32;
    return {lab_grid(lab_ceil_div(width, side), lab_ceil_div(height, side)), dim3(32, 8)};
}
