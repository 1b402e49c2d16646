/* orders.cu: measure the cost of the order of tiles in lab 10, and print CSV. forms.sh runs it.
 *
 * `turn` transposes tiles of 64 x 64 as lab 10 does. `move` moves these tiles without a transpose
 * and without shared memory. The order `y` goes down the columns of the input, and `x` goes along
 * the rows. `skewN` goes down the columns, and to the next column after every N tiles. `pitch_in`
 * and `pitch_out` are the pitches in floats.
 *
 * For lab 12, `stay` reads and writes each float4 in place. `hold` is `stay` with 32 KiB per block
 * (the size of a pair of tiles), which the block reads completely before it writes. `swap`
 * exchanges pairs of tiles without a transpose, half a pair per block, in the order of lab 12. */
#define LAB_HARNESS
#include "../../../solutions/10_record/record.cu"

#include "rounds.cuh"

#include <string>

enum work { TURN, MOVE, SWAP, STAY, HOLD };
enum { DOWN = 0, ALONG = 1 }; /* The orders `y` and `x`. A number N > 1 is the order skewN. */

template <work WORK>
__global__ void __launch_bounds__(THREADS) tiles(float *out, float *in, int pitch_in, int pitch_out, int across, int order)
{
    __shared__ float4 tile[WORK == TURN ? TILE * TILE / 4 : 1];
    int y = blockIdx.x % across, x = blockIdx.x / across;
    if (order == ALONG)
        x = blockIdx.x % across, y = blockIdx.x / across;
    else if (order > ALONG)
        x = (x + y / order) % across;
    float *from = in + (size_t)y * TILE * pitch_in + x * TILE, *to = out + (size_t)x * TILE * pitch_out + y * TILE;
    if (WORK == TURN) {
        transpose_whole(to, from, pitch_in, pitch_out, tile);
        return;
    }
    int row = threadIdx.x / (TILE / 4), col = threadIdx.x % (TILE / 4) * 4, half = TILE / 2;
    float4 a = *(float4 *)(from + (size_t)row * pitch_in + col);
    float4 b = *(float4 *)(from + (size_t)(row + half) * pitch_in + col);
    *(float4 *)(to + (size_t)row * pitch_out + col) = a;
    *(float4 *)(to + (size_t)(row + half) * pitch_out + col) = b;
}

/* Blocks process pairs of tiles in the order of lab 12 for an even number of tiles across. */
__global__ void __launch_bounds__(THREADS) swap_tiles(float *data, int pitch, int across)
{
    int x = blockIdx.x / 2, y = blockIdx.y, half = blockIdx.x % 2 * TILE / 2;
    int i = x > y ? y : across - 1 - y, j = x > y ? x - 1 : across - 1 - x;
    int row = threadIdx.x / (TILE / 4) + half, col = threadIdx.x % (TILE / 4) * 4;
    float4 *above = (float4 *)(data + (size_t)(i * TILE + row) * pitch + j * TILE + col);
    float4 *below = (float4 *)(data + (size_t)(j * TILE + row) * pitch + i * TILE + col);
    float4 a = *above, b = *below;
    *above = b;
    *below = a;
}

/* Each thread reads COUNT float4 before the block writes. `one` is 1, but unknown to compilers. */
template <int COUNT>
__global__ void __launch_bounds__(THREADS) stay(float4 *data, float one)
{
    float4 v[COUNT];
    data += (size_t)blockIdx.x * THREADS * COUNT + threadIdx.x;
    for (int i = 0; i < COUNT; i++)
        v[i] = data[i * THREADS];
    if (COUNT > 1)
        __syncthreads();
    for (int i = 0; i < COUNT; i++)
        data[i * THREADS] = make_float4(v[i].x * one, v[i].y * one, v[i].z * one, v[i].w * one);
}

__global__ void copy(float4 *out, const float4 *in, size_t count)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = in[i];
}

__global__ void check(const float *out, size_t n, size_t pitch_in, size_t pitch_out, unsigned long long *wrong)
{
    EACH(i, n * n)
        if (out[i / n * pitch_out + i % n] != value(i % n * pitch_in + i / n))
            atomicAdd(wrong, 1ull);
}

__global__ void check_swap(const float *data, size_t n, size_t pitch, unsigned long long *wrong)
{
    EACH(i, n * n) {
        size_t row = i / n, col = i % n, from_row = col / TILE * TILE + row % TILE, from_col = row / TILE * TILE + col % TILE;
        if (data[row * pitch + col] != value(from_row * pitch + from_col))
            atomicAdd(wrong, 1ull);
    }
}

