/* benchmarks.cu: the kernels of benchmarks.c. Each kernel isolates one resource. */
typedef unsigned long long u64;

enum { TILE_ROWS = 8, BANK_ROUNDS = 2000 };

#define KERNEL extern "C" __global__ void

/* Reads a buffer with any number of threads. The store never executes. */
KERNEL sweep(const float4 *data, u64 count, float *sink)
{
    float sum = 0;
    for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < count; i += (u64)gridDim.x * blockDim.x) {
        float4 v = data[i];
        sum += v.x + v.y + v.z + v.w;
    }
    if (sum == 12345.0f)
        *sink = sum;
}

KERNEL fill(float4 *data)
{
    data[blockIdx.x * (u64)blockDim.x + threadIdx.x] = make_float4(1, 2, 3, 4);
}

KERNEL empty()
{
}

/* Creates a chain of pointers that visits each line once, in an unpredictable order. */
KERNEL chain(unsigned *next, u64 lines)
{
    for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < lines; i += (u64)gridDim.x * blockDim.x)
        next[i * 32] = (unsigned)(((i * 1664525 + 1013904223) & (lines - 1)) * 32); /* full period */
}

KERNEL chase(const unsigned *next, int steps, unsigned *sink)
{
    unsigned at = 0;
    for (int i = 0; i < steps; i++)
        at = __ldcg(next + at);
    *sink = at;
}

/* Copies element by element. Without __restrict__, each load waits for the previous store. */
template <class T, int LOADS> __device__ void copy_in_turn(T *to, const T *from)
{
    u64 i = blockIdx.x * (u64)blockDim.x * LOADS + threadIdx.x;
    for (int k = 0; k < LOADS; k++)
        to[i + k * blockDim.x] = from[i + k * blockDim.x];
}

template <class T, int LOADS> __device__ void copy_restrict(T *__restrict__ to, const T *__restrict__ from)
{
    u64 i = blockIdx.x * (u64)blockDim.x * LOADS + threadIdx.x;
    T values[LOADS];
#pragma unroll
    for (unsigned k = 0; k < LOADS; k++)
        values[k] = from[i + k * blockDim.x];
#pragma unroll
    for (unsigned k = 0; k < LOADS; k++)
        to[i + k * blockDim.x] = values[k];
}

#define COPIES(type, bytes, loads)                                                                                     \
    KERNEL copy_in_turn_##bytes##B_##loads(type *to, const type *from)                                                 \
    {                                                                                                                  \
        copy_in_turn<type, loads>(to, from);                                                                           \
    }                                                                                                                  \
    KERNEL copy_restrict_##bytes##B_##loads(type *__restrict__ to, const type *__restrict__ from)                      \
    {                                                                                                                  \
        copy_restrict<type, loads>(to, from);                                                                          \
    }
COPIES(float, 4, 1)
COPIES(float, 4, 2)
COPIES(float, 4, 4)
COPIES(float, 4, 8)
COPIES(float2, 8, 1)
COPIES(float4, 16, 1)
COPIES(float4, 16, 2)
COPIES(float4, 16, 4)

enum order { CARTESIAN, SWAPPED, DIAGONAL, SQUARES_4, SQUARES_8, SQUARES_16 };

static __device__ void tile_of(int order, unsigned block, unsigned across, unsigned *x, unsigned *y)
{
    unsigned bx = block % across, by = block / across, side = 4;
    switch (order) {
    case CARTESIAN:
        *x = bx, *y = by;
        return;
    case SWAPPED:
        *x = by, *y = bx;
        return;
    case DIAGONAL:
        *x = (bx + by) % across, *y = bx;
        return;
    case SQUARES_8:
        side = 8;
        break;
    case SQUARES_16:
        side = 16;
        break;
    }
    unsigned square = block / (side * side), inside = block % (side * side);
    *x = square % (across / side) * side + inside % side;
    *y = square / (across / side) * side + inside / side;
}

/* Moves tiles of SIDE x SIDE through shared memory: transposed, or to the same position. */
template <bool COPY, int SIDE> __device__ void tiles(float *to, const float *from, int n, int order)
{
    __shared__ float tile[SIDE][SIDE + 1];
    unsigned x, y;
    tile_of(order, blockIdx.x, n / SIDE, &x, &y);
    u64 read = (u64)(y * SIDE + threadIdx.y) * n + x * SIDE + threadIdx.x;
    for (int i = 0; i < SIDE; i += TILE_ROWS)
        tile[threadIdx.y + i][threadIdx.x] = from[read + (u64)i * n];
    __syncthreads();
    u64 write = COPY ? read : (u64)(x * SIDE + threadIdx.y) * n + y * SIDE + threadIdx.x;
    for (int i = 0; i < SIDE; i += TILE_ROWS)
        to[write + (u64)i * n] = tile[threadIdx.x][threadIdx.y + i];
}

#define TILES(form, copy, side)                                                                                        \
    KERNEL tiles_##form##_##side(float *to, const float *from, int n, int order)                                       \
    {                                                                                                                  \
        tiles<copy, side>(to, from, n, order);                                                                         \
    }
TILES(copy, true, 32)
TILES(transpose, false, 32)
TILES(copy, true, 64)
TILES(transpose, false, 64)

/* Copies pieces of 1 << shift quads. An odd multiplier permutes the pieces of the input (permute &
 * 1) or the output (permute & 2) within groups of mask + 1 pieces. */
KERNEL pieces(float4 *to, const float4 *from, int shift, u64 mask, int permute)
{
    u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x;
    u64 piece = i >> shift, rest = i & (((u64)1 << shift) - 1);
    u64 mixed = ((piece & ~mask) | (piece * 0x9E3779B1u & mask)) << shift | rest;
    to[permute & 2 ? mixed : i] = from[permute & 1 ? mixed : i];
}

KERNEL banks(int stride, unsigned *sink, long long *clocks)
{
    __shared__ volatile unsigned words[32 * 32];
    for (int i = threadIdx.x; i < 32 * 32; i += blockDim.x)
        words[i] = i;
    __syncthreads();
    long long begin = clock64();
    unsigned sum = 0, at = threadIdx.x % 32 * stride;
#pragma unroll 8
    for (int i = 0; i < BANK_ROUNDS; i++)
        sum += words[at];
    if (sum == 1)
        *sink = sum;
    if (blockIdx.x == 0 && threadIdx.x == 0)
        *clocks = clock64() - begin;
}

/* Accesses an array that stays in the L2. `words`, the size of the array, is a power of two. */
KERNEL strided(unsigned *data, int stride, int rounds, int store, unsigned words)
{
    unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    unsigned warps = gridDim.x * blockDim.x / 32;
    unsigned sum = 0;
#pragma unroll 4
    for (int i = 0; i < rounds; i++) {
        unsigned at = ((warp + i * warps) * 32u * stride + lane * stride) & (words - 1);
        if (store)
            __stcg(data + at, lane);
        else
            sum += __ldcg(data + at);
    }
    if (sum == 1)
        data[0] = sum;
}

/* Stores more data than the L2 retains. Each warp stores one word into each of 32 rows of `pitch`
 * words, and the eight warps of a block fill one sector of each row. */
KERNEL columns(unsigned *data, unsigned pitch)
{
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32, across = pitch / 8;
    u64 row = (u64)(blockIdx.x / across) * 32 + lane;
    data[row * pitch + blockIdx.x % across * 8 + warp] = lane;
}
