/* Tests of timing.c against hardware: microbenchmarks of testdata/timing_h200.csv, kernels on an
 * H200, and the GTX 280 of the 2010 paper. Accesses are computed from indices. timing_test.sh tests
 * the compiled labs.
 * check: whole
 */
#include "emulator/time/timing.h"
#include "emulator/traces_test.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct device h200, gtx280, g80;

static int read_devices(void **state)
{
    (void)state;
    struct failure failure = {0};
    if (!device_find("profiler/devices", "h200", &h200, &failure) ||
        !device_find("profiler/devices", "gtx280", &gtx280, &failure) ||
        !device_find("profiler/devices", "8800gtx", &g80, &failure)) {
        print_error("%s\n", failure.text);
        return -1;
    }
    return 0;
}

static void assert_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance * expected)) {
        print_error("%g is not within %g %% of %g\n", value, 100 * tolerance, expected);
        fail();
    }
}

struct measured {
    char what[16], form[32];
    unsigned a, resident;
    double bytes, us;
};

static FILE *measured_open(void)
{
    FILE *file = fopen("profiler/emulator/testdata/timing_h200.csv", "r");
    if (!file)
        fail_msg("cannot read timing_h200.csv: run the tests in the repository's root");
    return file;
}

static bool measured_next(FILE *file, const char *what, struct measured *m)
{
    char line[256];
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "%15[^,],%31[^,],%u,%u,%lf,%lf", m->what, m->form, &m->a, &m->resident,
                   &m->bytes, &m->us) == 6 &&
            strcmp(m->what, what) == 0)
            return true;
    return false;
}

/* Results of a test. After a bad row, the tests continue, so that they print all rows. */
struct judgement {
    unsigned rows, bad;
    double worst;
};

static void judge(struct judgement *judgement, const char *name, double modelled, double measured,
                  double tolerance)
{
    double deviation = modelled / measured - 1;
    judgement->rows++;
    judgement->worst = fmax(judgement->worst, fabs(deviation));
    if (fabs(deviation) <= tolerance)
        return;
    judgement->bad++;
    print_error("%s: %g modelled, %g measured: %+.1f %%, allowed: %.0f %%\n", name, modelled,
                measured, 100 * deviation, 100 * tolerance);
}

static void judge_all(const struct judgement *judgement, unsigned rows, const char *name)
{
    print_message("%s: %u rows, the largest deviation is %.1f %%\n", name, judgement->rows,
                  100 * judgement->worst);
    assert_int_equal(judgement->rows, rows);
    assert_int_equal(judgement->bad, 0);
}

/* Returns the traffic of a copy of bytes / 2 bytes. The L2 retains the last writes. */
static struct memory_counts whole_line_counts(const struct device *device, double bytes)
{
    double half = bytes / 2, retained = fmin(half, (double)device->l2_bytes / 2);
    return (struct memory_counts){
        .l2_read_bytes = (uint64_t)half,
        .l2_write_bytes = (uint64_t)half,
        .dram_read_bytes = (uint64_t)half,
        .dram_write_bytes = (uint64_t)half,
        .dram_flush_bytes = (uint64_t)retained,
        .busiest_partition_bytes = bytes,
        .partition_imbalance = 1,
        .lines = (uint64_t)(bytes / 128),
        .l2_transactions = (uint64_t)(bytes / 128),
        .l2_store_transactions = (uint64_t)(half / 128),
        .has_l2 = true,
    };
}

/* A thread has 1 to 8 loads of 4, 8 or 16 bytes, in flight together (restrict) or in sequence. The
 * issue of the loads, which takes time with one or two blocks, is not modelled. */
static void test_h200_copies(void **state)
{
    (void)state;
    struct judgement judgement = {0};
    struct measured m;
    FILE *file = measured_open();
    while (measured_next(file, "copy", &m)) {
        bool in_turn = strncmp(m.form, "in_turn", 7) == 0;
        const char *digits = strpbrk(m.form, "0123456789");
        assert_non_null(digits);
        double width = strtod(digits, NULL);
        double blocks = m.bytes / 2 / width / 256 / m.a;
        struct counters counters = {0};
        struct memory_counts memory = whole_line_counts(&h200, m.bytes);
        struct timing_input input = {
            .blocks = (uint64_t)blocks,
            .threads_per_block = 256,
            .resident_blocks = m.resident,
            .launches = 1,
            .code.load_rounds = (uint64_t)(blocks * 8 * (in_turn ? m.a : 1)),
            .code.issue_slots = (uint64_t)(blocks * 8 * (8 + 6 * m.a)),
            .scatter = SCATTER_NONE,
            .counters = &counters,
            .memory = &memory,
        };
        char name[64];
        snprintf(name, sizeof name, "%s, %u resident", m.form, m.resident);
        judge(&judgement, name, timing_estimate(&h200, &input).time_us, m.us,
              m.resident < 4 ? 0.22 : 0.10);
    }
    fclose(file);
    judge_all(&judgement, 70, "h200, copies");
}

