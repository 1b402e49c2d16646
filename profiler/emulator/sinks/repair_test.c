/* Tests of repairs (testdata/repair.cu). A kernel with one mistake at a barrier or in its launch is
 * correct when the mistake is repaired. Kernels with other mistakes remain incorrect. */
#include "emulator/launch_test.h"

enum { TILES = 3, THREADS_MAX = 1024, ALL = EMULATOR_REPAIR_BARRIERS | EMULATOR_REPAIR_SHARED };

static struct device h200, toy, gtx280;
static struct bench bench;

static int open_module(void **state)
{
    (void)state;
    bench_device("h200", &h200);
    bench_device("toy", &toy);
    bench_device("gtx280", &gtx280);
    gtx280.compute_capability = 90; /* Allow all instructions. */
    bench_open(&bench, "profiler/emulator/testdata/repair.ptx");
    return 0;
}

static int close_module(void **state)
{
    (void)state;
    bench_close(&bench);
    return 0;
}

static int expected(const char *kernel, int i, int n)
{
    int sum = 0, first = i / n * n;
    if (strstr(kernel, "reduction")) {
        for (int k = 0; k < n; k++)
            sum += bench.in[k];
        return i ? 0 : sum;
    }
    if (strstr(kernel, "histogram")) {
        for (int k = 0; k < n; k++)
            sum += (bench.in[k] & 31) == i;
        return sum;
    }
    return first && !strstr(kernel, "loop") ? 0 : bench.in[first + n - 1 - i % n];
}

static bool try_kernel(const char *kernel, const struct device *device, int n, unsigned repair)
{
    struct bench_launch launch = {.kernel = kernel,
                                  .grid = {1, 1, 1},
                                  .block = {(unsigned)n, 1, 1},
                                  .n = n,
                                  .device = device,
                                  .workers = 1,
                                  .repair = repair};
    bench_arrays(&bench, (size_t)(TILES * n), (size_t)(TILES * n), 1000);
    if (!bench_run(&bench, &launch))
        return false;
    for (int i = 0; i < TILES * n; i++)
        if (bench.out[i] != expected(kernel, i, n))
            return false;
    return true;
}

#define FOR_KERNELS(kernel, prefix)                                                                \
    for (size_t f = 0; f < bench.module.function_count; f++)                                       \
        for (const char *kernel = bench.module.functions[f].name;                                  \
             kernel && !strncmp(kernel, prefix, strlen(prefix)); kernel = NULL)

static const int threads[] = {64, 192, THREADS_MAX};

static void test_repaired(void **state)
{
    (void)state;
    unsigned count = 0;
    FOR_KERNELS(kernel, "repair_")
    {
        for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
            int n = threads[i];
            if (n == 192 && strstr(kernel, "reduction"))
                continue; /* This kernel requires a power of two. */
            if (try_kernel(kernel, &h200, n, 0))
                fail_msg("%s passes in %d threads without repair", kernel, n);
            if (bench.failure.kind != FAILURE_STUDENT)
                fail_msg("%s in %d threads is wrong, but without an error", kernel, n);
            if (!try_kernel(kernel, &h200, n, ALL))
                fail_msg("%s fails in %d threads when repaired: %s", kernel, n, bench.failure.text);
        }
        if (!try_kernel(kernel, &gtx280, 64, ALL) || !try_kernel(kernel, &toy, 64, ALL))
            fail_msg("%s fails on another device: %s", kernel, bench.failure.text);
        count++;
    }
    assert_true(count >= 15);
}

static void test_flags(void **state)
{
    (void)state;
    assert_false(try_kernel("repair_missing", &h200, 64, EMULATOR_REPAIR_SHARED));
    assert_true(try_kernel("repair_missing", &h200, 64, EMULATOR_REPAIR_BARRIERS));
    assert_false(try_kernel("repair_dynamic", &h200, 64, EMULATOR_REPAIR_BARRIERS));
    assert_true(try_kernel("repair_dynamic", &h200, 64, EMULATOR_REPAIR_SHARED));
}

static void test_wrong(void **state)
{
    (void)state;
    unsigned count = 0;
    FOR_KERNELS(kernel, "wrong_")
    {
        for (size_t i = 0; i < sizeof threads / sizeof *threads; i++)
            if (try_kernel(kernel, &h200, threads[i], ALL))
                fail_msg("%s is correct when repaired", kernel);
        count++;
    }
    assert_int_equal(count, 3);
    assert_false(try_kernel("wrong_half", &h200, 64, ALL));
    assert_int_equal(bench.failure.status, STATUS_UNINITIALISED);
}

static void test_right(void **state)
{
    (void)state;
    unsigned count = 0;
    FOR_KERNELS(kernel, "right_")
    {
        for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
            assert_true(try_kernel(kernel, &h200, threads[i], 0));
            struct counters counters = bench.result.counters;
            assert_true(try_kernel(kernel, &h200, threads[i], ALL));
            assert_memory_equal(&counters, &bench.result.counters, sizeof counters);
        }
        count++;
    }
    assert_int_equal(count, 2);
}

static void test_occupancy(void **state)
{
    (void)state;
    assert_true(try_kernel("right_loop", &h200, 64, 0));
    unsigned resident = bench.result.resident_blocks;
    assert_true(try_kernel("right_loop", &h200, 64, EMULATOR_REPAIR_SHARED));
    assert_int_equal(bench.result.resident_blocks, resident);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_repaired),  cmocka_unit_test(test_flags),
        cmocka_unit_test(test_wrong),     cmocka_unit_test(test_right),
        cmocka_unit_test(test_occupancy),
    };
    return cmocka_run_group_tests(tests, open_module, close_module);
}
