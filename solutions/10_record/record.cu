// 10_record: a transpose that is almost as fast as a copy.
#include "lab.h"

#define TILE 64     // side of a tile, in floats
#define THREADS 512 // threads per block

LAB(record);

//>> solution
// Changes since 09_coarsened, and their gain on an H200 at 8192 x 8192, in % of a 16-byte copy:
//   consecutive blocks go down columns of the input, so their stores are contiguous: 94.3 to 96.9
//   two float4 in flight for each of 512 threads, not four for each of 256; 8-byte stores to shared
//   memory and 16-byte loads from it, without padding: to 97.5 and more
//   at 8191 x 8193, where rows are not aligned: whole sectors are stored, 83 to 92
// docs/record.md has all experiments, including those that did not help.

#define CHUNKS (TILE / 4)
#if __CUDA_ARCH__ == 800 || __CUDA_ARCH__ == 900 || __CUDA_ARCH__ == 1000 // SMs with 2048 threads
#define BLOCKS 4 // smallest number of resident blocks per SM, which limits registers per thread
#else
#define BLOCKS 2
#endif

// Returns the index of the float4 in the tile for a chunk (four neighbours) of an output row. Eight
// threads use different groups of four banks if they store the same chunk of rows with distances
// 4, 8, 12, ..., or if they read adjacent chunks of a row.
static __device__ int chunk_place(int row, int chunk)
{
    return row * CHUNKS + (chunk ^ (row / 4 % 8));
}

// Write the transposed tile to the output. CHUNKS threads write 256 bytes of an output row.
template <int BLOCK> static __device__ void store_whole(float *to, int height, const float4 *tile)
{
    int chunk = threadIdx.x % CHUNKS;
#pragma unroll
    for (int row = threadIdx.x / CHUNKS, i = 0; i < TILE; i += BLOCK / CHUNKS)
        *(float4 *)(to + (size_t)(row + i) * height + 4 * chunk) = tile[chunk_place(row + i, chunk)];
}

// Transpose a whole tile of a large matrix with rows that start at multiples of 16 bytes. Each of
// THREADS threads loads two rows of four columns. Eight threads read 128 bytes of a row.
static __device__ void transpose_whole(float *to, const float *from, int width, int height, float4 *tile)
{
    int thread = threadIdx.x;
    int col = thread % 8 + thread / 16 % 2 * 8;      // index of the float4 in a row
    int two = thread / 8 % 2 + thread / (8 * 4) * 2; // index of the pair of rows
    const float *in = from + (size_t)(2 * two) * width + 4 * col;
    float4 a = *(const float4 *)in;
    float4 b = *(const float4 *)(in + width);

    float2 *pairs = (float2 *)tile;
    const float upper[] = {a.x, a.y, a.z, a.w}, lower[] = {b.x, b.y, b.z, b.w};
#pragma unroll
    for (int i = 0; i < 4; i++)
        pairs[2 * chunk_place(4 * col + i, two / 2) + two % 2] = make_float2(upper[i], lower[i]);
    __syncthreads();
    store_whole<THREADS>(to, height, tile);
}

// Tiles at the edges of large matrices, and all tiles if rows are not aligned. Row c of the tile's
// output starts at the last sector boundary at or before column `top`, and ends at a boundary, so
// that no sector is stored in pieces. A tile needs up to SHIFT - 1 more rows of the input.
enum { SHIFT = 8 }; // number of floats in a sector

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

    float values[LOADS]; // all loads are in flight before the first value is needed
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

// A matrix of up to SMALL_MOST elements takes microseconds. All its blocks run at the same time.
enum { SMALL = 32, SMALL_ROWS = 8, SMALL_MOST = 1 << 22 };

// The tile of 03_padded, for small matrices with partial tiles. A block has 32 x 8 threads.
static __device__ void transpose_small(float *odata, const float *idata, int width, int height, int top, int left,
                                       float *tile)
{
    int x = threadIdx.x, y = threadIdx.y;
    const float *from = idata + (size_t)(top + y) * width + left + x;
    int rows = left + x < width ? height - top - y : 0;
    float values[SMALL / SMALL_ROWS];
#pragma unroll
    for (int i = 0; i < SMALL / SMALL_ROWS; i++)
        values[i] = i * SMALL_ROWS < rows ? from[i * SMALL_ROWS * width] : 0;
#pragma unroll
    for (int i = 0; i < SMALL / SMALL_ROWS; i++)
        tile[(y + i * SMALL_ROWS) * (SMALL + 1) + x] = values[i];
    __syncthreads();

    float *to = odata + (size_t)(left + y) * height + top + x;
    int cols = top + x < height ? width - left - y : 0;
#pragma unroll
    for (int i = 0; i < SMALL; i += SMALL_ROWS)
        if (i < cols)
            to[i * height] = tile[x * (SMALL + 1) + y + i];
}

