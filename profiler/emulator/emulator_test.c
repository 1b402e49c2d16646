/* Tests of emulator.c: limits of a launch, counters derived by hand, and results that do not depend
 * on the number of workers. Tiles have 32 x 32 elements, and blocks have 32 x 8 threads. */
#include "base/sanitized.h"
#include "emulator/launch_test.h"

#define TESTDATA "profiler/emulator/testdata/"

static struct device h200, toy;
static struct bench bench;

static int open_module(void **state)
{
    (void)state;
    bench_device("h200", &h200);
    bench_device("toy", &toy);
    bench_open(&bench, TESTDATA "kernels.ptx");
    return 0;
}

static int close_module(void **state)
{
    (void)state;
    bench_close(&bench);
    return 0;
}

static const char limited_text[] =
    ".version 7.8\n.target sm_80\n.address_size 64\n"
    ".visible .entry plain()\n{\nret;\n}\n"
    ".visible .entry bounded() .maxntid 96, 1, 1\n{\nret;\n}\n"
    ".visible .entry shaped() .reqntid 8, 4, 2\n{\nret;\n}\n"
    ".visible .entry large()\n{\n.shared .b8 box[40000];\nret;\n}\n"
    ".visible .entry larger()\n{\n.shared .b8 box[49153];\nret;\n}\n";

static const struct limit {
    const char *kernel;
    struct dimensions grid, block;
    uint64_t shared;
    const char *text;
} limits[] = {
    {"plain", {1, 1, 1}, {1, 1, 1}, 0, NULL},
    {"plain", {1, 1, 1}, {1024, 1, 1}, 0, NULL},
    {"plain", {1, 1, 1}, {1, 1024, 1}, 0, NULL},
    {"plain", {1, 1, 1}, {16, 1, 64}, 0, NULL},
    {"plain", {2147483647, 65535, 65535}, {1, 1, 1}, 0, NULL},
    {"plain", {0, 1, 1}, {1, 1, 1}, 0, "gridDim.x = 0"},
    {"plain", {1, 0, 1}, {1, 1, 1}, 0, "gridDim.y = 0"},
    {"plain", {1, 1, 0}, {1, 1, 1}, 0, "gridDim.z = 0"},
    {"plain", {1, 1, 1}, {0, 1, 1}, 0, "blockDim.x = 0"},
    {"plain", {1, 1, 1}, {1, 0, 1}, 0, "blockDim.y = 0"},
    {"plain", {1, 1, 1}, {1, 1, 0}, 0, "blockDim.z = 0"},
    {"plain", {2147483648u, 1, 1}, {1, 1, 1}, 0, "gridDim.x = 2147483648"},
    {"plain", {1, 65536, 1}, {1, 1, 1}, 0, "gridDim.y = 65536; NVIDIA H200 allows at most 65535"},
    {"plain", {1, 1, 65536}, {1, 1, 1}, 0, "gridDim.z = 65536"},
    {"plain", {1, 1, 1}, {1025, 1, 1}, 0, "blockDim.x = 1025"},
    {"plain", {1, 1, 1}, {1, 1025, 1}, 0, "blockDim.y = 1025"},
    {"plain", {1, 1, 1}, {1, 1, 65}, 0, "blockDim.z = 65"},
    {"plain", {1, 1, 1}, {33, 32, 1}, 0, "33 x 32 x 1 has 1056 threads"},
    {"plain", {1, 1, 1}, {1024, 1024, 64}, 0, "67108864 threads"},
    {"bounded", {1, 1, 1}, {96, 1, 1}, 0, NULL},
    {"bounded", {1, 1, 1}, {97, 1, 1}, 0, "at most 96 (__launch_bounds__)"},
    {"shaped", {1, 1, 1}, {8, 4, 2}, 0, NULL},
    {"shaped", {1, 1, 1}, {8, 2, 4}, 0, "8 x 2 x 4, but the kernel requires 8 x 4 x 2"},
    {"large", {1, 1, 1}, {1, 1, 1}, 0, NULL},
    {"large", {1, 1, 1}, {1, 1, 1}, 232448 - 40000, NULL},
    {"large", {1, 1, 1}, {1, 1, 1}, 232448 - 39999, "at most 232448"},
    {"large", {1, 1, 1}, {1, 1, 1}, UINT64_MAX - 100, "of dynamic shared memory"},
    {"larger", {1, 1, 1}, {1, 1, 1}, 0, "49153 bytes of shared memory"},
};

