/* Tests of the checks: kernels with one bug at a marked line (testdata/checks.cu), or correct. */
#include "emulator/launch_test.h"

#include <ctype.h>

#define TESTDATA "profiler/emulator/testdata/"

static struct device h200, toy, gtx280;
static struct bench bench;
static char *source;

static int open_module(void **state)
{
    (void)state;
    bench_device("h200", &h200);
    bench_device("toy", &toy);
    bench_device("gtx280", &gtx280);
    gtx280.compute_capability = 90; /* Allow all instructions. */
    bench_open(&bench, TESTDATA "checks.ptx");
    FILE *file = fopen(TESTDATA "checks.cu", "rb");
    assert_non_null(file);
    source = calloc(1, 1 << 16);
    assert_non_null(source);
    assert_true(fread(source, 1, (1 << 16) - 1, file) > 0);
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

/* Write "checks.cu:LINE" for the line that is marked `// KERNEL NUMBER`, or "" if there is none. */
static void marked_line(const char *kernel, int number, char *text, size_t size)
{
    char mark[128];
    snprintf(mark, sizeof mark, "// %s %d", kernel, number);
    *text = 0;
    for (const char *at = source; (at = strstr(at, mark)); at++)
        if (!isdigit((unsigned char)at[strlen(mark)])) {
            unsigned line = 1;
            for (const char *c = source; c < at; c++)
                line += *c == '\n';
            snprintf(text, size, "checks.cu:%u", line);
            return;
        }
}

struct bad {
    const char *kernel;
    enum status status;
    const char *words;
    unsigned blocks; /* 0 means one block. */
    bool undefined_out;
    bool is_later; /* The run continues after the race. */
};

static const struct bad bad_kernels[] = {
    {.kernel = "bad_no_barrier",
     .status = STATUS_RACE,
     .words = "thread (32, 0, 0) of block (0, 0, 0) writes element 32 of tile "},
    {.kernel = "bad_loop_end", .status = STATUS_RACE, .words = "writes element "},
    {.kernel = "bad_warp", .status = STATUS_RACE, .words = "Add __syncwarp()"},
    {.kernel = "bad_volatile_warp", .status = STATUS_RACE, .words = "Add __syncwarp()"},
    {.kernel = "bad_shift", .status = STATUS_RACE, .words = "Add __syncwarp()"},
    {.kernel = "bad_shuffle", .status = STATUS_RACE, .words = "Add __syncwarp()"},
    {.kernel = "bad_same_place",
     .status = STATUS_RACE,
     .words = "writes another value with the same instruction"},
    {.kernel = "bad_two_warps_store", .status = STATUS_RACE, .words = "writes another value"},
    {.kernel = "bad_broadcast",
     .status = STATUS_RACE,
     .words = "thread (31, 0, 0) of block (0, 0, 0) writes box, which thread"},
    {.kernel = "bad_zeroing", .status = STATUS_RACE, .words = " of count (byte "},
    {.kernel = "bad_bytes", .status = STATUS_RACE, .words = "element 32 of box (byte 32)"},
    {.kernel = "bad_vector", .status = STATUS_RACE, .words = "no __syncthreads()"},
    {.kernel = "bad_async", .status = STATUS_RACE, .words = "no __syncthreads()"},
    {.kernel = "bad_fence", .status = STATUS_RACE, .words = "no __syncthreads()"},
    {.kernel = "bad_undefined",
     .status = STATUS_UNINITIALISED,
     .words = "thread (58, 0, 0) of block (0, 0, 0) reads element 5 of tile (byte 20), which no "
              "thread of "
              "the block "
              "has "
              "written"},
    {.kernel = "bad_undefined_condition",
     .status = STATUS_UNINITIALISED,
     .words = "reads element 0 of box (byte 0)"},
    {.kernel = "bad_undefined_atomic", .status = STATUS_UNINITIALISED, .words = "of count (byte "},
    {.kernel = "bad_undefined_index",
     .status = STATUS_UNINITIALISED,
     .words = "reads element 0 of box (byte 0)"},
    {.kernel = "bad_undefined_global",
     .status = STATUS_UNINITIALISED,
     .words = "reads out[0], which no thread has written",
     .undefined_out = true},
    {.kernel = "bad_wait", .status = STATUS_UNINITIALISED, .words = "reads element 31 of box"},
    {.kernel = "bad_blocks_store",
     .status = STATUS_RACE,
     .words = "thread (0, 0, 0) of block (1, 0, 0) writes out[0], to which thread (0, 0, 0) of "
              "block (0, 0, "
              "0) writes another value",
     .blocks = 2,
     .is_later = true},
    {.kernel = "bad_blocks_read",
     .status = STATUS_RACE,
     .words = "thread (0, 0, 0) of block (1, 0, 0) writes out[64], which thread (0, 0, 0) of block "
              "(0, 0, 0) reads",
     .blocks = 4},
    {.kernel = "bad_blocks_read_after",
     .status = STATUS_RACE,
     .words = "The blocks of a launch run in any order",
     .blocks = 2},
    {.kernel = "bad_reverse_in_place",
     .status = STATUS_RACE,
     .words = "writes out[0], which thread (63, 0, 0) reads"},
};

static void expect_bad(const struct bad *bad, const struct device *device, unsigned workers,
                       char *message)
{
    struct bench_launch launch = {.kernel = bad->kernel,
                                  .grid = {bad->blocks ? bad->blocks : 1, 1, 1},
                                  .n = 3,
                                  .device = device,
                                  .workers = workers,
                                  .undefined_out = bad->undefined_out};
    char first[64], second[64];
    marked_line(bad->kernel, 1, first, sizeof first);
    marked_line(bad->kernel, 2, second, sizeof second);
    assert_true(*first);
    bench_arrays(&bench, 256, 64, 100);
    bool good = bench_run(&bench, &launch);
    if (bad->is_later && !good)
        fail_msg("%s did not run to its end: %s", bad->kernel, bench.failure.text);
    if (bad->is_later) {
        bench.failure = bench.result.later_race;
        good = bench.failure.kind == FAILURE_NONE;
    }
    if (good)
        fail_msg("%s passes on %s", bad->kernel, device->name);
    if (device == &h200) {
        const char *parts[] = {first, second, bad->words, bad->kernel, NULL};
        bench_expect_failure(&bench, good, bad->status, parts);
    }
    strcpy(message, bench.failure.text);
}

static void test_bad_kernels(void **state)
{
    (void)state;
    static char one[FAILURE_TEXT_SIZE], three[FAILURE_TEXT_SIZE];
    for (size_t i = 0; i < sizeof bad_kernels / sizeof *bad_kernels; i++) {
        expect_bad(&bad_kernels[i], &h200, 1, one);
        expect_bad(&bad_kernels[i], &h200, 3, three);
        assert_string_equal(one, three);
        expect_bad(&bad_kernels[i], &gtx280, 1, one);
    }
}

static void test_no_bad_kernel_is_forgotten(void **state)
{
    (void)state;
    size_t count = 0;
    for (size_t f = 0; f < bench.module.function_count; f++)
        count += !strncmp(bench.module.functions[f].name, "bad_", 4);
    assert_int_equal(count, sizeof bad_kernels / sizeof *bad_kernels);
}

/* The report names the failed block with the lowest number, even if another block fails first. */
static void test_many_blocks(void **state)
{
    (void)state;
    for (unsigned workers = 1; workers <= 4; workers++) {
        struct bench_launch launch = {.kernel = "bad_loop_end",
                                      .grid = {3, 400, 1},
                                      .n = 3,
                                      .device = &h200,
                                      .workers = workers};
        bench_arrays(&bench, 1 << 21, 64, 100); /* Too large for checks between blocks. */
        const char *parts[] = {"of block (0, 0, 0)", NULL};
        bench_expect_failure(&bench, bench_run(&bench, &launch), STATUS_RACE, parts);
    }
}

static void expect_good(const char *kernel, const struct device *device, unsigned blocks, int n)
{
    static int unchecked[256];
    struct bench_launch launch = {
        .kernel = kernel, .grid = {blocks, 1, 1}, .n = n, .device = device, .workers = 2};
    launch.mode = LAUNCH_COUNT;
    bench_arrays(&bench, 256, 256, 100);
    bench_expect_good(&bench, bench_run(&bench, &launch), kernel);
    memcpy(unchecked, bench.out, sizeof unchecked);
    launch.mode = LAUNCH_CHECK;
    bench_arrays(&bench, 256, 256, 100);
    bench_expect_good(&bench, bench_run(&bench, &launch), kernel);
    if (bench.result.later_race.kind != FAILURE_NONE)
        fail_msg("%s: %s", kernel, bench.result.later_race.text);
    assert_memory_equal(bench.out, unchecked, sizeof unchecked);
}

static bool needs_wide_warps(const char *kernel)
{
    return strstr(kernel, "warp") || strstr(kernel, "shuffles") || strstr(kernel, "named") ||
           strstr(kernel, "flag");
}

static void test_good_kernels(void **state)
{
    (void)state;
    size_t count = 0;
    for (size_t f = 0; f < bench.module.function_count; f++) {
        const char *name = bench.module.functions[f].name;
        if (strncmp(name, "good_", 5) != 0)
            continue;
        bool alone = strstr(name, "in_place") == NULL && strstr(name, "accumulate") == NULL;
        expect_good(name, &h200, alone ? 1 : 4, 5);
        expect_good(name, &h200, alone ? 1 : 4, 7);
        expect_good(name, &gtx280, 1, 1);
        if (!needs_wide_warps(name))
            expect_good(name, &toy, 1, 5);
        count++;
    }
    assert_true(count >= 15);
    struct device pascal = h200; /* The lanes of a warp of this device advance together. */
    pascal.compute_capability = 60;
    expect_good("bad_volatile_warp", &pascal, 1, 1);
}

static void test_unchecked(void **state)
{
    (void)state;
    struct bench_launch launch = {
        .kernel = "bad_no_barrier", .device = &h200, .mode = LAUNCH_COUNT, .n = 3};
    bench_arrays(&bench, 256, 64, 100);
    bench_expect_good(&bench, bench_run(&bench, &launch), launch.kernel);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad_kernels), cmocka_unit_test(test_no_bad_kernel_is_forgotten),
        cmocka_unit_test(test_many_blocks), cmocka_unit_test(test_good_kernels),
        cmocka_unit_test(test_unchecked),
    };
    return cmocka_run_group_tests(tests, open_module, close_module);
}