enum { THREADS_OF_WAVE = 132 * 2048, WAVE = 132 * 8, TILE_RUNS = 256 };

/* Set *x and *y to the tile of a block, as in profiler/hardware/calibrate/benchmarks.cu. */
static void tile_of(const char *order, uint64_t block, uint64_t across, uint64_t *x, uint64_t *y)
{
    uint64_t bx = block % across, by = block / across;
    *x = bx, *y = by;
    if (strcmp(order, "swapped") == 0)
        *x = by, *y = bx;
    else if (strcmp(order, "diagonal") == 0)
        *x = (bx + by) % across, *y = bx;
    else if (strncmp(order, "squares", 7) == 0) {
        uint64_t side = strtoul(order + 7, NULL, 10), square = block / (side * side);
        uint64_t inside = block % (side * side);
        *x = square % (across / side) * side + inside % side;
        *y = square / (across / side) * side + inside / side;
    }
}

static void tile_row(struct trace *trace, uint64_t address, uint64_t side, enum access_kind kind)
{
    for (uint64_t line = 0; line < side / 32; line++)
        trace->runs[trace->count++] = run_make(address + line * 128, 128, kind, true);
}

static struct scatter tile_scatter(uint64_t n, uint64_t side, const char *order, bool is_copy)
{
    uint64_t across = n / side, pitch = n * 4, blocks = across * across;
    uint64_t wave = THREADS_OF_WAVE / (side * 8);
    struct pieces *pieces = pieces_create(&h200, 1);
    struct trace *traces = calloc(WAVE, sizeof *traces);
    trace_run *runs = calloc(WAVE * TILE_RUNS, sizeof *runs);
    assert_true(pieces && traces && runs);
    for (uint64_t first = 0; first < blocks; first += wave) {
        size_t count = blocks - first < wave ? blocks - first : wave;
        for (size_t i = 0; i < count; i++) {
            uint64_t x, y;
            tile_of(order, first + i, across, &x, &y);
            uint64_t here = y * side * pitch + x * side * 4,
                     there = x * side * pitch + y * side * 4;
            traces[i] = (struct trace){.runs = runs + i * TILE_RUNS, .capacity = TILE_RUNS};
            for (uint64_t row = 0; row < side; row++)
                tile_row(&traces[i], TRACE_INPUT + here + row * pitch, side, ACCESS_LOAD);
            for (uint64_t row = 0; row < side; row++)
                tile_row(&traces[i], TRACE_OUTPUT + (is_copy ? here : there) + row * pitch, side,
                         ACCESS_STORE);
        }
        assert_true(pieces_add(pieces, 0, traces, count));
    }
    struct scatter scatter = pieces_scatter(pieces);
    free(runs);
    free(traces);
    pieces_free(pieces);
    return scatter;
}

static void judge_tiles(const char *what, uint64_t side, unsigned rows)
{
    struct judgement judgement = {0};
    struct measured m;
    FILE *file = measured_open();
    while (measured_next(file, what, &m)) {
        bool is_copy = strncmp(m.form, "copy", 4) == 0;
        const char *order = strchr(m.form, '_') + 1;
        uint64_t blocks = (uint64_t)m.a / side * (m.a / side), accesses = blocks * side * side / 32;
        uint64_t warps = blocks * side / 4;
        struct counters counters = {
            .barriers = warps,
            .shared_load_wavefronts = accesses,
            .shared_load_ideal_wavefronts = accesses,
            .shared_store_wavefronts = accesses,
            .shared_store_ideal_wavefronts = accesses,
        };
        struct memory_counts memory = whole_line_counts(&h200, m.bytes);
        struct timing_input input = {
            .blocks = blocks,
            .threads_per_block = (unsigned)side * 8,
            .resident_blocks = m.resident,
            .launches = 1,
            .code.load_rounds = warps,
            .code.barrier_waits = warps,
            .code.issue_slots = accesses * 25,
            .scatter = tile_scatter(m.a, side, order, is_copy),
            .counters = &counters,
            .memory = &memory,
        };
        char name[64];
        snprintf(name, sizeof name, "%s, %s, %u, %u resident", what, m.form, m.a, m.resident);
        /* The square order delays every block by the division of indices, which is not modelled.
         * Orders of tiles have the largest effect in the largest matrix: up to 18 %. */
        judge(&judgement, name, timing_estimate(&h200, &input).time_us, m.us,
              strncmp(order, "squares", 7) == 0 ? 0.13
              : m.a == 16384                    ? 0.07
                                                : 0.10);
    }
    fclose(file);
    judge_all(&judgement, rows, what);
}