static void test_limits(void **state)
{
    (void)state;
    struct ptx_module module;
    struct guest_memory memory;
    struct program program;
    struct failure failure = {0};
    memory_init(&memory);
    if (!ptx_parse(limited_text, strlen(limited_text), "limits.ptx", &module, &failure) ||
        !program_create(&module, &memory, &program, &failure))
        fail_msg("%s", failure.text);
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        const struct limit *limit = &limits[i];
        struct emulator_launch launch = {.program = &program,
                                         .function = program_find_entry(&program, limit->kernel),
                                         .grid = limit->grid,
                                         .block = limit->block,
                                         .dynamic_shared = limit->shared,
                                         .memory = &memory,
                                         .device = &h200};
        memset(&failure, 0, sizeof failure);
        bool good = emulator_check_launch(&launch, &failure);
        if (good != !limit->text)
            fail_msg("launch %zu: %s", i, good ? "no failure" : failure.text);
        if (good)
            continue;
        assert_int_equal(failure.status, STATUS_LAUNCH_ERROR);
        if (!strstr(failure.text, limit->text))
            fail_msg("launch %zu: \"%s\" does not contain \"%s\"", i, failure.text, limit->text);
    }
    program_free(&program);
    memory_free(&memory);
    ptx_module_free(&module);
}

static void run_transpose(const char *kernel, int n, const struct device *device, unsigned workers)
{
    size_t count = (size_t)n * (size_t)n;
    bench_arrays(&bench, count, count, 1000000);
    struct bench_launch launch = {.kernel = kernel,
                                  .grid = {(uint32_t)n / 32, (uint32_t)n / 32, 1},
                                  .block = {32, 8, 1},
                                  .n = n,
                                  .device = device,
                                  .workers = workers,
                                  .model_memory = true};
    bench_expect_good(&bench, bench_run(&bench, &launch), kernel);
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++)
            assert_int_equal(bench.out[x * n + y], bench.in[y * n + x]);
}

/* Expected cost per 32 elements of a row: {requests, sectors} of loads and stores, {requests,
 * wavefronts, ideal} of shared loads and stores, and the barriers of a block. */
static const struct cost {
    const char *kernel;
    bool is_toy;
    unsigned load[2], store[2], shared_load[3], shared_store[3], barriers;
} costs[] = {
    /* 32 neighbours are in 4 sectors of 32 bytes. 32 elements of a column are in 32 sectors. */
    {"k_transpose_naive", false, {1, 4}, {1, 32}, {0, 0, 0}, {0, 0, 0}, 0},
    /* A column of a 32-wide tile is in one bank. 8 warps reach the barrier. */
    {"k_transpose_tiled", false, {1, 4}, {1, 4}, {1, 32, 1}, {1, 1, 1}, 8},
    {"k_transpose_padded", false, {1, 4}, {1, 4}, {1, 1, 1}, {1, 1, 1}, 8},
    /* Warps of 4 lanes, sectors of 4 elements, 4 banks. 64 warps reach the barrier. */
    {"k_transpose_naive", true, {8, 8}, {8, 32}, {0, 0, 0}, {0, 0, 0}, 0},
    {"k_transpose_tiled", true, {8, 8}, {8, 8}, {8, 32, 8}, {8, 8, 8}, 64},
    {"k_transpose_padded", true, {8, 8}, {8, 8}, {8, 8, 8}, {8, 8, 8}, 64},
};