static float *in, *out;

struct variant {
    std::string name;
    work what;
    int order;
};

static void launch(const variant &v, int n, int pitch_in, int pitch_out)
{
    int across = n / TILE, blocks = across * across;
    if (v.what == TURN)
        tiles<TURN><<<blocks, THREADS>>>(out, in, pitch_in, pitch_out, across, v.order);
    else if (v.what == SWAP)
        swap_tiles<<<dim3(2 * (across + 1), across / 2), THREADS>>>(in, pitch_in, across);
    else if (v.what == STAY)
        stay<1><<<2 * blocks, THREADS>>>((float4 *)in, 1);
    else if (v.what == HOLD)
        stay<4><<<blocks / 2, THREADS>>>((float4 *)in, 1);
    else
        tiles<MOVE><<<blocks, THREADS>>>(out, in, pitch_in, pitch_out, across, v.order);
    TRY(cudaGetLastError());
}

static void verify(const variant &v, int n, int pitch_in, int pitch_out)
{
    unsigned long long *wrong, count;
    TRY(cudaMalloc(&wrong, sizeof *wrong));
    TRY(cudaMemset(wrong, 0, sizeof *wrong));
    make<<<1024, 256>>>(in, (size_t)n * pitch_in);
    launch(v, n, pitch_in, pitch_out);
    if (v.what == TURN)
        check<<<1024, 256>>>(out, n, pitch_in, pitch_out, wrong);
    else
        check_swap<<<1024, 256>>>(in, n, pitch_in, wrong);
    TRY(cudaMemcpy(&count, wrong, sizeof count, cudaMemcpyDeviceToHost));
    TRY(cudaFree(wrong));
    if (count) {
        fprintf(stderr, "orders: %s has %llu incorrect elements\n", v.name.c_str(), count);
        exit(1);
    }
}

static void measure(int n, int more_in, int more_out, const std::vector<variant> &variants)
{
    int pitch_in = n + more_in, pitch_out = n + more_out;
    size_t quads = (size_t)n * n / 4;
    std::vector<std::function<void()>> launches = {
        [=] { copy<<<(unsigned)((quads + 255) / 256), 256>>>((float4 *)out, (float4 *)in, quads); }};
    for (const variant &v : variants) {
        if (v.what == TURN || v.what == SWAP)
            verify(v, n, pitch_in, pitch_out);
        launches.push_back([&v, n, pitch_in, pitch_out] { launch(v, n, pitch_in, pitch_out); });
    }
    std::vector<times> us = measure_rounds(launches);
    for (size_t i = 0; i < us.size(); i++)
        printf("%d,%d,%d,%s,%.3f,%.3f,%.1f,%.1f\n", n, pitch_in, pitch_out, i ? variants[i - 1].name.c_str() : "copy",
               us[i].us, us[i].best, 8e-3 * (double)n * n / us[i].us, 100 * us[0].us / us[i].us);
}

/* orders [N...]: measure these sizes, or, by default, the sizes of docs/record.md. */
int main(int argc, char **argv)
{
    std::vector<int> sizes;
    for (int i = 1; i < argc; i++)
        sizes.push_back(atoi(argv[i]));
    if (sizes.empty())
        sizes = {4096, 8192, 16384, 32768};
    size_t most = *std::max_element(sizes.begin(), sizes.end()), bytes = most * (most + 2048) * sizeof(float);
    TRY(cudaMalloc(&in, bytes));
    TRY(cudaMalloc(&out, bytes));
    printf("n,pitch_in,pitch_out,kernel,time_us,best_us,effective_bandwidth_gbps,copy_pct\n");
    const std::vector<variant> orders = {{"turn_y", TURN, DOWN}, {"move_y", MOVE, DOWN}, {"turn_x", TURN, ALONG}, {"move_x", MOVE, ALONG},
                                         {"turn_skew8", TURN, 8}, {"turn_skew16", TURN, 16}, {"turn_skew64", TURN, 64},
                                         {"stay", STAY, DOWN}, {"hold", HOLD, DOWN}, {"swap", SWAP, DOWN}};
    const std::vector<variant> plain = {{"turn_y", TURN, DOWN}};
    for (int n : sizes)
        measure(n, 0, 0, orders);
    for (int n : sizes) {
        for (int more : {32, 64, 256, 1024, 2048}) {
            measure(n, more, 0, plain);
            measure(n, 0, more, plain);
        }
    }
    return 0;
}
