/* measure_timing.cu: what the time model's parameters rest on, measured on one GPU.
 *
 * Microbenchmarks, each of which isolates one resource: a launch, the latency of a load, the bytes
 * in flight, the barrier between a block's loads and stores, the order of addresses in DRAM, the
 * shared-memory pipe, the exchange with the L2. Writes CSV to standard output, one line per
 * measurement: what, its parameters, the bytes (or wavefronts, or lines) that it moved, and the
 * median time of REPEATS launches. The L2 is flushed before each by a memset and a read sweep,
 * except where the data are meant to stay in it.
 *
 * Needs 2.5 GB of device memory and half a minute. Build and run: measure_timing.sh DIR.
 */
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t error_ = (call);                                                               \
        if (error_ != cudaSuccess) {                                                               \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error_));        \
            exit(2);                                                                               \
        }                                                                                          \
    } while (0)

enum { REPEATS = 15, FLUSH_BYTES = 512 << 20, TILE = 32, ROWS = 8 };

static const size_t BUFFER = (size_t)1 << 30;
static char *in, *out, *flush;
static int multiprocessors;

__global__ void sweep(const float4 *data, size_t count, float *sink)
{
    float sum = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count;
         i += (size_t)gridDim.x * blockDim.x)
        sum += data[i].x;
    if (sum == 12345.0f)
        *sink = sum;
}

/* The median time of a launch in us; `cold`: the L2 is flushed before each. */
template <class Launch> static double median_us(Launch launch, bool cold = true)
{
    cudaEvent_t begin, end;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    std::vector<float> times;
    for (int i = 0; i <= REPEATS; i++) {
        if (cold) {
            CHECK(cudaMemsetAsync(flush, i, FLUSH_BYTES));
            sweep<<<1024, 256>>>((const float4 *)flush, FLUSH_BYTES / 16, (float *)flush);
        }
        CHECK(cudaEventRecord(begin));
        launch();
        CHECK(cudaEventRecord(end));
        CHECK(cudaEventSynchronize(end));
        CHECK(cudaGetLastError());
        float ms;
        CHECK(cudaEventElapsedTime(&ms, begin, end));
        if (i > 0) /* the first one warms up */
            times.push_back(ms * 1e3f);
    }
    CHECK(cudaEventDestroy(begin));
    CHECK(cudaEventDestroy(end));
    std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
    return times[times.size() / 2];
}

static void row(const char *what, const char *form, long a, long b, double work, double us)
{
    printf("%s,%s,%ld,%ld,%.0f,%.3f\n", what, form, a, b, work, us);
    fflush(stdout);
}

/* ---- a launch, and the latency of one load ---- */

__global__ void empty()
{
}

__global__ void chase(const uint32_t *next, int steps, uint32_t *sink)
{
    uint32_t at = 0;
    for (int i = 0; i < steps; i++)
        at = __ldcg(next + at);
    *sink = at;
}

/* A chain through `bytes` of memory that meets each line once, in an order that nothing foresees.
 */
static void measure_latency(size_t bytes)
{
    enum { STEPS = 20000, WORDS = 32 };
    size_t lines = bytes / (WORDS * 4);
    std::vector<uint32_t> next(bytes / 4);
    uint64_t at = 0; /* a full-period generator: lines is a power of two */
    for (size_t i = 0; i < lines; i++) {
        uint64_t to = (at * 1664525 + 1013904223) & (lines - 1);
        next[at * WORDS] = (uint32_t)(to * WORDS);
        at = to;
    }
    CHECK(cudaMemcpy(in, next.data(), bytes, cudaMemcpyHostToDevice));
    bool resident = bytes < ((size_t)20 << 20);
    if (resident)
        sweep<<<1024, 256>>>((const float4 *)in, bytes / 16, (float *)out);
    double us = median_us([&] { chase<<<1, 1>>>((const uint32_t *)in, STEPS, (uint32_t *)out); },
                          !resident);
    row("latency", resident ? "l2" : "dram", (long)(bytes >> 20), 1, STEPS, us);
}

/* ---- bytes in flight: copies of 8192 x 8192 floats ---- */

/* Without __restrict__ and element by element: a load waits behind the store before it. */
template <class T, int LOADS> __global__ void copy_in_turn(T *to, const T *from)
{
    size_t i = blockIdx.x * (size_t)blockDim.x * LOADS + threadIdx.x;
    for (int k = 0; k < LOADS; k++)
        to[i + k * blockDim.x] = from[i + k * blockDim.x];
}

template <class T, int LOADS>
__global__ void copy_restrict(T *__restrict__ to, const T *__restrict__ from)
{
    size_t i = blockIdx.x * (size_t)blockDim.x * LOADS + threadIdx.x;
    T held[LOADS];
#pragma unroll
    for (int k = 0; k < LOADS; k++)
        held[k] = from[i + k * blockDim.x];
#pragma unroll
    for (int k = 0; k < LOADS; k++)
        to[i + k * blockDim.x] = held[k];
}