static void test_counters(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof costs / sizeof *costs; i++)
        for (int n = 32; n <= 96; n += 64) {
            const struct cost *cost = &costs[i];
            run_transpose(cost->kernel, n, cost->is_toy ? &toy : &h200, 2);
            const struct counters *got = &bench.result.counters;
            uint64_t rows = (uint64_t)(n * n / 32), blocks = rows / 32;
            assert_int_equal(got->global_load_requests, rows * cost->load[0]);
            assert_int_equal(got->global_load_sectors, rows * cost->load[1]);
            assert_int_equal(got->global_store_requests, rows * cost->store[0]);
            assert_int_equal(got->global_store_sectors, rows * cost->store[1]);
            assert_int_equal(got->shared_load_requests, rows * cost->shared_load[0]);
            assert_int_equal(got->shared_load_wavefronts, rows * cost->shared_load[1]);
            assert_int_equal(got->shared_load_ideal_wavefronts, rows * cost->shared_load[2]);
            assert_int_equal(got->shared_store_requests, rows * cost->shared_store[0]);
            assert_int_equal(got->shared_store_wavefronts, rows * cost->shared_store[1]);
            assert_int_equal(got->shared_store_ideal_wavefronts, rows * cost->shared_store[2]);
            assert_int_equal(got->barriers, blocks * cost->barriers);
            assert_int_equal(got->global_atomic_requests, 0);
            uint64_t bytes = (uint64_t)(n * n) * 4;
            assert_true(bench.result.memory.dram_read_bytes >= bytes);
            assert_true(bench.result.memory.dram_write_bytes >= bytes);
            if (!cost->is_toy)
                assert_int_equal(bench.result.memory.l2_write_bytes, rows * cost->store[1] * 32);
        }
}

/* Counted by hand, for 3 warps of 32, 32 and 6 threads. Both paths of warp 1's branch count. */
static const char counted_text[] =
    ".version 7.8\n.target sm_80\n.address_size 64\n"
    ".visible .entry k(.param .u64 po, .param .u64 pi, .param .u32 n)\n{\n.reg .pred %p;\n"
    ".reg .b32 %r<4>;\n.reg .b64 %d<4>;\n"
    "mov.u32 %r1, %tid.x;\n"
    "ld.param.u32 %r2, [n];\n"
    "mul.wide.u32 %d1, %r1, 4;\n"
    "setp.lt.u32 %p, %r1, %r2;\n"
    "@%p bra LOW;\n"
    "mov.b64 {%r2, %r3}, %d1;\n" /* 2: warps 1 and 2 */
    "bra END;\n"
    "LOW: mov.u32 %r3, 1;\n"      /* 2: warps 0 and 1 */
    "END: add.u32 %r3, %r3, 1;\n" /* 3: after reconvergence */
    "@!%p add.u32 %r3, %r3, 1;\n" /* 3: even if no lane is active */
    "ret;\n}\n";

static void test_instructions(void **state)
{
    (void)state;
    static const uint64_t executed[11] = {3, 3, 3, 3, 3, 2, 2, 2, 3, 3, 3};
    struct bench counted;
    bench_parse(&counted, counted_text, strlen(counted_text), "counted.ptx");
    bench_arrays(&counted, 64, 64, 10);
    struct bench_launch launch = {
        .kernel = "k", .block = {70, 1, 1}, .n = 40, .device = &h200, .grid = {5, 1, 1}};
    bench_expect_good(&counted, bench_run(&counted, &launch), "k");
    uint64_t sum = 0;
    assert_int_equal(counted.instructions, 11);
    for (int i = 0; i < 11; i++) {
        assert_int_equal(counted.stats[i].executed, 5 * executed[i]);
        sum += 5 * executed[i];
    }
    assert_int_equal(counted.result.counters.warp_instructions, sum);
    bench_close(&counted);
}

/* Only loads with different lane addresses count: 16 and 4 words, in one 64-byte line per block. */
static void test_constant_memory(void **state)
{
    (void)state;
    static const char text[] =
        ".version 8.0\n.target sm_90\n.address_size 64\n.const .align 4 .b8 table[256];\n"
        ".visible .entry k(.param .u64 a, .param .u64 b, .param .u32 c, .param .u32 d)\n{\n"
        ".reg .b32 %r<9>;\n.reg .b64 %rd<9>;\nmov.u64 %rd1, table;\nmov.u32 %r1, %tid.x;\n"
        "shr.u32 %r2, %r1, 1;\nmul.wide.u32 %rd2, %r2, 4;\nadd.u64 %rd2, %rd1, %rd2;\n"
        "ld.const.u32 %r3, [%rd2];\nand.b32 %r2, %r1, 3;\nmul.wide.u32 %rd2, %r2, 4;\n"
        "add.u64 %rd2, %rd1, %rd2;\nld.const.u8 %r3, [%rd2+1];\n"
        "ld.const.u32 %r3, [%rd1+20];\nret;\n}\n";
    struct bench counted;
    bench_parse(&counted, text, strlen(text), "constants.ptx");
    bench_arrays(&counted, 64, 64, 10);
    struct bench_launch launch = {
        .kernel = "k", .block = {32, 1, 1}, .n = 40, .device = &h200, .grid = {3, 1, 1}};
    bench_expect_good(&counted, bench_run(&counted, &launch), "k");
    assert_int_equal(counted.result.counters.constant_words, 3 * (16 + 4));
    assert_int_equal(counted.result.counters.constant_lines, 3);
    bench_close(&counted);
}

