/* gpu_kernels_test.c: tests of the GPU back end that require no GPU: the helper kernels on the
 * emulator, quantiles, and the failure on a machine without a driver. */
#include "hardware/gpu/gpu_kernels.h"
#include "hardware/gpu/gpu_runner.h"

#include "base/paths.h"
#include "emulator/emulator.h"
#include "hardware/gpu/gpu_session.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { WORDS_MAX = 5000 };

struct bench {
    struct ptx_module module;
    struct guest_memory memory;
    struct program program;
    struct device device;
    uint32_t out[WORDS_MAX], in[WORDS_MAX];
    uint64_t out_address, in_address;
};

static void bench_open(struct bench *bench, size_t out_words, size_t in_words)
{
    struct failure failure = {0};
    char directory[PATH_SIZE];
    memset(bench, 0, sizeof *bench);
    memory_init(&bench->memory);
    for (uint32_t i = 0; i < WORDS_MAX; i++) {
        bench->out[i] = 7;
        bench->in[i] = 1000 + i;
    }
    assert_true(paths_in_root("profiler/devices", directory, &failure) &&
                device_find(directory, "h200", &bench->device, &failure));
    struct memory_region *region =
        memory_map(&bench->memory, (unsigned char *)bench->out, 4 * out_words, 4096, "out");
    assert_non_null(region);
    bench->out_address = region->base;
    bench->memory.next += GUEST_GUARD_BYTES;
    region = memory_map(&bench->memory, (unsigned char *)bench->in, 4 * in_words, 4096, "in");
    assert_non_null(region);
    bench->in_address = region->base;
    if (!ptx_parse(gpu_kernels_ptx, strlen(gpu_kernels_ptx), "gpu_kernels.h", &bench->module,
                   &failure) ||
        !program_create(&bench->module, &bench->memory, &bench->program, &failure))
        fail_msg("%s", failure.text);
}

static void bench_close(struct bench *bench)
{
    program_free(&bench->program);
    memory_free(&bench->memory);
    ptx_module_free(&bench->module);
}

static struct counters bench_run(struct bench *bench, const char *kernel, uint32_t blocks,
                                 const uint64_t *params)
{
    struct failure failure = {0};
    struct emulator_result result;
    struct emulator_launch launch = {
        .program = &bench->program,
        .function = program_find_entry(&bench->program, kernel),
        .grid = {blocks, 1, 1},
        .block = {GPU_HELPER_THREADS, 1, 1},
        .params = (const unsigned char *)params,
        .memory = &bench->memory,
        .device = &bench->device,
        .workers = 1,
    };
    assert_true(launch.function >= 0);
    bool good = emulator_run(&launch, &result, &failure);
    free(result.stats);
    if (!good)
        fail_msg("%s", failure.text);
    return result.counters;
}

static void copy_copies_all_words(void **state)
{
    static const size_t sizes[] = {1, 2, 3, 4, 5, 1023, 1024, 1025, 1026, 1027, 4099};
    struct bench *bench = malloc(sizeof *bench);
    (void)state;
    assert_non_null(bench);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        uint64_t words = sizes[i], quads = words / 4, threads = quads + words % 4;
        bench_open(bench, words, words);
        uint64_t params[] = {bench->out_address, bench->in_address, quads, words};
        bench_run(bench, "tlab_copy",
                  (uint32_t)((threads + GPU_HELPER_THREADS - 1) / GPU_HELPER_THREADS), params);
        assert_memory_equal(bench->out, bench->in, 4 * words);
        assert_int_equal(bench->out[words], 7);
        bench_close(bench);
    }
    free(bench);
}

/* In a copy of 4096 words, each of 32 warps loads and stores 512 bytes (16 sectors). */
static void copy_moves_16_bytes_per_thread(void **state)
{
    struct bench *bench = malloc(sizeof *bench);
    (void)state;
    assert_non_null(bench);
    bench_open(bench, 4096, 4096);
    uint64_t params[] = {bench->out_address, bench->in_address, 1024, 4096};
    struct counters counters = bench_run(bench, "tlab_copy", 4, params);
    assert_int_equal(counters.global_load_requests, 32);
    assert_int_equal(counters.global_load_sectors, 512);
    assert_int_equal(counters.global_store_requests, 32);
    assert_int_equal(counters.global_store_sectors, 512);
    bench_close(bench);
    free(bench);
}

/* 256 threads read 4096 words: each thread reads four quads, and each sector is read once. */
static void sweep_reads_everything_and_writes_nothing(void **state)
{
    struct bench *bench = malloc(sizeof *bench);
    (void)state;
    assert_non_null(bench);
    bench_open(bench, 1, 4096);
    uint64_t params[] = {bench->in_address, 1024, bench->out_address};
    struct counters counters = bench_run(bench, "tlab_sweep", 1, params);
    assert_int_equal(counters.global_load_requests, 32);
    assert_int_equal(counters.global_load_sectors, 512);
    assert_int_equal(counters.global_store_requests, 0);
    assert_int_equal(bench->out[0], 7);
    bench_close(bench);
    free(bench);
}

static void quantiles_are_interpolated(void **state)
{
    double even[] = {8, 4, 1, 2}, odd[] = {10, 1, 2};
    (void)state;
    assert_float_equal(gpu_quantile(even, 4, 0.5), 3, 1e-12);
    assert_float_equal(gpu_quantile(even, 4, 0.25), 1.75, 1e-12);
    assert_float_equal(gpu_quantile(even, 4, 0.75), 5, 1e-12);
    assert_float_equal(gpu_quantile(odd, 3, 0.5), 2, 1e-12);
    assert_float_equal(gpu_quantile(even, 1, 0.75), 1, 1e-12);
    assert_float_equal(gpu_quantile(even, 4, 1), 8, 1e-12);
}

static void a_missing_gpu_is_a_harness_failure(void **state)
{
    struct gpu_options options = {.ordinal = 4711};
    struct failure failure = {0};
    struct gpu *gpu = NULL;
    (void)state;
    assert_false(gpu_open(&options, &gpu, &failure));
    assert_null(gpu);
    assert_int_equal(failure.kind, FAILURE_HARNESS);
    assert_true(strstr(failure.text, "driver") || strstr(failure.text, "GPU"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copy_copies_all_words),
        cmocka_unit_test(copy_moves_16_bytes_per_thread),
        cmocka_unit_test(sweep_reads_everything_and_writes_nothing),
        cmocka_unit_test(quantiles_are_interpolated),
        cmocka_unit_test(a_missing_gpu_is_a_harness_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
