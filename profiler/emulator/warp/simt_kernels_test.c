/* simt_kernels_test.c: compare compiled kernels of testdata/kernels.cu with the same code in C. */
#include "emulator/launch_test.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>

#define TESTDATA "profiler/emulator/testdata/"

static struct device h200, toy;
static struct bench nvcc, clang;

static int open_modules(void **state)
{
    (void)state;
    bench_device("h200", &h200);
    bench_device("toy", &toy);
    bench_open(&nvcc, TESTDATA "kernels.ptx");
    bench_open(&clang, TESTDATA "kernels_clang.ptx");
    return 0;
}

static int close_modules(void **state)
{
    (void)state;
    bench_close(&nvcc);
    bench_close(&clang);
    return 0;
}

/* Inputs of the functions below, in which `t` is the number of a thread in the grid. */
struct grid {
    const int *in;
    int n, blocks;
};

static const int table[8] = {3, 1, 4, 1, 5, 9, 2, 6};

static int add(int64_t a, int64_t b)
{
    return (int)(uint32_t)((uint64_t)a + (uint64_t)b);
}
static int mul(int64_t a, int64_t b)
{
    return (int)(uint32_t)((uint64_t)a * (uint64_t)b);
}

static void expect_nested_branches(const struct grid *g, int *out)
{
    for (int t = 0; t < 64 * g->blocks; t++) {
        int v = g->in[t], r = 0;
        if (v % 2 != 0)
            r = (v % 3 != 0 ? v * 7 : v - 100) + 1;
        else if (v % 5 == 0)
            r = -v;
        out[t] = r + g->n;
    }
}

static void expect_loops(const struct grid *g, int *out)
{
    for (int t = 0; t < 64 * g->blocks; t++) {
        int sum = 0;
        for (int i = 0; i < g->in[t] % 17; i++)
            for (int j = i; i != 5 && j < g->n && j <= 20 + t % 7; j += 1 + t % 4)
                sum += g->in[j] ^ i;
        out[t] = sum;
    }
}

static int factorial(int n)
{
    int product = 1;
    for (; n > 1; n--)
        product = mul(product, n);
    return product;
}

static int fibonacci(int n)
{
    int a = 0, b = 1;
    for (; n > 0; n--) {
        int sum = a + b;
        a = b;
        b = sum;
    }
    return a;
}

static void expect_recursion(const struct grid *g, int *out)
{
    for (int t = 0; t < 64 * g->blocks; t++)
        out[t] = g->in[t] % 2 ? factorial(g->in[t] % g->n) : fibonacci(g->in[t] % g->n);
}

static void expect_structs(const struct grid *g, int *out)
{
    for (int t = 0; t < 64 * g->blocks; t++) {
        int first = g->in[t] % 3, argument = first + 3;
        float value = (float)(g->in[t] + first);
        value += (float)(g->in[t] & 1 ? factorial(argument) : fibonacci(argument));
        out[t] = (int)(value + (float)g->n);
    }
}

static void expect_local_array(const struct grid *g, int *out)
{
    for (int t = 0; t < 64 * g->blocks; t++) {
        int sum = 0;
        for (int i = 0; i < 8; i++)
            sum = add(mul(sum, 3), g->in[(t + (g->in[t] + table[i]) % 40 * g->n) % 64]);
        out[t] = sum;
    }
}

static void expect_switch(const struct grid *g, int *out)
{
    for (int t = 0; t < 64 * g->blocks; t++) {
        int v = g->in[t];
        const int cases[9] = {g->n, v * 3, v / 3, v * 8, -v - 1, table[v % 8], v - g->n, -1, -1};
        out[t] = cases[v % 9];
    }
}

static void expect_shuffles(const struct grid *g, int *out)
{
    for (int t = 0; t < 64 * g->blocks; t++) {
        const int *v = g->in + t / 32 * 32;
        int l = t % 32, r = v[l ^ 5], sum = 0;
        r = r * 3 + v[l % 16 + 3 < 16 ? l + 3 : l]; /* shfl.down within half a warp. */
        r = r * 3 + v[l >= 7 ? l - 7 : l];
        r = r * 3 + v[l / 8 * 8 + t * 7 % 8];
        for (int i = 0; i < 32; i++)
            sum += v[i];
        out[t] = r + sum * g->n;
    }
}