static void expect_sums(void)
{
    const struct counters *counters = &bench.result.counters;
    struct instruction_stats sum = {0};
    for (uint64_t i = 0; i < bench.instructions; i++) {
        sum.executed += bench.stats[i].executed;
        sum.requests += bench.stats[i].requests;
        sum.sectors += bench.stats[i].sectors;
        sum.wavefronts += bench.stats[i].wavefronts;
        sum.ideal += bench.stats[i].ideal;
    }
    assert_int_equal(sum.executed, counters->warp_instructions);
    assert_int_equal(sum.requests,
                     counters->global_load_requests + counters->global_store_requests +
                         counters->shared_load_requests + counters->shared_store_requests +
                         counters->global_atomic_requests + counters->shared_atomic_requests);
    assert_int_equal(sum.sectors, counters->global_load_sectors + counters->global_store_sectors +
                                      counters->global_atomic_sectors);
    assert_int_equal(sum.wavefronts, counters->shared_load_wavefronts +
                                         counters->shared_store_wavefronts +
                                         counters->shared_atomic_wavefronts);
    assert_int_equal(sum.ideal, counters->shared_load_ideal_wavefronts +
                                    counters->shared_store_ideal_wavefronts +
                                    counters->shared_atomic_requests);
}

static void expect_same(const struct emulator_result *a, const struct emulator_result *b,
                        const struct instruction_stats *stats)
{
    assert_memory_equal(&a->counters, &b->counters, sizeof a->counters);
    assert_int_equal(a->memory.l2_read_bytes, b->memory.l2_read_bytes);
    assert_int_equal(a->memory.l2_write_bytes, b->memory.l2_write_bytes);
    assert_int_equal(a->memory.dram_read_bytes, b->memory.dram_read_bytes);
    assert_int_equal(a->memory.dram_write_bytes, b->memory.dram_write_bytes);
    assert_int_equal(a->memory.lines, b->memory.lines);
    assert_int_equal(a->memory.l2_transactions, b->memory.l2_transactions);
    assert_int_equal(a->memory.l2_store_transactions, b->memory.l2_store_transactions);
    assert_int_equal(a->memory.dram_flush_bytes, b->memory.dram_flush_bytes);
    assert_true(a->memory.busiest_partition_bytes == b->memory.busiest_partition_bytes);
    assert_true(a->memory.partition_imbalance == b->memory.partition_imbalance);
    assert_true(a->memory.atomics_us == b->memory.atomics_us);
    assert_true(a->timing.time_us == b->timing.time_us);
    assert_int_equal(a->timing.bound, b->timing.bound);
    assert_memory_equal(stats, bench.stats, bench.instructions * sizeof *stats);
}