static void test_h200_tiles(void **state)
{
    (void)state;
    judge_tiles("tiles", 32, 56);
    judge_tiles("tiles64", 64, 12);
}

/* Pieces of 4 KiB are permuted within spans of 2 to 512 MiB. */
static void test_h200_pages(void **state)
{
    (void)state;
    struct judgement judgement = {0};
    struct measured m;
    double alone = 0;
    FILE *file = measured_open();
    while (measured_next(file, "pieces", &m))
        if (strcmp(m.form, "neither") == 0)
            alone = m.us;
    rewind(file);
    while (measured_next(file, "pages", &m)) {
        double pages = fmin(m.a / 2.0, 241); /* Each page contains one piece of a window. */
        bool reads = strcmp(m.form, "writes") != 0, writes = strcmp(m.form, "reads") != 0;
        struct counters counters = {0};
        struct memory_counts memory = whole_line_counts(&h200, m.bytes);
        struct timing_input input = {.blocks = 1,
                                     .launches = 1,
                                     .scatter = SCATTER_NONE,
                                     .counters = &counters,
                                     .memory = &memory};
        double plain = timing_estimate(&h200, &input).bound_us[BOUND_DRAM];
        input.scatter.pages[0] = reads ? fmax(2, pages) : 2;
        input.scatter.pages[1] = writes ? fmax(2, pages) : 2;
        char name[64];
        snprintf(name, sizeof name, "%s within %u MB", m.form, m.a);
        judge(&judgement, name, timing_estimate(&h200, &input).bound_us[BOUND_DRAM] / plain,
              m.us / alone, 0.025);
    }
    fclose(file);
    judge_all(&judgement, 15, "h200, pages");
}

/* When a copy ends, the L2 holds dirty lines: all bytes of a small output, and 22 to 25 MB of
 * 268 MB (docs/results/h200/course_8192.csv, dram_write_bytes). */
static void test_h200_keeps_output(void **state)
{
    (void)state;
    struct counters counters = {0};
    struct memory_counts memory;
    struct transpose_launch launch = {.device = &h200,
                                      .kernel = TRACE_COPY,
                                      .n = 1024,
                                      .tile_rows = 32,
                                      .resident_blocks = 8,
                                      .parts = 1};
    assert_true(transpose_feed(&launch, &counters, &memory));
    assert_int_equal(memory.dram_flush_bytes, 1024 * 1024 * 4);
    launch.n = 8192;
    assert_true(transpose_feed(&launch, &counters, &memory));
    print_message("the L2 of h200 holds %.1f MB\n", (double)memory.dram_flush_bytes / 1e6);
    assert_in_range(memory.dram_flush_bytes, 20e6, 35e6);
}

#define N 8192.0

struct h200_case {
    const char *name;
    double elements_per_block;
    unsigned threads, resident;
    double bytes_per_access;
    double load_lines, store_lines;
    double l2_load_lines;     /* Share of load_lines that misses the L1. */
    double shared_wavefronts; /* Number of wavefronts of a load. A store has one wavefront. */
    bool barriers;
    double dram_mb, gbps, tolerance;
};