static void expect_votes(const struct grid *g, int *out)
{
    for (int t = 0; t < 64 * g->blocks; t++) {
        const int *v = g->in + t / 32 * 32;
        int thirds = 0, same = 0, most = INT_MIN, least = INT_MAX, parity = 0;
        for (int i = 0; i < 32; i++) {
            thirds += v[i] % 3 == 0;
            same += v[i] % 4 == g->in[t] % 4;
            most = v[i] > most ? v[i] : most;
            least = v[i] < least ? v[i] : least;
            parity ^= v[i];
        }
        /* `any` is false, `all` is true, and the odd lanes' branch has 16 active lanes. */
        out[t] = ((thirds + 1000 + 7 * same + most - least) ^ parity) + t % 2 * 16 * g->n;
    }
}

static void expect_half_warps(const struct grid *g, int *out)
{
    for (int t = 0; t < 64 * g->blocks; t++) {
        const int *v = g->in + t % 64 / 16 * 16;
        int odd = 0, three = 0, above = 0, same = 0, sum = 0, l = t % 16;
        for (int i = 0; i < 16; i++) {
            odd += v[i] % 2;
            three |= v[i] % 16 == 3;
            above += v[i] > g->n;
            same += v[i] % 3 == v[l] % 3;
            sum += v[i];
        }
        out[t % 64] = odd + 100 * three + 1000 * (above == 16) + 7 * same + sum + v[l ^ 8];
    }
}

static void expect_syncwarp(const struct grid *g, int *out)
{
    for (int t = 0; t < 64 * g->blocks; t++)
        out[t] = g->in[t] + (t % 2 ? g->in[t - 1] - g->n : g->in[t + 1] * g->n);
}

static void expect_barriers(const struct grid *g, int *out)
{
    for (int b = 0; b < g->blocks; b++) {
        int odd = 0;
        for (int t = 0, sum = 0; t < 64; t++) {
            sum += g->in[64 * b + t];
            /* __syncthreads_or(t == 70) adds 0, and __syncthreads_and(t < 64) adds 1. */
            out[64 * b + t] = sum + 1;
            odd += sum & 1;
        }
        for (int t = 0; t < 64; t++)
            out[64 * b + t] += odd * g->n;
    }
}

static void expect_atomics(const struct grid *g, int *out)
{
    int sum = 0, top = -1, threads = 64 * g->blocks;
    for (int t = 0; t < 64; t++) {
        sum += g->in[t];
        top = (g->in[t] ^ 21) > top ? g->in[t] ^ 21 : top;
        out[65] = g->in[t] - g->n < out[65] ? g->in[t] - g->n : out[65];
    }
    for (int t = 0; t < 64; t++)
        out[t] = sum + top + 1;
    out[64] = threads;
    float halves = 0.5f * (float)threads;
    memcpy(&out[66], &halves, sizeof halves);
    out[67] = 77;
    out[68] = 5;
    out[69] = threads % 10; /* The counter wraps around after 9. */
}

static void expect_atomics_wide(const struct grid *g, int *out)
{
    uint64_t wide[3] = {(uint64_t)(64 * g->blocks) << 33, 0, 123456789012345u};
    double quarters = 0.25 * 64 * g->blocks;
    for (int t = 0; t < 64; t++) {
        uint64_t value = (uint64_t)(g->in[t] + g->n) << 32;
        wide[1] = value > wide[1] ? value : wide[1];
        out[t] = -1 ^ (-1 ^ 5);
    }
    memcpy(&out[64], wide, sizeof wide);
    memcpy(&out[70], &quarters, sizeof quarters);
}

static void expect_generic(const struct grid *g, int *out)
{
    for (int t = 0; t < 64; t++)
        out[t] = g->n + (t % 3 == 0 ? g->in[t] : t % 3 == 1 ? g->in[63 - t] + 1 : g->in[t] * 2);
}

/* Returns the nearest half-precision number, ties to even, for numbers up to 65504. */
static double half(double x)
{
    int exponent;
    frexp(x, &exponent);
    double unit = ldexp(1, exponent - 11);
    return nearbyint(x / unit) * unit;
}

static void expect_half(const struct grid *g, int *out)
{
    for (int t = 0; t < 64; t++) {
        double a = g->in[t], low = half(a * a + 1.5), high = half(0.25 * 0.25 + 1.5);
        out[t] = (int)half(low + high) + g->n;
    }
}