// Transpose a whole tile of a small matrix. A block has THREADS / 2 threads, so that eight blocks
// fit on an SM. Each thread loads four rows of four columns, and transposes them in registers.
static __device__ void transpose_fours(float *to, const float *from, int width, int height, float4 *tile)
{
    int col = threadIdx.x % CHUNKS, four = threadIdx.x / CHUNKS; // index of a float4, and of 4 rows
    const float *in = from + (size_t)(4 * four) * width + 4 * col;
    float4 a = *(const float4 *)in, b = *(const float4 *)(in + width);
    float4 c = *(const float4 *)(in + 2 * (size_t)width), d = *(const float4 *)(in + 3 * (size_t)width);
    tile[chunk_place(4 * col, four)] = make_float4(a.x, b.x, c.x, d.x);
    tile[chunk_place(4 * col + 1, four)] = make_float4(a.y, b.y, c.y, d.y);
    tile[chunk_place(4 * col + 2, four)] = make_float4(a.z, b.z, c.z, d.z);
    tile[chunk_place(4 * col + 3, four)] = make_float4(a.w, b.w, c.w, d.w);
    __syncthreads();
    store_whole<THREADS / 2>(to, height, tile);
}
//== skeleton
//<<

//>> solution
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
//== skeleton
//| extern "C" __global__ void __launch_bounds__(THREADS)
//<<
    transpose(float *odata, const float *idata, int width, int height)
{
    //>> solution
    extern __shared__ float4 tile[];
    int first = blockIdx.x, second = blockIdx.y + gridDim.y * blockIdx.z; // see lab_grid

    // Short launches wait for instruction fetches, so the code of the small tile is placed first.
    if (__builtin_expect(blockDim.y == 1, 0)) {
        // Consecutive blocks go down the columns of the input.
        int top = first * TILE, left = second * TILE;
        if (left >= width)
            return; // the whole block has no tile, because lab_grid may round up

        bool aligned = ((size_t)idata | (size_t)odata) % 16 == 0;
        const float *from = idata + (size_t)top * width + left;
        float *to = odata + (size_t)left * height + top;
        if (blockDim.x < THREADS && aligned)
            transpose_fours(to, from, width, height, tile);
        else if (blockDim.x < THREADS)
#pragma unroll 1
            for (int i = threadIdx.x; i < TILE * TILE; i += THREADS / 2)
                to[(size_t)(i / TILE) * height + i % TILE] = from[(size_t)(i % TILE) * width + i / TILE];
        else if (aligned && width % 4 == 0 && height % SHIFT == 0 && top + TILE <= height && left + TILE <= width)
            transpose_whole(to, from, width, height, tile);
        else
            transpose_part(odata, idata, width, height, top, left, (float *)tile);
        return;
    }
    transpose_small(odata, idata, width, height, second * SMALL, first * SMALL, (float *)tile);
    //== skeleton
    //| // Your turn: start from your kernel of 09_coarsened. Change one thing at a time, and measure.
    //<<
}

LAB_LAUNCH(width, height)
{
    //>> solution
    int across = lab_ceil_div(width, TILE), down = lab_ceil_div(height, TILE);
    if ((long long)width * height > SMALL_MOST)
        return {lab_grid(tiles_down(height), across), dim3(THREADS), TILE * (TILE + SHIFT) * sizeof(float)};
    if (width % TILE == 0 && height % TILE == 0)
        return {lab_grid(down, across), dim3(THREADS / 2), TILE * TILE * sizeof(float)};
    return {lab_grid(lab_ceil_div(width, SMALL), lab_ceil_div(height, SMALL)), dim3(SMALL, SMALL_ROWS),
            SMALL * (SMALL + 1) * sizeof(float)};
    //== skeleton
    //| return {lab_grid(lab_ceil_div(width, TILE), lab_ceil_div(height, TILE)), dim3(THREADS)};
    //<<
}