static void test_workers(void **state)
{
    (void)state;
    static const struct {
        const char *kernel;
        bool is_tile, is_toy;
        int n;
        uint32_t blocks;
    } runs[] = {
        {"k_transpose_naive", true, false, 160, 0}, {"k_transpose_naive", true, true, 96, 0},
        {"k_transpose_tiled", true, false, 480, 0}, /* 225 blocks are work for 200 workers. */
        {"k_transpose_tiled", true, true, 96, 0},   {"k_transpose_padded", true, false, 96, 0},
        {"k_loops", false, false, 40, 40},          {"k_recursion", false, false, 9, 40},
        {"k_local_array", false, true, 7, 40},      {"k_barriers", false, false, 3, 40},
        {"k_atomics", false, false, 3, 40},         {"k_relay", false, false, 3, 6},
    };
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        struct emulator_result first = {0};
        struct instruction_stats *stats = NULL;
        int *out = NULL;
        size_t count = runs[i].is_tile ? (size_t)(runs[i].n * runs[i].n) : 64 * 60;
        static const unsigned worker_counts[] = {1, 2, 5, 3, 65, 200};
        const size_t worker_count = THREAD_SANITIZED ? 3 : 6; /* there, threads cost much time */
        for (size_t w = 0; w < worker_count; w++) {
            unsigned workers = worker_counts[w];
            uint32_t tiles = (uint32_t)runs[i].n / 32;
            bench_arrays(&bench, count, count, 1000);
            struct bench_launch launch = {
                .kernel = runs[i].kernel,
                .grid = runs[i].is_tile ? (struct dimensions){tiles, tiles, 1}
                                        : (struct dimensions){runs[i].blocks, 1, 1},
                .block =
                    runs[i].is_tile ? (struct dimensions){32, 8, 1} : (struct dimensions){64, 1, 1},
                .n = runs[i].n,
                .device = runs[i].is_toy ? &toy : &h200,
                .workers = workers,
                .model_memory = true,
            };
            bench_expect_good(&bench, bench_run(&bench, &launch), runs[i].kernel);
            expect_sums();
            if (!stats) {
                first = bench.result;
                stats = bench.stats;
                bench.stats = NULL;
                out = bench.out;
                bench.out = NULL;
                continue;
            }
            expect_same(&first, &bench.result, stats);
            assert_memory_equal(out, bench.out, count * sizeof *out);
            bench_arrays(&bench, count, count, 1000);
            launch.mode = LAUNCH_COMPUTE;
            launch.model_memory = false;
            bench_expect_good(&bench, bench_run(&bench, &launch), runs[i].kernel);
            assert_memory_equal(out, bench.out, count * sizeof *out);
            assert_int_equal(first.counters.warp_instructions,
                             bench.result.counters.warp_instructions);
            assert_int_equal(bench.result.counters.global_load_requests, 0);
        }
        free(stats);
        free(out);
    }
}

/* Every second sector of each line hits in the L1, so the remaining sectors form more runs. */
static const char split_text[] =
    ".version 7.8\n.target sm_80\n.address_size 64\n"
    ".visible .entry k(.param .u64 po, .param .u64 pi, .param .u32 n)\n{\n.reg .pred %p<3>;\n"
    ".reg .b32 %r<8>;\n.reg .b64 %d<8>;\n"
    "ld.param.u64 %d1, [pi];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\n"
    "mul.wide.u32 %d2, %r1, 4;\nadd.s64 %d1, %d1, %d2;\nmul.wide.u32 %d2, %r2, 16384;\n"
    "add.s64 %d1, %d1, %d2;\nand.b32 %r3, %r1, 8;\nsetp.eq.u32 %p1, %r3, 8;\nmov.u32 %r4, 0;\n"
    "FIRST: @%p1 ld.global.u32 %r5, [%d1];\nld.global.u32 %r5, [%d1];\nadd.s64 %d1, %d1, 128;\n"
    "add.u32 %r4, %r4, 1;\nsetp.lt.u32 %p2, %r4, 128;\n@%p2 bra FIRST;\nret;\n}\n";

static void test_growing_traces(void **state)
{
    (void)state;
    struct device small = h200;
    small.multiprocessors = 1;
    small.max_blocks_per_sm = 2;
    struct bench split;
    bench_parse(&split, split_text, strlen(split_text), "split.ptx");
    bench_arrays(&split, 64, 4096 * 8, 10);
    struct bench_launch launch = {.kernel = "k",
                                  .grid = {8, 1, 1},
                                  .block = {32, 1, 1},
                                  .device = &small,
                                  .workers = 2,
                                  .model_memory = true};
    bench_expect_good(&split, bench_run(&split, &launch), "k");
    /* Each sector of 8 blocks x 128 lines x 4 sectors comes from the L2 once. */
    assert_int_equal(split.result.memory.l2_read_bytes, 8 * 128 * 128);
    assert_int_equal(split.result.counters.global_load_sectors, 8 * 128 * (2 + 4));
    bench_close(&split);
}

