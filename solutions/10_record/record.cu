// 10_record: almost as fast as a copy.
#include "lab.h"

#define TILE 64     // floats per side
#define THREADS 512 // per block

LAB(record);

//>> solution
// Changes since 09_coarsened, and their gain on an H200 at 8192 x 8192, in percent of a 16-byte copy:
//   consecutive blocks go down the columns of the input, so that their stores are contiguous: 94.3 to 96.9
//   two float4 in flight for each of 512 threads instead of four for each of 256; 8-byte stores to shared memory
//   and 16-byte loads from it, without padding: to 97.5 and more
//   at 8191 x 8193, where rows are not aligned: whole sectors are stored, 83 to 92
// docs/record.md has all experiments, including those that did not help.

// Index of the float4 in the tile that holds four neighbours of an output row. Chunk k of output row c is at
// place k ^ (c / 4 % 8). Eight threads that store the same chunk of rows 4, 8, 12, ... apart use eight different
// groups of four banks, and so do eight threads that read neighbouring chunks of one row.
static __device__ int chunk_place(int row, int chunk)
{
    return row * (TILE / 4) + (chunk ^ (row / 4 % 8));
}

// Whole tiles of matrices whose rows start at multiples of 16 bytes.
static __device__ void transpose_whole(float *to, const float *from, int width, int height, float4 *tile)
{
    float2 *pairs = (float2 *)tile;

    // Each thread takes two rows of four columns. Eight threads read 128 bytes of a row.
    int thread = threadIdx.x;
    int col = thread % 8 + thread / 16 % 2 * 8; // of float4
    int two = thread / 8 % 2 + thread / 32 * 2; // of row pairs
    const float *in = from + (size_t)(2 * two) * width + 4 * col;
    float4 a = *(const float4 *)in;
    float4 b = *(const float4 *)(in + width);

    const float upper[] = {a.x, a.y, a.z, a.w}, lower[] = {b.x, b.y, b.z, b.w};
#pragma unroll
    for (int i = 0; i < 4; i++)
        pairs[2 * chunk_place(4 * col + i, two / 2) + two % 2] = make_float2(upper[i], lower[i]);
    __syncthreads();

    // Sixteen threads write the 256 bytes of an output row.
#pragma unroll
    for (int i = 0; i < TILE * TILE / 4; i += THREADS) {
        int row = (thread + i) / (TILE / 4), chunk = thread % (TILE / 4);
        *(float4 *)(to + (size_t)row * height + 4 * chunk) = tile[chunk_place(row, chunk)];
    }
}

// All others: tiles at the edges, and all tiles if rows are not aligned. Row c of the tile's output does not start at
// column `top`, but at the last sector boundary before it. It also ends at one, so no sector is stored in two pieces.
// A tile therefore needs up to SHIFT - 1 more rows of the input.
enum { SHIFT = 8 }; // floats per sector

static __host__ __device__ int tiles_down(int height)
{
    return lab_ceil_div(height % SHIFT ? height + SHIFT - 1 : height, TILE);
}

static __device__ void transpose_part(float *odata, const float *idata, int width, int height, int top, int left,
                                      float *tile)
{
    enum { ROWS = TILE + SHIFT - 1, PITCH = ROWS, STEP = THREADS / TILE, LOADS = (ROWS + STEP - 1) / STEP };
    int x = threadIdx.x % TILE, y = threadIdx.x / TILE, first = top - (SHIFT - 1);
    const float *from = idata + (long long)(first + y) * width + left + x;
    float *place = tile + x * PITCH + y;

    float values[LOADS]; // all in flight before the first is needed, also at the edges
#pragma unroll
    for (int i = 0; i < LOADS; i++)
        values[i] = left + x < width && (unsigned)(first + y + i * STEP) < (unsigned)height ? from[(size_t)(i * STEP) * width] : 0;
#pragma unroll
    for (int i = 0; i < LOADS; i++)
        if (y + i * STEP < ROWS)
            place[i * STEP] = values[i];
    __syncthreads();

    float *to = odata + (size_t)(left + y) * height + top + x;
    int shift = (size_t)(to - x) / sizeof *to % SHIFT;
#pragma unroll
    for (int i = 0; i < TILE; i += STEP) {
        int s = height % SHIFT ? (shift + i * (unsigned)height) % SHIFT : 0;
        if (left + y + i < width && top + x - s >= 0 && top + x - s < height)
            to[(size_t)i * height - s] = tile[(y + i) * PITCH + x - s + SHIFT - 1];
    }
}
//== skeleton
//<<

extern "C" __global__ void __launch_bounds__(THREADS)
    transpose(float *odata, const float *idata, int width, int height)
{
    //>> solution
    __shared__ float4 tile[TILE * (TILE + SHIFT) / 4];

    // The arguments of lab_grid were tiles down and tiles across.
    int top = blockIdx.x * TILE, left = (blockIdx.y + gridDim.y * blockIdx.z) * TILE;
    if (left >= width)
        return; // the whole block: lab_grid may have rounded up

    bool aligned = width % 4 == 0 && height % SHIFT == 0 && ((size_t)idata | (size_t)odata) % 16 == 0;
    if (aligned && top + TILE <= height && left + TILE <= width)
        transpose_whole(odata + (size_t)left * height + top, idata + (size_t)top * width + left, width, height, tile);
    else
        transpose_part(odata, idata, width, height, top, left, (float *)tile);
    //== skeleton
    //| // Your turn: start from your kernel of 09_coarsened. Change one thing at a time, and measure.
    //<<
}

LAB_LAUNCH(width, height)
{
    //>> solution
    return {lab_grid(tiles_down(height), lab_ceil_div(width, TILE)), dim3(THREADS)};
    //== skeleton
    //| return {lab_grid(lab_ceil_div(width, TILE), lab_ceil_div(height, TILE)), dim3(THREADS)};
    //<<
}