static const struct h200_case h200_cases[] = {
    {"copy 4 B", 256, 256, 8, 4, 1, 1, 1, 0, false, 536.9, 2764, 0.05},
    {"copy 8 B", 512, 256, 8, 8, 2, 2, 1, 0, false, 536.9, 3908, 0.15},
    {"copy 16 B", 1024, 256, 8, 16, 4, 4, 1, 0, false, 536.9, 4280, 0.03},
    {"padded", 1024, 256, 8, 4, 1, 1, 1, 1, true, 536.9, 3622, 0.10},
    {"padded 64x64", 4096, 512, 4, 4, 1, 1, 1, 1, true, 536.9, 3930, 0.10},
    {"tiled", 1024, 256, 8, 4, 1, 1, 1, 32, true, 536.9, 1626, 0.15},
    {"naive 32x8", 256, 256, 8, 4, 1, 32, 1, 0, false, 642, 492, 0.05},
    {"naive 32x32", 1024, 1024, 2, 4, 1, 32, 1, 0, false, 642, 557, 0.15},
    /* Rows share sectors. Loads of a sector that is in flight cost more than in the model. */
    {"write-coalesced", 256, 256, 8, 4, 32, 1, 0.125, 0, false, 536.9, 1321, 0.35},
};

static const struct h200_case *h200_find(const char *name)
{
    for (unsigned i = 0; i < sizeof h200_cases / sizeof *h200_cases; i++)
        if (strcmp(h200_cases[i].name, name) == 0)
            return &h200_cases[i];
    return NULL;
}

static struct timing h200_estimate(const struct h200_case *c, struct counters *counters,
                                   struct memory_counts *memory, struct timing_input *input)
{
    double accesses = N * N * 4 / (c->bytes_per_access * LANES);
    *counters = (struct counters){
        .global_load_requests = (uint64_t)accesses,
        .global_store_requests = (uint64_t)accesses,
        .barriers = c->barriers,
    };
    if (c->shared_wavefronts > 0) {
        counters->shared_load_requests = counters->shared_store_requests = (uint64_t)accesses;
        counters->shared_load_ideal_wavefronts = (uint64_t)accesses;
        counters->shared_store_ideal_wavefronts = (uint64_t)accesses;
        counters->shared_load_wavefronts = (uint64_t)(accesses * c->shared_wavefronts);
        counters->shared_store_wavefronts = (uint64_t)accesses;
    }
    *memory = (struct memory_counts){
        .l2_read_bytes = (uint64_t)(N * N * 4),
        .l2_write_bytes = (uint64_t)(accesses * c->store_lines * 32),
        .dram_read_bytes = (uint64_t)(c->dram_mb * 5e5),
        .dram_write_bytes = (uint64_t)(c->dram_mb * 5e5),
        .dram_flush_bytes = h200.l2_bytes / 2,
        .partition_imbalance = 1.15,
        .busiest_partition_bytes = c->dram_mb * 1.07e6,
        .lines = (uint64_t)(accesses * (c->load_lines + c->store_lines)),
        .l2_transactions =
            (uint64_t)(accesses * (c->load_lines * c->l2_load_lines + c->store_lines)),
        .l2_store_transactions = (uint64_t)(accesses * c->store_lines),
        .has_l2 = true,
    };
    *input = (struct timing_input){
        .blocks = (uint64_t)(N * N / c->elements_per_block),
        .threads_per_block = c->threads,
        .resident_blocks = c->resident,
        .launches = 1,
        .code.load_rounds = (uint64_t)(N * N / c->elements_per_block * c->threads / LANES),
        .code.barrier_waits =
            c->barriers ? (uint64_t)(N * N / c->elements_per_block * c->threads / LANES) : 0,
        .scatter = SCATTER_NONE,
        .code.issue_slots = (uint64_t)(accesses * 30),
        .counters = counters,
        .memory = memory,
    };
    return timing_estimate(&h200, input);
}

static double h200_gbps(const struct h200_case *c, struct timing *timing)
{
    struct counters counters;
    struct memory_counts memory;
    struct timing_input input;
    *timing = h200_estimate(c, &counters, &memory, &input);
    return N * N * 8 / (timing->time_us * 1e3);
}

static void test_h200_as_measured(void **state)
{
    (void)state;
    struct judgement judgement = {0};
    for (unsigned i = 0; i < sizeof h200_cases / sizeof *h200_cases; i++) {
        const struct h200_case *c = &h200_cases[i];
        struct timing timing;
        double gbps = h200_gbps(c, &timing);
        print_message("h200 %-16s %5.0f GB/s modelled, %5.0f measured (%+.0f %%), %s\n", c->name,
                      gbps, c->gbps, 100 * (gbps / c->gbps - 1), bound_name(timing.bound));
        judge(&judgement, c->name, gbps, c->gbps, c->tolerance);
    }
    judge_all(&judgement, sizeof h200_cases / sizeof *h200_cases, "h200, kernels");
}