/* Any number of workers reports the failure of block 3, after the output of blocks 0 to 3. */
static const char late_text[] =
    ".version 7.8\n.target sm_80\n.address_size 64\n.extern .func (.param .b32 r) vprintf"
    "(.param .b64 a, .param .b64 b);\n"
    ".global .align 1 .b8 format[10] = {98, 108, 111, 99, 107, 32, 37, 100, 10, 0};\n"
    ".visible .entry k(.param .u64 po, .param .u64 pi, .param .u32 n)\n{\n.reg .pred %p;\n"
    ".reg .b32 %r<4>;\n.reg .b64 %d<4>;\n.local .align 8 .b8 stack[8];\n"
    "mov.u32 %r1, %ctaid.x;\nst.local.u32 [stack], %r1;\nmov.u64 %d1, stack;\n"
    "cvta.local.u64 %d1, %d1;\nmov.u64 %d2, format;\ncvta.global.u64 %d2, %d2;\n"
    "{\n.param .b64 a0;\n.param .b64 a1;\n.param .b32 r0;\nst.param.b64 [a0], %d2;\n"
    "st.param.b64 [a1], %d1;\ncall.uni (r0), vprintf, (a0, a1);\n}\n"
    "setp.ge.u32 %p, %r1, 3;\n@%p trap;\nret;\n}\n";

static void test_late_fault(void **state)
{
    (void)state;
    struct bench late;
    bench_parse(&late, late_text, strlen(late_text), "late.ptx");
    bench_arrays(&late, 64, 64, 10);
    for (unsigned workers = 1; workers <= 5; workers++) {
        char printed[256];
        FILE *output = tmpfile();
        assert_non_null(output);
        struct bench_launch launch = {.kernel = "k",
                                      .grid = {200, 1, 1},
                                      .block = {1, 1, 1},
                                      .device = &h200,
                                      .workers = workers,
                                      .model_memory = true,
                                      .output = output};
        bool good = bench_run(&late, &launch);
        bench_expect_failure(&late, good, STATUS_LAUNCH_ERROR,
                             (const char *[]){"block (3, 0, 0)", "trap", NULL});
        rewind(output);
        printed[fread(printed, 1, sizeof printed - 1, output)] = 0;
        fclose(output);
        assert_string_equal(printed, "block 0\nblock 1\nblock 2\nblock 3\n");
    }
    bench_close(&late);
}

static void test_grid_budget(void **state)
{
    (void)state;
    struct ptx_module module;
    struct guest_memory memory;
    struct program program;
    struct failure failure = {0};
    memory_init(&memory);
    assert_true(ptx_parse(limited_text, strlen(limited_text), "limits.ptx", &module, &failure));
    assert_true(program_create(&module, &memory, &program, &failure));
    struct emulator_launch launch = {.program = &program,
                                     .function = program_find_entry(&program, "plain"),
                                     .grid = {2147483647, 65535, 1},
                                     .block = {32, 1, 1},
                                     .memory = &memory,
                                     .device = &h200,
                                     .workers = 2,
                                     .grid_budget = 20000000};
    struct emulator_result result;
    assert_false(emulator_run(&launch, &result, &failure));
    assert_int_equal(failure.status, STATUS_TIMEOUT);
    free(result.stats);
    program_free(&program);
    memory_free(&memory);
    ptx_module_free(&module);
}

/* A loop of 3 n warp instructions. If `%s` is an atomic operation, blocks run in turns. */
static const char looping_text[] =
    ".version 7.8\n.target sm_80\n.address_size 64\n"
    ".visible .entry k(.param .u64 po, .param .u64 pi, .param .u32 n)\n{\n.reg .pred %%p;\n"
    ".reg .b32 %%r<4>;\n.reg .b64 %%d;\nld.param.u64 %%d, [po];\nld.param.u32 %%r3, [n];\n%s\n"
    "mov.u32 %%r1, 0;\nL:\nadd.u32 %%r1, %%r1, 1;\nsetp.lt.u32 %%p, %%r1, %%r3;\n"
    "@%%p bra L;\nret;\n}\n";

static void open_looping(struct bench *looping, bool in_turns)
{
    char text[1024];
    snprintf(text, sizeof text, looping_text, in_turns ? "atom.global.add.u32 %r2, [%d], 1;" : "");
    bench_parse(looping, text, strlen(text), "looping.ptx");
    bench_arrays(looping, 64, 64, 10);
}

