/* Tests of the order of threads: kernels with and without synchronization (testdata/orders.cu). */
#include "base/sanitized.h"
#include "emulator/launch_test.h"

#define SOURCE "profiler/emulator/testdata/orders"
enum { THREADS = 128, GRID_THREADS = 384, ROUNDS = 3 };

static struct device h200, a100;
static struct bench bench;
static char *source;

static int open_module(void **state)
{
    (void)state;
    bench_device("h200", &h200);
    bench_device("a100", &a100);
    bench_open(&bench, SOURCE ".ptx");
    FILE *file = fopen(SOURCE ".cu", "rb");
    assert_non_null(file);
    source = calloc(1, 1 << 17);
    assert_non_null(source);
    assert_true(fread(source, 1, (1 << 17) - 1, file) > 0);
    fclose(file);
    return 0;
}

static int close_module(void **state)
{
    (void)state;
    bench_close(&bench);
    free(source);
    return 0;
}

static void marked_line(const char *kernel, char *text, size_t size)
{
    char mark[128];
    snprintf(mark, sizeof mark, "// %s 1\n", kernel);
    const char *at = strstr(source, mark);
    if (!at)
        fail_msg("no line of %s is marked", kernel);
    unsigned line = 1;
    for (const char *c = source; c < at; c++)
        line += *c == '\n';
    snprintf(text, size, "orders.cu:%u", line);
}

static int elements(const char *kernel)
{
    return strstr(kernel, "_grid") ? GRID_THREADS : THREADS;
}

static bool try_kernel(const char *kernel, const struct device *device, unsigned workers,
                       bool unchecked)
{
    struct bench_launch launch = {.kernel = kernel,
                                  .grid = {elements(kernel) == THREADS ? 1 : 6, 1, 1},
                                  .block = {elements(kernel) == THREADS ? THREADS : 64, 1, 1},
                                  .n = ROUNDS,
                                  .device = device,
                                  .workers = workers,
                                  .mode = unchecked ? LAUNCH_COUNT : LAUNCH_CHECK};
    bench_arrays(&bench, (size_t)elements(kernel), (size_t)elements(kernel), 1000);
    return bench_run(&bench, &launch);
}

static bool is_right(const char *kernel)
{
    int count = elements(kernel);
    for (int t = 0; t < count; t++)
        if (bench.out[t] != bench.in[count - 1 - t] + ROUNDS)
            return false;
    return true;
}

static unsigned for_kernels(const char *prefix, void (*expect)(const char *kernel))
{
    unsigned count = 0;
    for (size_t f = 0; f < bench.module.function_count; f++) {
        const char *name = bench.module.functions[f].name;
        if (strncmp(name, prefix, strlen(prefix)) != 0)
            continue;
        expect(name);
        count++;
    }
    return count;
}

static void expect_race(const char *kernel)
{
    char line[64], first[FAILURE_TEXT_SIZE];
    marked_line(kernel, line, sizeof line);
    bool good = try_kernel(kernel, &h200, 1, false);
    if (good && bench.result.later_race.kind != FAILURE_NONE) {
        good = false;
        bench.failure = bench.result.later_race;
    }
    const char *parts[] = {line, kernel, "a race", NULL};
    if (good)
        fail_msg("%s passes", kernel);
    bench_expect_failure(&bench, good, STATUS_RACE, parts);
    strcpy(first, bench.failure.text);
    assert_false(try_kernel(kernel, &a100, 4, false) &&
                 bench.result.later_race.kind == FAILURE_NONE);
}

static void expect_order(const char *kernel)
{
    const struct device *devices[] = {&h200, &a100};
    for (unsigned i = 0; i < 2; i++) {
        bench_expect_good(&bench, try_kernel(kernel, devices[i], i + 1, false), kernel);
        if (bench.result.later_race.kind != FAILURE_NONE)
            fail_msg("%s: %s", kernel, bench.result.later_race.text);
        if (!is_right(kernel))
            fail_msg("%s is wrong", kernel);
    }
}

static void test_races(void **state)
{
    (void)state;
    assert_true(for_kernels("bad_", expect_race) >= 30);
}

static void test_orders(void **state)
{
    (void)state;
    assert_true(for_kernels("good_", expect_order) >= 20);
}

/* Number of kernels that have correct results, but an error that only the checks find. */
static unsigned hidden;
static void count_hidden(const char *kernel)
{
    hidden += try_kernel(kernel, &h200, 1, true) && is_right(kernel);
}

static void test_hidden(void **state)
{
    (void)state;
    unsigned count = for_kernels("bad_", count_hidden);
    assert_true(2 * hidden > count);
}

/* The turn of a polling warp ends after the warp has read the flag twice, in about 30 instructions.
 * Other turns have thousands of instructions. */
static void expect_few_instructions(const char *kernel)
{
    assert_true(try_kernel(kernel, &h200, 1, false));
    if (bench.result.counters.warp_instructions > 1000)
        fail_msg("%s executes %llu instructions", kernel,
                 (unsigned long long)bench.result.counters.warp_instructions);
}

static void test_polls(void **state)
{
    (void)state;
    assert_int_equal(for_kernels("good_polls_", expect_few_instructions), 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_races),
        cmocka_unit_test(test_orders),
        cmocka_unit_test(test_hidden),
        cmocka_unit_test(test_polls),
    };
    if (THREAD_SANITIZED) /* This test uses one thread. */
        cmocka_set_skip_filter("test_hidden");
    return cmocka_run_group_tests(tests, open_module, close_module);
}