static void test_h200_bounds(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum bound bound;
    } expected[] = {
        {"copy 4 B", BOUND_LATENCY}, {"copy 16 B", BOUND_DRAM}, {"padded", BOUND_DRAM},
        {"tiled", BOUND_SHARED},     {"naive 32x8", BOUND_L2},  {"write-coalesced", BOUND_LSU},
    };
    for (unsigned i = 0; i < sizeof expected / sizeof *expected; i++) {
        struct timing timing;
        h200_gbps(h200_find(expected[i].name), &timing);
        assert_int_equal(timing.bound, expected[i].bound);
    }
}

static void test_explanations(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text;
    } expected[] = {
        {"tiled", "limited by shared-memory wavefronts: 31.0 bank conflicts per load request "
                  "(32-way), 0.0 per store request"},
        {"naive 32x8", "limited by traffic with the L2: 16.5 transactions per global access of a "
                       "warp, 2415.9 MB in total"},
        {"write-coalesced", "limited by the load/store pipe: 16.5 lines per global access of a "
                            "warp"},
        {"copy 4 B", "limited by the start of blocks: 262144 blocks of 256 threads. Use larger "
                     "blocks, or more work per thread"},
    };
    for (unsigned i = 0; i < sizeof expected / sizeof *expected; i++) {
        struct counters counters;
        struct memory_counts memory;
        struct timing_input input;
        char text[256];
        struct timing timing =
            h200_estimate(h200_find(expected[i].name), &counters, &memory, &input);
        bound_explain(&timing, &input, &h200, text, sizeof text);
        assert_string_equal(text, expected[i].text);
    }
}

struct gtx_kernel {
    enum transpose_kernel kernel;
    unsigned shared_wavefronts; /* Wavefronts of a load (a store has two). 0 without a tile. */
    unsigned slots;
    uint64_t pad_columns;
};

static struct timing gtx_estimate(const struct device *device, const struct gtx_kernel *kernel,
                                  struct memory_counts *memory)
{
    bool has_tile = kernel->shared_wavefronts > 0;
    struct counters counters = {0};
    struct transpose_launch launch = {
        .device = device,
        .kernel = kernel->kernel,
        .n = 2048,
        .tile_rows = 32,
        .resident_blocks = device_resident_blocks(device, 256, has_tile ? 4224 : 0, 0),
        .parts = 1,
        .pad_columns = kernel->pad_columns,
    };
    assert_true(transpose_feed(&launch, &counters, memory));
    uint64_t loads = counters.global_load_requests, warps = transpose_blocks(&launch) * TRACE_WARPS;
    if (has_tile) {
        counters.barriers = warps;
        counters.shared_load_wavefronts = loads * kernel->shared_wavefronts;
        counters.shared_load_ideal_wavefronts = counters.shared_store_wavefronts =
            counters.shared_store_ideal_wavefronts = loads * 2;
    }
    struct timing_input input = {
        .blocks = transpose_blocks(&launch),
        .threads_per_block = 256,
        .resident_blocks = launch.resident_blocks,
        .launches = 1,
        .code.load_rounds = has_tile ? warps : loads,
        .code.barrier_waits = has_tile ? warps : 0,
        .code.issue_slots = 2 * loads * kernel->slots,
        .scatter = SCATTER_NONE,
        .counters = &counters,
        .memory = memory,
    };
    return timing_estimate(device, &input);
}

static double gtx280_us(struct gtx_kernel kernel, struct memory_counts *memory)
{
    return gtx_estimate(&gtx280, &kernel, memory).time_us;
}

static const struct gtx280_case {
    const char *name;
    struct gtx_kernel kernel;
    double gibps;
} gtx280_cases[] = {
    {"copy", {TRACE_COPY, 0, 7, 0}, 96.9},
    {"copy_shared", {TRACE_COPY, 2, 10, 0}, 80.9},
    {"naive", {TRACE_NAIVE, 0, 7, 0}, 2.2},
    {"coalesced", {TRACE_TILED, 32, 14, 0}, 16.5},
    {"padded", {TRACE_TILED, 2, 14, 0}, 16.6},
    {"fine_grained", {TRACE_COPY, 2, 11, 0}, 80.4},
    {"coarse_grained", {TRACE_TILED, 2, 12, 0}, 16.7},
    {"diagonal", {TRACE_DIAGONAL, 2, 15, 0}, 69.5},
};

