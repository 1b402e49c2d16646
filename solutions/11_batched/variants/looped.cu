// looped: a batch with matrices along y, and a loop for those beyond 65535, which costs eight registers a thread and a block on the SM.
#include "lab.h"

#define TILE 64     // a side, in floats
#define THREADS 512 // of a block

LAB(batched);

// The kernel of 10_record for each matrix. Tiles are counted along x, first down the columns of a matrix, and
// matrices along y: so neighbouring blocks store next to each other, and where a matrix is one tile (64 x 64) the
// whole batch is read and written in one go.

// Where four neighbours of an output row lie in the tile, as number of a float4 (10_record).
static __device__ int chunk_place(int row, int chunk)
{
    return row * (TILE / 4) + (chunk ^ (row / 4 % 8));
}

// A whole tile of a matrix whose rows begin at multiples of 16 bytes.
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

// A tile at an edge, and any tile where rows begin anywhere: element by element, `cols` x `rows` of them.
static __device__ void transpose_part(float *to, const float *from, int width, int height, int cols, int rows,
                                      float *tile)
{
    enum { PITCH = TILE + 1, STEP = THREADS / TILE };
    int x = threadIdx.x % TILE, y = threadIdx.x / TILE;
#pragma unroll
    for (int i = 0; i < TILE; i += STEP)
        if (x < cols && y + i < rows)
            tile[x * PITCH + y + i] = from[(size_t)(y + i) * width + x];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < TILE; i += STEP)
        if (x < rows && y + i < cols)
            to[(size_t)(y + i) * height + x] = tile[(y + i) * PITCH + x];
}

// Matrix m has `height` rows of `width` columns, and begins at idata + m * width * height.
extern "C" __global__ void __launch_bounds__(THREADS)
    transpose(float *odata, const float *idata, int width, int height, int matrices)
{
    __shared__ float4 tile[TILE * (TILE + 1) / 4];
    int down = lab_ceil_div(height, TILE);
    int top = blockIdx.x % down * TILE, left = blockIdx.x / down * TILE;
    int rows = min(TILE, height - top), cols = min(TILE, width - left);
    bool aligned = width % 4 == 0 && height % 4 == 0 && ((size_t)idata | (size_t)odata) % 16 == 0;

    // One round, unless there are more matrices than blocks in y.
    for (int matrix = blockIdx.y; matrix < matrices; matrix += gridDim.y) {
        // As size_t: batches have more elements than an int can count.
        size_t offset = (size_t)matrix * width * height;
        const float *from = idata + offset + (size_t)top * width + left;
        float *to = odata + offset + (size_t)left * height + top;

        if (matrix != blockIdx.y)
            __syncthreads(); // all have read the tile of the round before
        if (aligned && rows == TILE && cols == TILE)
            transpose_whole(to, from, width, height, tile);
        else
            transpose_part(to, from, width, height, cols, rows, (float *)tile);
    }
}

LAB_LAUNCH(width, height, matrices)
{
    int tiles = lab_ceil_div(height, TILE) * lab_ceil_div(width, TILE);
    return {dim3(tiles, matrices < 65535 ? matrices : 65535), dim3(THREADS)};
}