static void expect_double(const struct grid *g, int *out)
{
    for (int t = 0; t < 64; t++) {
        double y = sqrt(g->in[t] + 0.125) / 3.0;
        int64_t q = (int64_t)(y * 1e6) * g->n;
        out[t] = (int)(q % 1000003) + (int)floor(-y) + g->in[t] / (g->n + 1) % 7;
    }
}

static void expect_bits(const struct grid *g, int *out)
{
    for (int t = 0; t < 64; t++) {
        uint32_t v = (uint32_t)g->in[t] * 2654435761u, n = (uint32_t)g->n, reversed = 0;
        uint64_t square = (uint64_t)v * v, w = square + n;
        uint32_t ones = 0, leading = 32, first = 0;
        for (uint32_t i = 0; i < 32; i++)
            if (v >> i & 1) {
                ones++;
                leading = 31 - i;
                first = first ? first : i + 1;
                reversed |= 1u << (31 - i);
            }
        const uint8_t pool[8] = {(uint8_t)v,         (uint8_t)(v >> 8), (uint8_t)(v >> 16),
                                 (uint8_t)(v >> 24), (uint8_t)n,        (uint8_t)(n >> 8),
                                 (uint8_t)(n >> 16), (uint8_t)(n >> 24)};
        uint32_t bytes = 0;
        for (unsigned i = 0; i < 4; i++)
            bytes |= (uint32_t)pool[0x5210 >> 4 * i & 7] << 8 * i;
        uint32_t shifted = n << 9 | v >> 23;
        out[t] = (int)(ones + leading + first + reversed + bytes + shifted + (uint32_t)(w >> 40) +
                       (uint32_t)(square >> 32) + (v >> 5 & 0x3ff));
    }
}

static void expect_vectors(const struct grid *g, int *out)
{
    for (int t = 0; t < 16; t++)
        for (int i = 0; i < 4; i++)
            out[4 * (15 - t) + i] = g->in[4 * t + 3 - i] + (i == 0 ? g->n : 0);
}

static void expect_dynamic_shared(const struct grid *g, int *out)
{
    for (int t = 0; t < 64; t++)
        out[t] = g->in[63 - t] + t % 3 + g->n;
}

static void expect_module_data(const struct grid *g, int *out)
{
    for (int t = 0; t < 64; t++)
        out[t] = table[g->in[t] % 8] + (t == 0 ? 5 + g->n : 0);
}

static void expect_copy_async(const struct grid *g, int *out)
{
    for (int t = 0; t < 64; t++)
        out[t] = g->in[63 - t] + g->n;
}

static void expect_copy_async_no_wait(const struct grid *g, int *out)
{
    for (int t = 0; t < 64; t++)
        out[t] = g->n;
}

static void expect_relay(const struct grid *g, int *out)
{
    for (int b = 0; b < g->blocks; b++)
        out[b] = g->in[g->blocks - 1 - b] + g->n;
    out[200] = g->blocks;
}

static void expect_early_return(const struct grid *g, int *out)
{
    for (int t = 0; t < g->n; t++)
        out[t] = g->in[g->n - 1 - t];
}

static void expect_early_return_loop(const struct grid *g, int *out)
{
    for (int t = 0; t < g->n; t++)
        for (int i = 0; i < 3 + g->n % 4; i++)
            out[t] = out[t] * 3 + g->in[g->n - 1 - t] + i;
}

static void expect_spin_lock(const struct grid *g, int *out)
{
    for (int t = 0; t < 64; t++) {
        out[t] = 1;
        out[101] += g->blocks * (g->in[t] + g->n);
    }
}

static void expect_overflow(const struct grid *g, int *out)
{
    int value = 1;
    for (int i = 1; i <= g->n; i++)
        value = mul(value, 3) ^ g->in[i & 63];
    for (int t = 0; t < 64; t++)
        out[t] = value;
}

static void expect_clock(const struct grid *g, int *out)
{
    (void)g;
    for (int t = 0; t < 64; t++)
        out[t] = 11;
}

/* UNCHECKED: all threads load a value that only one thread loads in the source. */
enum { SKIP_TOY = 1, ONE_BLOCK = 2, TWO_BLOCKS = 4, UNCHECKED = 8 };