static void test_gtx280_as_published(void **state)
{
    (void)state;
    struct judgement judgement = {0};
    for (unsigned i = 0; i < sizeof gtx280_cases / sizeof *gtx280_cases; i++) {
        const struct gtx280_case *c = &gtx280_cases[i];
        struct memory_counts memory;
        struct timing timing = gtx_estimate(&gtx280, &c->kernel, &memory);
        double gibps = 2048.0 * 2048 * 8 / (timing.time_us * 1e-6) / (1 << 30);
        print_message("gtx280 %-14s %5.1f GiB/s modelled, %5.1f published (%+.0f %%), %s, "
                      "imbalance %.1f\n",
                      c->name, gibps, c->gibps, 100 * (gibps / c->gibps - 1),
                      bound_name(timing.bound), memory.partition_imbalance);
        judge(&judgement, c->name, gibps, c->gibps, 0.15);
    }
    judge_all(&judgement, 8, "gtx280");
}

/* Without padding, a kernel takes much longer, unless there is partition camping. */
static void test_gtx280_diagonal_without_padding(void **state)
{
    (void)state;
    struct memory_counts memory;
    assert_true(gtx280_us((struct gtx_kernel){TRACE_DIAGONAL, 32, 15, 0}, &memory) >
                1.25 * gtx280_us((struct gtx_kernel){TRACE_DIAGONAL, 2, 15, 0}, &memory));
    assert_near(gtx280_us((struct gtx_kernel){TRACE_TILED, 32, 14, 0}, &memory),
                gtx280_us((struct gtx_kernel){TRACE_TILED, 2, 14, 0}, &memory), 0.02);
}

/* 64 additional columns, which are one partition wide, have the same effect as diagonal order. */
static void test_gtx280_wider_pitch(void **state)
{
    (void)state;
    struct memory_counts camping, wider;
    double us = gtx280_us((struct gtx_kernel){TRACE_TILED, 2, 14, 0}, &camping);
    assert_true(gtx280_us((struct gtx_kernel){TRACE_TILED, 2, 14, 64}, &wider) < us / 4);
    assert_true(camping.partition_imbalance == 8);
    assert_true(wider.partition_imbalance < 4);
}

static void test_gtx280_swapped_indices(void **state)
{
    (void)state;
    struct memory_counts plain, swapped;
    double us = gtx280_us((struct gtx_kernel){TRACE_TILED, 2, 14, 0}, &plain);
    assert_near(gtx280_us((struct gtx_kernel){TRACE_SWAPPED, 2, 14, 0}, &swapped), us, 0.05);
    assert_near(swapped.partition_imbalance, plain.partition_imbalance, 0.05);
}

/* With six partitions, camping is weaker: a row is 32 partitions wide, which is 2 modulo 6. */
static void test_8800gtx_camps_less(void **state)
{
    (void)state;
    static const struct gtx_kernel copy = {TRACE_COPY, 2, 10, 0}, padded = {TRACE_TILED, 2, 14, 0};
    struct memory_counts even, camping;
    double us = gtx_estimate(&g80, &copy, &even).time_us;
    assert_true(even.partition_imbalance < 1.2);
    assert_true(gtx_estimate(&g80, &padded, &camping).time_us < 1.5 * us);
    assert_true(camping.partition_imbalance < 2.1);
    us = gtx280_us(copy, &even);
    assert_true(gtx280_us(padded, &camping) > 4 * us);
    assert_true(camping.partition_imbalance == 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_h200_copies),
        cmocka_unit_test(test_h200_tiles),
        cmocka_unit_test(test_h200_pages),
        cmocka_unit_test(test_h200_keeps_output),
        cmocka_unit_test(test_h200_as_measured),
        cmocka_unit_test(test_h200_bounds),
        cmocka_unit_test(test_explanations),
        cmocka_unit_test(test_gtx280_as_published),
        cmocka_unit_test(test_gtx280_diagonal_without_padding),
        cmocka_unit_test(test_gtx280_wider_pitch),
        cmocka_unit_test(test_gtx280_swapped_indices),
        cmocka_unit_test(test_8800gtx_camps_less),
    };
    return cmocka_run_group_tests(tests, read_devices, NULL);
}
