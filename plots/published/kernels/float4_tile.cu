// A padded 32 x 32 tile that is loaded and stored as float4: 8 threads per row, 32 rows. A float4 must be
// aligned to 16 bytes. If a side is not a multiple of four, its rows are moved element by element.
#include "lab.h"

#define TILE 32
#define QUADS (TILE / 4)

LAB(padded);

static __device__ void load_quad(float *to, const float *from, int count, bool aligned)
{
    if (aligned && count >= 4) {
        float4 quad = *reinterpret_cast<const float4 *>(from);
        to[0] = quad.x, to[1] = quad.y, to[2] = quad.z, to[3] = quad.w;
    } else {
        for (int i = 0; i < count && i < 4; i++)
            to[i] = from[i];
    }
}

extern "C" __global__ void transpose(float *__restrict__ odata, const float *__restrict__ idata, int width,
                                     int height)
{
    __shared__ float tile[TILE][TILE + 1];
    int left = blockIdx.x * TILE, top = (blockIdx.y + gridDim.y * blockIdx.z) * TILE;
    int lane = threadIdx.x * 4, line = threadIdx.y;

    if (top + line < height)
        load_quad(&tile[line][lane], idata + (size_t)(top + line) * width + left + lane, width - left - lane,
                  width % 4 == 0);

    __syncthreads();

    if (left + line >= width)
        return;
    float *to = odata + (size_t)(left + line) * height + top + lane;
    int count = height - top - lane;
    if (height % 4 == 0 && count >= 4) {
        *reinterpret_cast<float4 *>(to) = make_float4(tile[lane][line], tile[lane + 1][line],
                                                      tile[lane + 2][line], tile[lane + 3][line]);
    } else {
        for (int i = 0; i < count && i < 4; i++)
            to[i] = tile[lane + i][line];
    }
}

LAB_LAUNCH(width, height)
{
    return {lab_grid(lab_ceil_div(width, TILE), lab_ceil_div(height, TILE)), dim3(QUADS, TILE)};
}