static const struct kernel {
    const char *name;
    void (*expect)(const struct grid *, int *);
    int limit;
    int n[4]; /* Values of n. -1 ends the list. */
    unsigned flags;
    uint64_t shared;
} kernels[] = {
    {"k_nested_branches", expect_nested_branches, 1000, {0, 7, 100, -1}, 0, 0},
    {"k_loops", expect_loops, 1000, {0, 9, 64, -1}, 0, 0},
    {"k_recursion", expect_recursion, 1000, {1, 5, 12, -1}, 0, 0},
    {"k_structs", expect_structs, 1000, {0, 3, 77, -1}, 0, 0},
    {"k_local_array", expect_local_array, 1000, {0, 1, 13, -1}, 0, 0},
    {"k_switch", expect_switch, 1000, {0, 4, 99, -1}, 0, 0},
    {"k_shuffles", expect_shuffles, 1000, {0, 1, 5, -1}, SKIP_TOY, 0},
    {"k_votes", expect_votes, 1000, {0, 1, 5, -1}, SKIP_TOY, 0},
    {"k_half_warps", expect_half_warps, 1000, {0, 20, 5000, -1}, SKIP_TOY, 0},
    {"k_syncwarp", expect_syncwarp, 1000, {0, 2, 9, -1}, 0, 0},
    {"k_barriers", expect_barriers, 1000, {0, 3, 11, -1}, 0, 0},
    {"k_atomics", expect_atomics, 1000, {0, 20, -1, -1}, 0, 0},
    {"k_atomics_wide", expect_atomics_wide, 1000, {0, 20, -1, -1}, 0, 0},
    {"k_generic", expect_generic, 1000, {0, 20, -1, -1}, 0, 0},
    {"k_half", expect_half, 200, {0, 20, -1, -1}, 0, 0},
    {"k_double", expect_double, 1000, {1, 20, 977, -1}, 0, 0},
    {"k_bits", expect_bits, 1000, {0, 1, 0x12345678, -1}, 0, 0},
    {"k_vectors", expect_vectors, 1000, {0, 5, -1, -1}, 0, 0},
    {"k_dynamic_shared", expect_dynamic_shared, 1000, {0, 5, -1, -1}, 0, 256},
    {"k_module_data", expect_module_data, 1000, {0, 5, -1, -1}, ONE_BLOCK | UNCHECKED, 0},
    {"k_copy_async", expect_copy_async, 1000, {0, 5, -1, -1}, 0, 0},
    {"k_copy_async_no_wait", expect_copy_async_no_wait, 1000, {3, 5, -1, -1}, 0, 0},
    {"k_relay", expect_relay, 1000, {0, 5, -1, -1}, 0, 0},
    {"k_early_return", expect_early_return, 1000, {1, 32, 40, 64}, 0, 0},
    {"k_early_return_loop", expect_early_return_loop, 1000, {1, 32, 40, 64}, 0, 0},
    {"k_spin_lock", expect_spin_lock, 1000, {5, -1, -1, -1}, SKIP_TOY | TWO_BLOCKS, 0},
    {"k_overflow", expect_overflow, 1000, {0, 200, -1, -1}, 0, 0},
    {"k_clock", expect_clock, 1000, {1, 5, -1, -1}, 0, 0},
};
enum { KERNELS = sizeof kernels / sizeof *kernels };

enum { OUT_COUNT = 512 };

static void run_kernel(struct bench *bench, const struct kernel *kernel, int n, int blocks,
                       const struct device *device, unsigned workers)
{
    static int expected[OUT_COUNT];
    bench_arrays(bench, OUT_COUNT, OUT_COUNT, kernel->limit);
    struct bench_launch launch = {.kernel = kernel->name,
                                  .grid = {(uint32_t)blocks, 1, 1},
                                  .shared = kernel->shared,
                                  .n = n,
                                  .device = device,
                                  .workers = workers,
                                  .mode = kernel->flags & UNCHECKED ? LAUNCH_COUNT : LAUNCH_CHECK};
    bool good = bench_run(bench, &launch);
    bench_expect_good(bench, good, kernel->name);
    memset(expected, 0, sizeof expected);
    kernel->expect(&(struct grid){bench->in, n, blocks}, expected);
    for (int i = 0; i < OUT_COUNT; i++)
        if (bench->out[i] != expected[i])
            fail_msg("%s: n = %d, %d blocks, %u workers, %s: out[%d] is %d instead of %d",
                     kernel->name, n, blocks, workers, device->name, i, bench->out[i], expected[i]);
}