template <class T, int LOADS> static void measure_copies(int resident)
{
    enum { THREADS = 256 };
    size_t bytes = (size_t)8192 * 8192 * 4;
    size_t shared = resident == 8 ? 0 : 220 * 1024 / resident - 1024;
    unsigned blocks = (unsigned)(bytes / sizeof(T) / THREADS / LOADS);
    auto turn = copy_in_turn<T, LOADS>;
    auto free = copy_restrict<T, LOADS>;
    CHECK(cudaFuncSetAttribute(turn, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared));
    CHECK(cudaFuncSetAttribute(free, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared));
    char form[64];
    snprintf(form, sizeof form, "in_turn_%zuB_%d", sizeof(T), LOADS);
    row("copy", form, LOADS, resident, 2.0 * bytes,
        median_us([&] { turn<<<blocks, THREADS, shared>>>((T *)out, (const T *)in); }));
    snprintf(form, sizeof form, "restrict_%zuB_%d", sizeof(T), LOADS);
    row("copy", form, LOADS, resident, 2.0 * bytes,
        median_us([&] { free<<<blocks, THREADS, shared>>>((T *)out, (const T *)in); }));
}

/* ---- order of tiles, and the barrier ---- */

enum order { CARTESIAN, SWAPPED, DIAGONAL, SQUARES_4, SQUARES_8, SQUARES_16, ORDERS };
static const char *const order_names[ORDERS] = {"cartesian", "swapped",  "diagonal",
                                                "squares4",  "squares8", "squares16"};

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

/* Tiles of SIDE x SIDE through shared memory: transposed, or copied to where they were. */
template <bool COPY, int SIDE> __global__ void tiles(float *to, const float *from, int n, int order)
{
    __shared__ float tile[SIDE][SIDE + 1];
    unsigned x, y;
    tile_of(order, blockIdx.x, n / SIDE, &x, &y);
    size_t read = (size_t)(y * SIDE + threadIdx.y) * n + x * SIDE + threadIdx.x;
    for (int i = 0; i < SIDE; i += ROWS)
        tile[threadIdx.y + i][threadIdx.x] = from[read + (size_t)i * n];
    __syncthreads();
    size_t write = COPY ? read : (size_t)(x * SIDE + threadIdx.y) * n + y * SIDE + threadIdx.x;
    for (int i = 0; i < SIDE; i += ROWS)
        to[write + (size_t)i * n] = tile[threadIdx.x][threadIdx.y + i];
}

/* `resident` blocks of 256 or 512 threads on an SM; most: 2048 threads. */
template <int SIDE> static void measure_tiles(int n, int order, bool copy, int resident)
{
    size_t most = 2048 / (SIDE * ROWS), tile = SIDE * (SIDE + 1) * 4;
    size_t shared = (size_t)resident == most ? 0 : 220 * 1024 / resident - 1024 - tile;
    auto kernel = copy ? tiles<true, SIDE> : tiles<false, SIDE>;
    CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared));
    double us = median_us([&] {
        kernel<<<n / SIDE *(n / SIDE), dim3(SIDE, ROWS), shared>>>((float *)out, (const float *)in,
                                                                   n, order);
    });
    char form[64];
    snprintf(form, sizeof form, "%s_%s", copy ? "copy" : "transpose", order_names[order]);
    row(SIDE == TILE ? "tiles" : "tiles64", form, n, resident, 8.0 * n * n, us);
}

/* ---- order of addresses in DRAM ---- */

/* A copy of 16-byte words, piece by piece, pieces permuted on either side by an odd multiplier,
 * all of them or those of each mask + 1. */
__global__ void pieces(float4 *to, const float4 *from, int shift, size_t mask, int permute)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    size_t piece = i >> shift, rest = i & (((size_t)1 << shift) - 1);
    size_t mixed = ((piece & ~mask) | (piece * 0x9E3779B1u & mask)) << shift | rest;
    to[permute & 2 ? mixed : i] = from[permute & 1 ? mixed : i];
}

static void measure_pieces(int bytes, int permute, size_t span)
{
    static const char *const forms[] = {"neither", "reads", "writes", "both"};
    int shift = 0;
    while (16 << shift < bytes)
        shift++;
    size_t words = BUFFER / 16;
    double us = median_us([&] {
        pieces<<<(unsigned)(words / 256), 256>>>((float4 *)out, (const float4 *)in, shift,
                                                 (span / 16 >> shift) - 1, permute);
    });
    bool all = span == BUFFER;
    row(all ? "pieces" : "pages", forms[permute], all ? bytes : (long)(span >> 20), 8, 2.0 * BUFFER,
        us);
}

/* ---- the shared-memory pipe ---- */

enum { ROUNDS = 2000 };

