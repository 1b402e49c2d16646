// 11_batched: transpose each matrix of a batch that is stored contiguously.
#include "lab.h"

#define TILE 64     // side of a tile, in floats
#define THREADS 512 // threads per block

LAB(batched);

//>> solution
// The kernel of 10_record for each matrix. All tiles of the batch are numbered along x, the longest
// grid dimension: first down a matrix, then across, then by matrix. Adjacent blocks thus store to
// adjacent addresses, and a batch of single tiles (64 x 64) is read and written in memory order.
//
// Small matrices that do not consist of whole tiles are processed in groups. A block loads a
// contiguous piece of memory into shared memory and stores a contiguous piece.

// Returns the index of the float4 in the tile for a chunk of an output row (see 10_record).
static __device__ int chunk_place(int row, int chunk)
{
    return row * (TILE / 4) + (chunk ^ (row / 4 % 8));
}

// Transpose a whole tile of a matrix with rows that start at multiples of 16 bytes.
static __device__ void transpose_whole(float *to, const float *from, int width, int height, float4 *tile)
{
    float2 *pairs = (float2 *)tile;

    // Each thread loads two rows of four columns. Eight threads read 128 bytes of a row.
    int thread = threadIdx.x;
    int col = thread % 8 + thread / 16 % 2 * 8; // index of the float4 in a row
    int two = thread / 8 % 2 + thread / 32 * 2; // index of the pair of rows
    const float *in = from + (size_t)(2 * two) * width + 4 * col;
    float4 a = *(const float4 *)in;
    float4 b = *(const float4 *)(in + (size_t)width);

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

// Tiles at the edges, and all tiles if rows are not aligned. Row c of the tile's output starts at
// the last sector boundary at or before column `top`, and ends at a boundary, so that no sector is
// stored in pieces. A tile therefore needs up to SHIFT - 1 more rows of the input.
enum { SHIFT = 8 }; // number of floats in a sector

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

    float values[LOADS]; // all loads are in flight before the first value is needed
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

// group_size: the number of small matrices per block; 0 if the matrices are divided into tiles.
enum { SMALL_THREADS = 256, TOGETHER = 4, SMALL_BYTES = 24 << 10, SMALL_BYTES_MOST = 47 << 10 };

static __host__ __device__ int group_size(int width, int height)
{
    long long bytes = 4ll * (width | 1) * height;
    if ((width % TILE == 0 && height % TILE == 0) || bytes > SMALL_BYTES_MOST)
        return 0;
    return bytes > SMALL_BYTES ? 1 : SMALL_BYTES / bytes;
}

// Transpose `matrices` small matrices. Rows in shared memory have an odd pitch, so the elements of
// a column use different banks. Each thread moves every SMALL_THREADS-th element, and computes its
// row and column without a division. The first element of each warp is at a multiple of 128 bytes.
static __device__ void transpose_small(float *to, const float *from, int width, int height, int matrices, float *shared)
{
    int size = width * height, count = matrices * size, pad = 1 - width % 2;

    int at = threadIdx.x - (int)((size_t)from / sizeof *from % 32);
    if (at < 0)
        at += SMALL_THREADS;
    int row = at / width, col = at % width, rows = SMALL_THREADS / width, cols = SMALL_THREADS % width;
    while (at < count) {
        float values[TOGETHER]; // results of loads that are in flight together
#pragma unroll
        for (int i = 0; i < TOGETHER; i++)
            values[i] = at + i * SMALL_THREADS < count ? from[at + i * SMALL_THREADS] : 0;
#pragma unroll
        for (int i = 0; i < TOGETHER; i++, at += SMALL_THREADS) {
            if (at < count)
                shared[at + row * pad] = values[i];
            row += rows, col += cols;
            if (col >= width)
                col -= width, row++;
        }
    }
    __syncthreads();

    at = threadIdx.x - (int)((size_t)to / sizeof *to % 32);
    if (at < 0)
        at += SMALL_THREADS;
    int pitch = width + pad, padded = pitch * height, matrix = at / size * padded, skipped = SMALL_THREADS / size * padded;
    row = at % size % height, rows = SMALL_THREADS % size % height;
    col = at % size / height, cols = SMALL_THREADS % size / height;
#pragma unroll 4
    for (; at < count; at += SMALL_THREADS) {
        to[at] = shared[matrix + row * pitch + col];
        row += rows, col += cols, matrix += skipped;
        if (row >= height)
            row -= height, col++;
        if (col >= width)
            col -= width, matrix += padded;
    }
}
//== skeleton
//<<

// Matrix m has `height` rows of `width` columns, and starts at idata + m * width * height.
extern "C" __global__ void __launch_bounds__(THREADS)
    transpose(float *odata, const float *idata, int width, int height, int matrices)
{
    //>> solution
    extern __shared__ float4 shared[];

    // Offsets are size_t, because a batch can have more elements than the range of int.
    size_t size = (size_t)width * height;
    if (int group = group_size(width, height)) {
        size_t offset = blockIdx.x * group * size;
        transpose_small(odata + offset, idata + offset, width, height, min(group, matrices - blockIdx.x * group),
                        (float *)shared);
        return;
    }
    int down = tiles_down(height), tiles = down * lab_ceil_div(width, TILE);
    int number = blockIdx.x % tiles, top = number % down * TILE, left = number / down * TILE;
    odata += blockIdx.x / tiles * size;
    idata += blockIdx.x / tiles * size;

    bool aligned = width % 4 == 0 && height % SHIFT == 0 && ((size_t)idata | (size_t)odata) % 16 == 0;
    if (aligned && top + TILE <= height && left + TILE <= width)
        transpose_whole(odata + (size_t)left * height + top, idata + (size_t)top * width + left, width, height, shared);
    else
        transpose_part(odata, idata, width, height, top, left, (float *)shared);
    //== skeleton
    //| // Your turn: start from your fastest transpose. Which matrix does this block transpose, and where
    //| // does this matrix start? How many bits does the offset of the matrix need?
    //<<
}

LAB_LAUNCH(width, height, matrices)
{
    //>> solution
    if (int group = group_size(width, height))
        return {dim3(lab_ceil_div(matrices, group)), dim3(SMALL_THREADS), unsigned(group * (width | 1) * height * sizeof(float))};
    int tiles = tiles_down(height) * lab_ceil_div(width, TILE);
    return {dim3(tiles * matrices), dim3(THREADS), TILE * (TILE + SHIFT) * sizeof(float)};
    //== skeleton
    //| return {lab_grid(lab_ceil_div(width, TILE), lab_ceil_div(height, TILE)), dim3(THREADS)};
    //<<
}