static void run_kernels(struct bench *bench)
{
    for (int k = 0; k < KERNELS; k++)
        for (int i = 0; i < 4 && kernels[k].n[i] >= 0; i++) {
            int blocks = kernels[k].flags & ONE_BLOCK ? 1 : kernels[k].flags & TWO_BLOCKS ? 2 : 6;
            if (i == 0)
                run_kernel(bench, &kernels[k], kernels[k].n[i], 1, &h200, 1);
            run_kernel(bench, &kernels[k], kernels[k].n[i], blocks, &h200, 3);
            if (i == 0 && !(kernels[k].flags & SKIP_TOY))
                run_kernel(bench, &kernels[k], kernels[k].n[i], blocks, &toy, 3);
        }
}

static void test_kernels_of_nvcc(void **state)
{
    (void)state;
    run_kernels(&nvcc);
}

static void test_kernels_of_clang(void **state)
{
    (void)state;
    run_kernels(&clang);
}

static void test_shapes(void **state)
{
    (void)state;
    static const struct {
        struct dimensions grid, block;
    } shapes[] = {
        {{1, 1, 1}, {1, 1, 1}},   {{3, 1, 1}, {1024, 1, 1}}, {{2, 3, 4}, {4, 3, 2}},
        {{1, 1, 2}, {7, 5, 3}},   {{5, 1, 1}, {33, 1, 1}},   {{1, 2, 1}, {1, 1, 64}},
        {{2, 2, 1}, {32, 32, 1}},
    };
    const struct device *devices[] = {&h200, &toy};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (int d = 0; d < 2; d++) {
            struct dimensions g = shapes[s].grid, b = shapes[s].block;
            size_t count = (size_t)g.x * g.y * g.z * b.x * b.y * b.z, i = 0;
            bench_arrays(&nvcc, count, 64, 1);
            struct bench_launch launch = {.kernel = "k_shape",
                                          .grid = g,
                                          .block = b,
                                          .n = 7,
                                          .device = devices[d],
                                          .workers = 2};
            bench_expect_good(&nvcc, bench_run(&nvcc, &launch), "k_shape");
            for (uint32_t bz = 0; bz < g.z; bz++)
                for (uint32_t by = 0; by < g.y; by++)
                    for (uint32_t bx = 0; bx < g.x; bx++)
                        for (uint32_t z = 0; z < b.z; z++)
                            for (uint32_t y = 0; y < b.y; y++)
                                for (uint32_t x = 0; x < b.x; x++)
                                    assert_int_equal(nvcc.out[i++], x + 10 * y + 100 * z +
                                                                        1000 * bx + 10000 * by +
                                                                        100000 * bz + 7);
        }
}

/* The message of a fault must name the line of kernels.cu that contains `text`. */
static const struct fault {
    const char *kernel;
    int n;
    enum status status;
    const char *text;
    const char *parts[5];
} faults[] = {
    {"k_out_of_bounds",
     449,
     STATUS_OUT_OF_BOUNDS,
     "out[threadIdx.x + n] = in[threadIdx.x];",
     {"kernel k_out_of_bounds", "thread (63, 0, 0) of block (0, 0, 0) writes 4 bytes",
      "out, 1 element past its end"}},
    {"k_out_of_bounds",
     -3, /* (unsigned)-3 elements of 4 bytes are far past the end of all arrays. */
     STATUS_OUT_OF_BOUNDS,
     "out[threadIdx.x + n] = in[threadIdx.x];",
     {"thread (0, 0, 0) of block (0, 0, 0) writes 4 bytes", "does not belong to any array"}},
    {"k_misaligned",
     2,
     STATUS_MISALIGNED,
     "out[threadIdx.x] = *(const int *)((const char *)in",
     {"thread (0, 0, 0) of block (0, 0, 0) reads 4 bytes", "multiple of 4", "in[0]"}},
    {"k_partial_barrier",
     1,
     STATUS_DEADLOCK,
     "__syncthreads(); // by one warp of two",
     {"barrier", "32 of the block's 64 threads"}},
    {"k_divergent_barrier",
     1,
     STATUS_DEADLOCK,
     "__syncthreads(); // by every other thread",
     {"thread (1, 0, 0)", "16 of its warp's 32 threads"}},
    {"k_endless", 1, STATUS_TIMEOUT, "i += 0) *(volatile int *)", {"150000 warp instructions"}},
    {"k_overflow", 1000000, STATUS_OUT_OF_BOUNDS, "(deep(in, n - 1) * 3)", {"stack", "nested"}},
    {"k_assert",
     500,
     STATUS_LAUNCH_ERROR,
     "assert(in[threadIdx.x] < n);",
     {"fails the assertion `in[threadIdx.x] < n` (kernels.cu:"}},
};

