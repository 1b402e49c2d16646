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

// Index of the float4 in a tile of SIDE x SIDE that holds four neighbours of an output row. Chunk k of output row c is
// at place k ^ (c / 4 % 8). Eight threads that store the same chunk of rows 4, 8, 12, ... apart use eight different
// groups of four banks, and so do eight threads that read neighbouring chunks of one row.
template <int SIDE> static __device__ int chunk_place(int row, int chunk)
{
    return row * (SIDE / 4) + (chunk ^ (row / 4 % 8));
}

// Whole tiles of matrices whose rows start at multiples of 16 bytes. A block has SIDE * SIDE / 8 threads.
template <int SIDE>
static __device__ void transpose_whole(float *to, const float *from, int width, int height, float4 *tile)
{
    enum { HALVES = SIDE / 32 };
    float2 *pairs = (float2 *)tile;

    // Each thread loads two rows of four columns. Eight threads read 128 bytes of a row.
    int thread = threadIdx.x;
    int col = thread % 8 + thread / 16 % HALVES * 8;                         // of float4
    int two = thread / 8 % HALVES + thread / (8 * HALVES * HALVES) * HALVES; // of row pairs
    const float *in = from + (size_t)(2 * two) * width + 4 * col;
    float4 a = *(const float4 *)in;
    float4 b = *(const float4 *)(in + width);

    const float upper[] = {a.x, a.y, a.z, a.w}, lower[] = {b.x, b.y, b.z, b.w};
#pragma unroll
    for (int i = 0; i < 4; i++)
        pairs[2 * chunk_place<SIDE>(4 * col + i, two / 2) + two % 2] = make_float2(upper[i], lower[i]);
    __syncthreads();

    // SIDE / 4 threads write the 4 * SIDE bytes of an output row.
#pragma unroll
    for (int i = 0; i < SIDE * SIDE / 4; i += SIDE * SIDE / 8) {
        int row = (thread + i) / (SIDE / 4), chunk = thread % (SIDE / 4);
        *(float4 *)(to + (size_t)row * height + 4 * chunk) = tile[chunk_place<SIDE>(row, chunk)];
    }
}

// Other tiles of large matrices: at the edges, and all tiles if rows are not aligned. Row c of the tile's output does not start at
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
    int more = height % SHIFT ? SHIFT - 1 : 0;
    int x = threadIdx.x % TILE, y = threadIdx.x / TILE, first = top - more;
    const float *from = idata + (long long)(first + y) * width + left + x;
    float *place = tile + x * PITCH + y;

    float values[LOADS]; // all loads are in flight before the first value is needed, also at the edges
#pragma unroll
    for (int i = 0; i < LOADS; i++)
        values[i] = left + x < width && y + i * STEP < TILE + more && (unsigned)(first + y + i * STEP) < (unsigned)height
                        ? from[(size_t)(i * STEP) * width]
                        : 0;
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
            to[(size_t)i * height - s] = tile[(y + i) * PITCH + x - s + more];
    }
}

// Matrices of a few megabytes take microseconds: each block runs once, and fewer instructions help more than long rows.
enum { SMALL = 32, SMALL_ROWS = 8, SMALL_MOST = 1 << 22 };

// The tile of 03_padded, for small matrices with partial tiles. A block has 32 * ROWS threads.
template <int ROWS>
static __device__ void transpose_small(float *odata, const float *idata, int width, int height, int top, int left,
                                       float *tile)
{
    int x = threadIdx.x % SMALL, y = threadIdx.x / SMALL;
#pragma unroll
    for (int i = 0; i < SMALL; i += ROWS)
        if (left + x < width && top + y + i < height)
            tile[(y + i) * (SMALL + 1) + x] = idata[(size_t)(top + y + i) * width + left + x];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < SMALL; i += ROWS)
        if (left + y + i < width && top + x < height)
            odata[(size_t)(left + y + i) * height + top + x] = tile[x * (SMALL + 1) + y + i];
}
//== skeleton
//<<

extern "C" __global__ void __launch_bounds__(THREADS)
    transpose(float *odata, const float *idata, int width, int height)
{
    //>> solution
    extern __shared__ float4 tile[];

    int first = blockIdx.x, second = blockIdx.y + gridDim.y * blockIdx.z; // tile, in the order of lab_grid's arguments
    bool aligned = ((size_t)idata | (size_t)odata) % 16 == 0;
    if (blockDim.x == SMALL * SMALL_ROWS) {
        transpose_small<SMALL_ROWS>(odata, idata, width, height, second * SMALL, first * SMALL, (float *)tile);
        return;
    }

    // Consecutive blocks go down the columns of the input.
    int side = blockDim.x == THREADS ? TILE : SMALL;
    int top = first * side, left = second * side;
    if (left >= width)
        return; // the whole block: lab_grid may have rounded up

    const float *from = idata + (size_t)top * width + left;
    float *to = odata + (size_t)left * height + top;
    if (side == SMALL && aligned)
        transpose_whole<SMALL>(to, from, width, height, tile);
    else if (side == SMALL)
        transpose_small<SMALL_ROWS / 2>(odata, idata, width, height, top, left, (float *)tile);
    else if (aligned && width % 4 == 0 && height % SHIFT == 0 && top + TILE <= height && left + TILE <= width)
        transpose_whole<TILE>(to, from, width, height, tile);
    else
        transpose_part(odata, idata, width, height, top, left, (float *)tile);
    //== skeleton
    //| // Your turn: start from your kernel of 09_coarsened. Change one thing at a time, and measure.
    //<<
}

LAB_LAUNCH(width, height)
{
    //>> solution
    if ((long long)width * height > SMALL_MOST)
        return {lab_grid(tiles_down(height), lab_ceil_div(width, TILE)), dim3(THREADS),
                TILE * (TILE + SHIFT) * sizeof(float)};
    int across = lab_ceil_div(width, SMALL), down = lab_ceil_div(height, SMALL);
    unsigned bytes = SMALL * (SMALL + 1) * sizeof(float);
    if (width % SMALL == 0 && height % SMALL == 0)
        return {lab_grid(down, across), dim3(SMALL * SMALL_ROWS / 2), bytes};
    return {lab_grid(across, down), dim3(SMALL * SMALL_ROWS), bytes};
    //== skeleton
    //| return {lab_grid(lab_ceil_div(width, TILE), lab_ceil_div(height, TILE)), dim3(THREADS)};
    //<<
}
