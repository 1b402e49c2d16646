// by_512: in place, each of 512 threads with a part of both tiles.
#include "lab.h"

#define TILE 64     // a side, in floats
#define THREADS 512 // of a block
#ifndef SUPER
#define SUPER 4 // pairs of tiles that follow each other lie in squares of so many
#endif
#ifndef BLOCKS // at least so many on an SM: bounds the registers of a thread
#if __CUDA_ARCH__ >= 800 // which holds 1536 threads or more
#define BLOCKS 3
#else
#define BLOCKS 2
#endif
#endif

LAB(inplace);

// A block takes a tile on or above the diagonal and the one opposite, and nobody else touches either: it may
// store as soon as both are in shared memory. The tiles are those of 10_record.

// Where four neighbours of an output row lie in the tile, as number of a float4 (10_record).
static __device__ int chunk_place(int row, int chunk)
{
    return row * (TILE / 4) + (chunk ^ (row / 4 % 8));
}

// What one of 512 threads loads of a whole tile: two rows of four columns. Eight threads read 128 bytes of a row.
struct patch {
    float4 upper, lower;
};

static __device__ int patch_col() // of float4
{
    return threadIdx.x % 8 + threadIdx.x / 16 % 2 * 8;
}

static __device__ int patch_two() // of row pairs
{
    return threadIdx.x / 8 % 2 + threadIdx.x / 32 * 2;
}

static __device__ patch patch_load(const float *from, int n)
{
    const float *at = from + (size_t)(2 * patch_two()) * n + 4 * patch_col();
    return {*(const float4 *)at, *(const float4 *)(at + (size_t)n)};
}

static __device__ void patch_turn(const patch &own, float4 *tile)
{
    float2 *pairs = (float2 *)tile;
    int col = patch_col(), two = patch_two();
    const float upper[] = {own.upper.x, own.upper.y, own.upper.z, own.upper.w};
    const float lower[] = {own.lower.x, own.lower.y, own.lower.z, own.lower.w};
#pragma unroll
    for (int i = 0; i < 4; i++)
        pairs[2 * chunk_place(4 * col + i, two / 2) + two % 2] = make_float2(upper[i], lower[i]);
}

// Sixteen threads write the 256 bytes of a row.
static __device__ void tile_store(float *to, int n, const float4 *tile)
{
#pragma unroll
    for (int i = 0; i < TILE * TILE / 4; i += THREADS) {
        int row = (threadIdx.x + i) / (TILE / 4), chunk = threadIdx.x % (TILE / 4);
        *(float4 *)(to + (size_t)row * n + 4 * chunk) = tile[chunk_place(row, chunk)];
    }
}

// The same element by element, for tiles at the edge (`cols` x `rows`) and for rows that begin anywhere.
enum { PITCH = TILE + 1, STEP = THREADS / TILE };

static __device__ void part_load(const float *from, int n, int cols, int rows, float *tile)
{
    int x = threadIdx.x % TILE, y = threadIdx.x / TILE;
#pragma unroll
    for (int i = 0; i < TILE; i += STEP)
        if (x < cols && y + i < rows)
            tile[x * PITCH + y + i] = from[(size_t)(y + i) * n + x];
}

static __device__ void part_store(float *to, int n, int cols, int rows, const float *tile)
{
    int x = threadIdx.x % TILE, y = threadIdx.x / TILE;
#pragma unroll
    for (int i = 0; i < TILE; i += STEP)
        if (x < cols && y + i < rows)
            to[(size_t)(y + i) * n + x] = tile[(y + i) * PITCH + x];
}

// The matrix has as many rows as columns: width == height.
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) transpose(float *data, int width, int height)
{
    //>> solution
    __shared__ float4 tiles[2][TILE * (TILE + 1) / 4];
    int n = width, across = lab_ceil_div(n, TILE);

    // Which pair of tiles, row i <= column j? Blocks are counted within squares of SUPER x SUPER pairs, and these
    // over the triangle: its row y has squares - y of them, row squares - 1 - y has y + 1, and a row of the grid
    // takes both. In the middle of an odd number they are the same row, which needs half as much.
    int inner = blockIdx.x % (SUPER * SUPER), squares = lab_ceil_div(across, SUPER);
    int x = blockIdx.x / (SUPER * SUPER), y = blockIdx.y, opposite = squares - 1 - y;
    int i = (x > y ? y : opposite) * SUPER + inner / SUPER;
    int j = (x > y ? x - 1 : squares - 1 - x) * SUPER + inner % SUPER;
    if ((y == opposite && x <= y) || i > j || j >= across)
        return;
    int row = i * TILE, col = j * TILE;

    float *above = data + (size_t)row * n + col, *below = data + (size_t)col * n + row;
    int rows = min(TILE, n - row), cols = min(TILE, n - col);
    bool pair = row != col; // a tile on the diagonal is its own opposite

    if (n % 4 == 0 && (size_t)data % 16 == 0 && rows == TILE && cols == TILE) {
        patch first = patch_load(above, n), second = pair ? patch_load(below, n) : first;
        patch_turn(first, tiles[0]);
        if (pair)
            patch_turn(second, tiles[1]);
        __syncthreads();
        tile_store(below, n, tiles[0]);
        if (pair)
            tile_store(above, n, tiles[1]);
    } else {
        part_load(above, n, cols, rows, (float *)tiles[0]);
        if (pair)
            part_load(below, n, rows, cols, (float *)tiles[1]);
        __syncthreads();
        part_store(below, n, rows, cols, (float *)tiles[0]);
        if (pair)
            part_store(above, n, cols, rows, (float *)tiles[1]);
    }
    //== skeleton
    //| // Your turn: a block takes two tiles that change places. Which blocks are there, and what of the diagonal?
    //<<
}

LAB_LAUNCH(width, height)
{
    //>> solution
    int squares = lab_ceil_div(lab_ceil_div(width, TILE), SUPER);
    return {dim3((squares + 1) * SUPER * SUPER, lab_ceil_div(squares, 2)), dim3(THREADS)};
    //== skeleton
    //| return {dim3(lab_ceil_div(width, TILE), lab_ceil_div(height, TILE)), dim3(THREADS)};
    //<<
}