static unsigned line_of(const char *text)
{
    FILE *file = fopen(TESTDATA "kernels.cu", "r");
    assert_non_null(file);
    char line[512];
    unsigned number = 0, found = 0;
    while (!found && fgets(line, sizeof line, file)) {
        number++;
        if (strstr(line, text))
            found = number;
    }
    fclose(file);
    if (!found)
        fail_msg("kernels.cu has no line with %s", text);
    return found;
}

static void run_faults(struct bench *bench, unsigned workers)
{
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        const struct fault *fault = &faults[i];
        bench_arrays(bench, OUT_COUNT, OUT_COUNT, 1000);
        struct bench_launch launch = {.kernel = fault->kernel,
                                      .grid = {2, 1, 1},
                                      .n = fault->n,
                                      .device = &h200,
                                      .workers = workers,
                                      .block_budget = 150000};
        bool good = bench_run(bench, &launch);
        bench_expect_failure(bench, good, fault->status, fault->parts);
        if (!fault->text)
            continue;
        char where[64];
        snprintf(where, sizeof where, "kernels.cu:%u: in kernel", line_of(fault->text));
        bench_expect_failure(bench, good, fault->status, (const char *[]){where, NULL});
    }
}

static void test_faults(void **state)
{
    (void)state;
    run_faults(&nvcc, 1);
    run_faults(&nvcc, 3);
    run_faults(&clang, 1);
}

static void test_null_pointer(void **state)
{
    (void)state;
    bench_arrays(&nvcc, OUT_COUNT, OUT_COUNT, 1000);
    struct bench_launch launch = {
        .kernel = "k_copy_async", .n = 1, .device = &h200, .null_out = true};
    bool good = bench_run(&nvcc, &launch);
    bench_expect_failure(&nvcc, good, STATUS_OUT_OF_BOUNDS,
                         (const char *[]){"kernels.cu:", "a null pointer", NULL});
}

static void run_printf(struct bench *bench, unsigned workers)
{
    char expected[2048] = "", printed[2048];
    bench_arrays(bench, OUT_COUNT, OUT_COUNT, 1000);
    size_t used = 0;
    for (int block = 0; block < 3; block++)
        for (int t = 1; t < 64; t += 32)
            used += (size_t)snprintf(expected + used, sizeof expected - used,
                                     "thread %d: %5.2f|%-4x|%s|%lld|%c%%\n", t, 1.5 * 3,
                                     (unsigned)bench->in[1], "text", 1ll << 40, 'z');
    FILE *output = tmpfile();
    assert_non_null(output);
    struct bench_launch launch = {.kernel = "k_printf",
                                  .grid = {3, 1, 1},
                                  .n = 3,
                                  .device = &h200,
                                  .workers = workers,
                                  .output = output};
    bench_expect_good(bench, bench_run(bench, &launch), "k_printf");
    rewind(output);
    size_t length = fread(printed, 1, sizeof printed - 1, output);
    fclose(output);
    printed[length] = 0;
    assert_string_equal(printed, expected);
}

static void test_printf(void **state)
{
    (void)state;
    run_printf(&nvcc, 1);
    run_printf(&nvcc, 3);
    run_printf(&clang, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kernels_of_nvcc), cmocka_unit_test(test_kernels_of_clang),
        cmocka_unit_test(test_shapes),          cmocka_unit_test(test_faults),
        cmocka_unit_test(test_null_pointer),    cmocka_unit_test(test_printf),
    };
    return cmocka_run_group_tests(tests, open_modules, close_modules);
}