/* A launch with a single worker, or with blocks that run in turns, must stop within a wave. */
static void test_grid_budget_within_a_wave(void **state)
{
    (void)state;
    for (int in_turns = 0; in_turns < 2; in_turns++) {
        struct bench looping;
        open_looping(&looping, in_turns);
        struct bench_launch launch = {.kernel = "k",
                                      .grid = {2000, 1, 1},
                                      .block = {1, 1, 1},
                                      .n = 1000,
                                      .device = &h200,
                                      .workers = 1,
                                      .grid_budget = 100000};
        bool good = bench_run(&looping, &launch);
        bench_expect_failure(
            &looping, good, STATUS_TIMEOUT,
            (const char *[]){"still running after 10", " warp instructions of ", NULL});
        assert_true(looping.result.counters.warp_instructions < 110000);
        launch.grid_budget = 10000000;
        bench_expect_good(&looping, bench_run(&looping, &launch), "k");
        bench_close(&looping);
    }
}

static void test_grid_budget_of_a_block(void **state)
{
    (void)state;
    struct bench looping;
    open_looping(&looping, false);
    struct bench_launch launch = {.kernel = "k",
                                  .grid = {1, 1, 1},
                                  .block = {1, 1, 1},
                                  .n = 1000000000,
                                  .device = &h200,
                                  .workers = 2,
                                  .grid_budget = 100000};
    bool good = bench_run(&looping, &launch);
    bench_expect_failure(&looping, good, STATUS_TIMEOUT,
                         (const char *[]){"after 100000 warp instructions of its block", NULL});
    bench_close(&looping);
}

/* Block b stores the special registers that identify the device to out[8 * b + i]. */
static const char telling_text[] =
    ".version 7.8\n.target sm_80\n.address_size 64\n"
    ".visible .entry tell(.param .u64 out, .param .u64 in, .param .u32 n)\n{\n"
    ".reg .u64 %a;\n.reg .u32 %r<12>;\n.shared .b8 box[64];\n"
    "ld.param.u64 %a, [out];\nmov.u32 %r0, %ctaid.x;\nmul.lo.u32 %r1, %r0, 32;\n"
    "cvt.u64.u32 %a, %r1;\n.reg .u64 %b;\nld.param.u64 %b, [out];\nadd.u64 %a, %a, %b;\n"
    "mov.u32 %r2, %nsmid;\nst.global.u32 [%a], %r2;\n"
    "mov.u32 %r3, %smid;\nst.global.u32 [%a+4], %r3;\n"
    "mov.u32 %r4, %warpid;\nmov.u32 %r5, %nwarpid;\nadd.u32 %r4, %r4, %r5;\n"
    "st.global.u32 [%a+8], %r4;\n"
    "mov.u32 %r6, %total_smem_size;\nmov.u32 %r7, %dynamic_smem_size;\nadd.u32 %r6, %r6, %r7;\n"
    "st.global.u32 [%a+12], %r6;\n"
    "mov.u32 %r8, %clock;\nst.global.u32 [%a+16], %r8;\n"
    "mov.u32 %r9, %globaltimer_lo;\nst.global.u32 [%a+20], %r9;\n"
    "mov.u32 %r10, %envreg3;\nst.global.u32 [%a+24], %r10;\n"
    "cvt.u32.u64 %r11, %b;\nst.global.u32 [%a+28], %r11;\nret;\n}\n"
    /* The blocks divide the work by the number of SMs. The result is correct on any device. */
    ".visible .entry persistent(.param .u64 out, .param .u64 in, .param .u32 n)\n{\n"
    ".reg .u64 %a, %b;\n.reg .u32 %r<6>;\n.reg .pred %p;\n"
    "ld.param.u64 %a, [out];\nmov.u32 %r0, %ctaid.x;\nmov.u32 %r1, %nsmid;\nld.param.u32 %r2, "
    "[n];\n"
    "setp.ge.u32 %p, %r0, %r1;\n@%p ret;\n"
    "NEXT:\nsetp.ge.u32 %p, %r0, %r2;\n@%p ret;\n"
    "mul.wide.u32 %b, %r0, 4;\nadd.u64 %b, %a, %b;\nadd.u32 %r3, %r0, 1;\n"
    "st.global.u32 [%b], %r3;\nadd.u32 %r0, %r0, %r1;\nbra NEXT;\n}\n";

