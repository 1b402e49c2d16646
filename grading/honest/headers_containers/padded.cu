#include "lab.h"
#include <cuda/cmath>
#include <cuda/ptx>
#include <cuda/std/array>
#include <cuda/std/bit>
#include <cuda/std/span>
#include <cuda/std/tuple>

LAB(padded);

using row = cuda::std::array<float, 33>;

extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
    __shared__ cuda::std::array<row, 32> tile;
    cuda::std::span<const float> in(idata, (size_t)width * height);
    cuda::std::span<float> out(odata, (size_t)width * height);
    auto place = cuda::std::make_tuple(int(blockIdx.x * 32), int(blockIdx.y + gridDim.y * blockIdx.z) * 32);
    int left = cuda::std::get<0>(place), top = cuda::std::get<1>(place), x = threadIdx.x;
    static_assert(cuda::std::has_single_bit(32u));

    for (int y = threadIdx.y; y < 32; y += 8)
        if (left + x < width && top + y < height)
            tile[y][x] = in[(size_t)(top + y) * width + left + x];
    __syncthreads();
    for (int y = threadIdx.y; y < 32; y += 8)
        if (top + x < height && left + y < width)
            out[(size_t)(left + y) * height + top + x] = tile[x][y];
}

LAB_LAUNCH(width, height)
{
    return {lab_grid(cuda::ceil_div(width, 32), cuda::ceil_div(height, 32)), dim3(32, 8)};
}