__global__ void banks(int stride, uint32_t *sink, long long *clocks)
{
    __shared__ volatile uint32_t words[TILE * TILE];
    for (int i = threadIdx.x; i < TILE * TILE; i += blockDim.x)
        words[i] = i;
    __syncthreads();
    long long begin = clock64();
    uint32_t sum = 0;
    unsigned at = threadIdx.x % 32 * stride;
#pragma unroll 8
    for (int i = 0; i < ROUNDS; i++)
        sum += words[at];
    if (sum == 1)
        *sink = sum;
    if (blockIdx.x == 0 && threadIdx.x == 0)
        *clocks = clock64() - begin;
}

static void measure_banks(int stride)
{
    enum { RESIDENT = 4, THREADS = 256 };
    double us = median_us([&] {
        banks<<<multiprocessors * RESIDENT, THREADS>>>(stride, (uint32_t *)out, (long long *)in);
    });
    long long clocks;
    CHECK(cudaMemcpy(&clocks, in, sizeof clocks, cudaMemcpyDeviceToHost));
    /* wavefronts of an SM; the clocks of block 0 stand in the fourth column */
    row("banks", "loads", stride, (long)clocks,
        (double)ROUNDS * RESIDENT * (THREADS / 32) * (stride ? stride : 1), us);
}

/* ---- the exchange with the L2: 16 MB that stay there ---- */

__global__ void strided(uint32_t *data, int stride, int rounds, int store)
{
    unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    unsigned warps = gridDim.x * blockDim.x / 32, words = (16 << 20) / 4;
    uint32_t sum = 0;
#pragma unroll 4
    for (int i = 0; i < rounds; i++) {
        unsigned at = ((warp + i * warps) * 32u * stride + lane * stride) % words;
        if (store)
            __stcg(data + at, lane);
        else
            sum += __ldcg(data + at);
    }
    if (sum == 1)
        data[0] = sum;
}

static void measure_l2(int stride, int store)
{
    int rounds = stride > 1 ? 128 : 1024, blocks = multiprocessors * 8;
    double lines = (double)blocks * 8 * rounds * (stride >= 32 ? 32 : stride);
    double us =
        median_us([&] { strided<<<blocks, 256>>>((uint32_t *)out, stride, rounds, store); }, false);
    row("l2_lines", store ? "stores" : "loads", stride, 8, lines, us);
}

int main()
{
    struct cudaDeviceProp properties;
    CHECK(cudaGetDeviceProperties(&properties, 0));
    multiprocessors = properties.multiProcessorCount;
    CHECK(cudaMalloc(&in, BUFFER));
    CHECK(cudaMalloc(&out, BUFFER));
    CHECK(cudaMalloc(&flush, FLUSH_BYTES));
    CHECK(cudaMemset(in, 1, BUFFER));
    CHECK(cudaMemset(out, 1, BUFFER));
    printf("what,form,a,b,work,us\n");

    row("launch", "empty", 1, 1, 0, median_us([] { empty<<<1, 32>>>(); }, false));
    row("launch", "empty", 1, 1, 0, median_us([] { empty<<<1, 32>>>(); }));
    for (int blocks : {1056, 65536, 262144})
        row("launch", "empty", blocks, 8, blocks, median_us([=] { empty<<<blocks, 256>>>(); }));
    for (size_t mb : {4, 16, 512})
        measure_latency(mb << 20);
    for (int resident : {1, 2, 4, 6, 8}) {
        measure_copies<float, 1>(resident);
        measure_copies<float, 2>(resident);
        measure_copies<float, 4>(resident);
        measure_copies<float, 8>(resident);
        measure_copies<float2, 1>(resident);
        measure_copies<float4, 1>(resident);
        measure_copies<float4, 4>(resident);
    }
    for (int n : {2048, 4096, 8192, 16384})
        for (int order = 0; order < ORDERS; order++)
            for (int copy = 0; copy < 2; copy++)
                measure_tiles<TILE>(n, order, copy, 8);
    for (int n : {4096, 8192, 16384})
        for (int order : {CARTESIAN, SWAPPED})
            for (int copy = 0; copy < 2; copy++)
                measure_tiles<2 * TILE>(n, order, copy, 4);
    for (int resident : {1, 2, 4, 6})
        for (int copy = 0; copy < 2; copy++)
            measure_tiles<TILE>(8192, CARTESIAN, copy, resident);
    for (int bytes = 128; bytes <= 4 << 20; bytes *= 2)
        for (int permute = 1; permute < 4; permute++)
            measure_pieces(bytes, permute, BUFFER);
    measure_pieces(128, 0, BUFFER);
    for (int mb = 2; mb <= 512; mb *= 4)
        for (int permute = 1; permute < 4; permute++)
            measure_pieces(4096, permute, (size_t)mb << 20);
    for (int stride : {0, 1, 2, 4, 8, 16, 32})
        measure_banks(stride);
    for (int stride : {1, 2, 4, 8, 16, 32, 64})
        for (int store = 0; store < 2; store++)
            measure_l2(stride, store);
    return 0;
}