static void test_anonymous(void **state)
{
    (void)state;
    static const char *const names[] = {"h200", "a100", "gtx280", "8800gtx", "rtx3070"};
    enum { BLOCKS = 300, WORDS = 8 * BLOCKS };
    static int first[WORDS];
    unsigned reported = 0;
    struct bench own;
    bench_parse(&own, telling_text, strlen(telling_text), "tell");
    for (unsigned d = 0; d < sizeof names / sizeof *names; d++) {
        struct device device;
        bench_device(names[d], &device);
        device.compute_capability = 90; /* Older devices lack some of the registers. */
        struct bench_launch launch = {
            .kernel = "tell", .grid = {BLOCKS, 1, 1}, .block = {1, 1, 1}, .device = &device};
        bench_arrays(&own, WORDS, 64, 2);
        bench_expect_good(&own, bench_run(&own, &launch), "tell");
        assert_int_equal(own.out[0], device.multiprocessors);
        reported += d && memcmp(first, own.out, sizeof first) != 0;
        launch.is_anonymous = true;
        bench_expect_good(&own, bench_run(&own, &launch), "tell");
        if (d)
            assert_memory_equal(first, own.out, sizeof first);
        memcpy(first, own.out, sizeof first);
        launch.kernel = "persistent";
        launch.n = WORDS;
        bench_expect_good(&own, bench_run(&own, &launch), "persistent");
        for (int i = 0; i < WORDS; i++)
            assert_int_equal(own.out[i], i + 1);
    }
    assert_int_equal(reported, 4);
    bench_close(&own);
}

/* Only the instructions of a kernel and of its callees determine the required capability. */
static void test_capability(void **state)
{
    (void)state;
    static const char text[] =
        ".version 8.0\n.target sm_80\n.address_size 64\n"
        ".func sleep()\n{\nnanosleep.u32 1;\nret;\n}\n"
        ".func unused()\n{\n.reg .b32 %r<3>;\nredux.sync.add.s32 %r1, %r2, -1;\nret;\n}\n"
        ".visible .entry plain(.param .u64 out, .param .u64 in, .param .u32 n)\n{\nret;\n}\n"
        ".visible .entry sleeps(.param .u64 out, .param .u64 in, .param .u32 n)\n{\n"
        "call sleep;\nret;\n}\n"
        ".visible .entry shuffles(.param .u64 out, .param .u64 in, .param .u32 n)\n{\n"
        ".reg .b32 %r<3>;\nmov.u32 %r1, 0;\nshfl.sync.down.b32 %r1, %r1, 1, 31, -1;\nret;\n}\n";
    static const struct {
        const char *device, *kernel, *wanted;
    } cases[] = {
        {"h200", "plain", NULL},       {"h200", "sleeps", NULL},       {"h200", "shuffles", NULL},
        {"8800gtx", "plain", NULL},    {"gtx280", "plain", NULL},      {"gtx280", "sleeps", "7.0"},
        {"gtx280", "shuffles", "3.0"}, {"8800gtx", "shuffles", "3.0"}, {"toy", "shuffles", NULL},
    };
    struct bench own;
    bench_parse(&own, text, strlen(text), "capability");
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct device device;
        bench_device(cases[i].device, &device);
        bench_arrays(&own, 64, 64, 2);
        bool good =
            bench_run(&own, &(struct bench_launch){.kernel = cases[i].kernel, .device = &device});
        const char *parts[] = {cases[i].wanted, device.title, NULL};
        if (cases[i].wanted)
            bench_expect_failure(&own, good, STATUS_UNSUPPORTED, parts);
        else
            bench_expect_good(&own, good, cases[i].kernel);
    }
    bench_close(&own);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_anonymous),
        cmocka_unit_test(test_capability),
        cmocka_unit_test(test_grid_budget_within_a_wave),
        cmocka_unit_test(test_grid_budget_of_a_block),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_counters),
        cmocka_unit_test(test_instructions),
        cmocka_unit_test(test_constant_memory),
        cmocka_unit_test(test_workers),
        cmocka_unit_test(test_growing_traces),
        cmocka_unit_test(test_late_fault),
        cmocka_unit_test(test_grid_budget),
    };
    return cmocka_run_group_tests(tests, open_module, close_module);
}
