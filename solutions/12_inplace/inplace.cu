// 12_inplace: transpose a square matrix in place.
#include "lab.h"

#define TILE 64     // side of a tile, in floats
#define THREADS 512 // threads per block
#ifndef BLOCKS // smallest number of resident blocks per SM, which limits registers per thread
#if __CUDA_ARCH__ == 800 || __CUDA_ARCH__ == 900 || __CUDA_ARCH__ == 1000 // SMs with 2048 threads
#define BLOCKS 4
#else
#define BLOCKS 2
#endif
#endif

LAB(inplace);

//>> solution
// Returns the side, in tiles, of the squares within which consecutive blocks process pairs. If rows
// are not aligned, adjacent tiles share cache lines, and squares reuse these lines in the L2.
// Otherwise, rows of pairs (side 1) are as fast, and in very large matrices faster.
static __host__ __device__ int square_side(int n)
{
#ifdef SUPER
    return SUPER;
#else
    return n % TILE ? 8 : 1;
#endif
}

// A block loads a tile on or above the diagonal and its partner below. No other block accesses
// these tiles, so the block stores both after both are loaded. Tiles are transposed as in lab 10.

// Returns the index of the float4 in the tile for a chunk of an output row (see 10_record).
static __device__ int chunk_place(int row, int chunk)
{
    return row * (TILE / 4) + (chunk ^ (row / 4 % 8));
}

// Load a whole tile of a matrix with rows that start at multiples of 16 bytes. Each thread loads
// two rows of four columns. Eight threads read 128 bytes of a row.
static __device__ void whole_load(const float *from, int n, float4 *tile)
{
    float2 *pairs = (float2 *)tile;
    int thread = threadIdx.x;
    int col = thread % 8 + thread / 16 % 2 * 8; // index of the float4 in a row
    int two = thread / 8 % 2 + thread / 32 * 2; // index of the pair of rows
    const float *in = from + (size_t)(2 * two) * n + 4 * col;
    float4 a = *(const float4 *)in;
    float4 b = *(const float4 *)(in + n);

    const float upper[] = {a.x, a.y, a.z, a.w}, lower[] = {b.x, b.y, b.z, b.w};
#pragma unroll
    for (int i = 0; i < 4; i++)
        pairs[2 * chunk_place(4 * col + i, two / 2) + two % 2] = make_float2(upper[i], lower[i]);
}

// Store a whole tile. Sixteen threads write the 256 bytes of a row.
static __device__ void whole_store(float *to, int n, const float4 *tile)
{
#pragma unroll
    for (int i = 0; i < TILE * TILE / 4; i += THREADS) {
        int row = (threadIdx.x + i) / (TILE / 4), chunk = threadIdx.x % (TILE / 4);
        *(float4 *)(to + (size_t)row * n + 4 * chunk) = tile[chunk_place(row, chunk)];
    }
}

// Load and store a tile of `cols` x `rows` element by element, at edges and if rows are not
// aligned. Each half of the threads processes one tile of the pair.
enum { HALF = THREADS / 2, PITCH = TILE + 1, STEP = HALF / TILE, TOGETHER = 4 };

static __device__ void part_load(const float *from, int n, int cols, int rows, float *tile)
{
    int x = threadIdx.x % TILE, y = threadIdx.x % HALF / TILE;
#pragma unroll
    for (int j = 0; j < TILE; j += TOGETHER * STEP) {
        float values[TOGETHER]; // results of loads that are in flight together
#pragma unroll
        for (int i = 0; i < TOGETHER; i++)
            values[i] = x < cols && y + j + i * STEP < rows ? from[(size_t)(y + j + i * STEP) * n + x] : 0;
#pragma unroll
        for (int i = 0; i < TOGETHER; i++)
            tile[x * PITCH + y + j + i * STEP] = values[i];
    }
}

static __device__ void part_store(float *to, int n, int cols, int rows, const float *tile)
{
    int x = threadIdx.x % TILE, y = threadIdx.x % HALF / TILE;
#pragma unroll
    for (int i = 0; i < TILE; i += STEP)
        if (x < cols && y + i < rows)
            to[(size_t)(y + i) * n + x] = tile[(y + i) * PITCH + x];
}
//== skeleton
//<<

// The matrix has as many rows as columns: width == height.
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) transpose(float *data, int width, int height)
{
    //>> solution
    __shared__ float4 tiles[2][TILE * (TILE + 1) / 4];
    int n = width, across = lab_ceil_div(n, TILE);

    // The upper tile of the pair is in row i, column j >= i. Squares of side x side pairs form a
    // triangle. Row y of the grid processes rows y and squares - 1 - y, which have squares + 1
    // squares in total. If squares is odd, half of the blocks in the middle row return.
    int side = square_side(n), inner = blockIdx.x % (side * side), squares = lab_ceil_div(across, side);
    int x = blockIdx.x / (side * side), y = blockIdx.y, opposite = squares - 1 - y;
    int i = (x > y ? y : opposite) * side + inner / side;
    int j = (x > y ? x - 1 : squares - 1 - x) * side + inner % side;
    if ((y == opposite && x <= y) || i > j || j >= across)
        return;

    int top = i * TILE, left = j * TILE;
    float *above = data + (size_t)top * n + left, *below = data + (size_t)left * n + top;

    if (n % 4 == 0 && (size_t)data % 16 == 0 && left + TILE <= n) {
        whole_load(above, n, tiles[0]);
        if (i != j) // a tile on the diagonal has no partner
            whole_load(below, n, tiles[1]);
        __syncthreads();
        whole_store(below, n, tiles[0]);
        if (i != j)
            whole_store(above, n, tiles[1]);
    } else {
        int lower = threadIdx.x / HALF, rows = min(TILE, n - (lower ? left : top)), cols = min(TILE, n - (lower ? top : left));
        if (!lower || i != j)
            part_load(lower ? below : above, n, cols, rows, (float *)tiles[lower]);
        __syncthreads();
        if (!lower || i != j)
            part_store(lower ? above : below, n, rows, cols, (float *)tiles[lower]);
    }
    //== skeleton
    //| // Your turn: a block swaps two tiles. Which blocks are needed? What happens on the diagonal?
    //<<
}

LAB_LAUNCH(width, height)
{
    //>> solution
    int side = square_side(width), squares = lab_ceil_div(lab_ceil_div(width, TILE), side);
    return {dim3((squares + 1) * side * side, lab_ceil_div(squares, 2)), dim3(THREADS)};
    //== skeleton
    //| return {dim3(lab_ceil_div(width, TILE), lab_ceil_div(height, TILE)), dim3(THREADS)};
    //<<
}
