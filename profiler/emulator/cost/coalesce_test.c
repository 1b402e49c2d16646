/* Tests of coalesce.c against cases derived by hand, examples of the CUDA Programming Guide, and
 * measurements. A slow implementation of the rules, one byte at a time, checks random patterns. */
#include "emulator/cost/coalesce.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#define DEVICES "profiler/devices"
#define BASE 0x200000000ull

enum { ALL = ~0u };

static struct device h200, gtx280, g80, toy;

static int read_devices(void **state)
{
    (void)state;
    struct failure failure = {0};
    if (!device_find(DEVICES, "h200", &h200, &failure) ||
        !device_find(DEVICES, "gtx280", &gtx280, &failure) ||
        !device_find(DEVICES, "toy", &toy, &failure)) {
        print_error("%s\n", failure.text);
        return -1;
    }
    g80 = gtx280;
    g80.compute_capability = 10;
    g80.coalescing = COALESCE_STRICT;
    return 0;
}

struct pattern {
    uint64_t address[LANES];
};

/* Lane l accesses base + (l % width) * step + (l / width) * row. */
static struct pattern block_pattern(uint64_t base, unsigned width, int64_t step, int64_t row)
{
    struct pattern pattern;
    for (unsigned l = 0; l < LANES; l++)
        pattern.address[l] =
            base + (uint64_t)((int64_t)(l % width) * step) + (uint64_t)((int64_t)(l / width) * row);
    return pattern;
}

static struct pattern line_pattern(uint64_t base, int64_t step)
{
    return block_pattern(base, LANES, step, 0);
}

static uint64_t random_state = 88172645463325252ull;

static unsigned random_below(unsigned bound)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (unsigned)(random_state >> 33) % bound;
}

struct answer {
    unsigned count, sectors;
    trace_run runs[COALESCE_MAX_RUNS];
};

static struct answer coalesce(const struct device *device, const struct pattern *pattern,
                              unsigned bytes, uint32_t mask)
{
    struct answer answer;
    struct warp_access access = {.mask = mask, .bytes = bytes, .address = pattern->address};
    answer.count = coalesce_global(device, &access, ACCESS_LOAD, answer.runs, &answer.sectors);
    return answer;
}

static bool find_halves(const struct pattern *pattern, unsigned bytes, uint32_t mask,
                        enum half_pattern halves[2])
{
    for (unsigned half = 0; half < 2; half++) {
        const uint64_t *lanes = pattern->address + half * LANES / 2;
        unsigned consecutive = 0, same = 0;
        for (unsigned l = 1; l < LANES / 2; l++) {
            consecutive += lanes[l] == lanes[l - 1] + bytes;
            same += lanes[l] == lanes[0];
        }
        if (mask != ALL || (consecutive < LANES / 2 - 1 && same < LANES / 2 - 1))
            return false;
        halves[half] = same ? HALF_AT_ONCE : HALF_IN_ROW;
    }
    return true;
}

static struct pattern only_halves(const struct pattern *pattern)
{
    struct pattern rest;
    memset(&rest, 0xa5, sizeof rest);
    rest.address[0] = pattern->address[0];
    rest.address[LANES / 2] = pattern->address[LANES / 2];
    return rest;
}

static void assert_run(trace_run r, uint64_t address, unsigned length, bool first)
{
    assert_int_equal(run_address(r), address);
    assert_int_equal(run_length(r), length);
    assert_int_equal(run_first(r), first);
    assert_int_equal(run_kind(r), ACCESS_LOAD);
}

static struct bank_count banks(const struct device *device, const struct pattern *pattern,
                               unsigned bytes, uint32_t mask)
{
    struct warp_access access = {.mask = mask, .bytes = bytes, .address = pattern->address};
    return banks_shared(device, &access);
}

static void assert_banks(struct bank_count count, unsigned wavefronts, unsigned ideal)
{
    assert_int_equal(count.wavefronts, wavefronts);
    assert_int_equal(count.ideal, ideal);
}

static void test_run_fields(void **state)
{
    (void)state;
    trace_run r = run_make(0xfffffffff80ull, 128, ACCESS_ATOMIC, true);
    assert_int_equal(run_address(r), 0xfffffffff80ull);
    assert_int_equal(run_length(r), 128);
    assert_int_equal(run_kind(r), ACCESS_ATOMIC);
    assert_true(run_first(r));
    r = run_with_kind(r, ACCESS_DROPPED);
    assert_int_equal(run_kind(r), ACCESS_DROPPED);
    assert_int_equal(run_length(r), 128);
    assert_true(run_first(r));
    assert_false(run_first(run_make(1, 1, ACCESS_LOAD, false)));
}

static void test_coalesced_access_is_one_run(void **state)
{
    (void)state;
    struct pattern pattern = line_pattern(BASE, 4);
    struct answer answer = coalesce(&h200, &pattern, 4, ALL);
    assert_int_equal(answer.count, 1);
    assert_int_equal(answer.sectors, 4);
    assert_run(answer.runs[0], BASE, 128, true);
}

static void test_wide_accesses_fill_several_lines(void **state)
{
    (void)state;
    struct pattern pattern = line_pattern(BASE, 8);
    struct answer answer = coalesce(&h200, &pattern, 8, ALL);
    assert_int_equal(answer.count, 2);
    assert_int_equal(answer.sectors, 8);
    pattern = line_pattern(BASE, 16);
    answer = coalesce(&h200, &pattern, 16, ALL);
    assert_int_equal(answer.count, 4);
    assert_int_equal(answer.sectors, 16);
    for (unsigned i = 0; i < 4; i++)
        assert_run(answer.runs[i], BASE + 128 * i, 128, i == 0);
}

static void test_misaligned_access(void **state)
{
    (void)state;
    struct pattern pattern = line_pattern(BASE + 4, 4);
    struct answer answer = coalesce(&h200, &pattern, 4, ALL);
    assert_int_equal(answer.count, 2);
    assert_int_equal(answer.sectors, 5);
    assert_run(answer.runs[0], BASE + 4, 124, true);
    assert_run(answer.runs[1], BASE + 128, 4, false);
}

static void test_misaligned_wide_access(void **state)
{
    (void)state;
    struct pattern pattern = line_pattern(BASE + 8, 8);
    struct answer answer = coalesce(&h200, &pattern, 8, ALL);
    assert_int_equal(answer.sectors, 9);
    assert_int_equal(answer.count, 3);
    assert_run(answer.runs[1], BASE + 128, 128, false);
}

static void test_reversed_lanes_are_one_run(void **state)
{
    (void)state;
    struct pattern pattern = line_pattern(BASE + 124, -4);
    struct answer answer = coalesce(&h200, &pattern, 4, ALL);
    assert_int_equal(answer.count, 1);
    assert_int_equal(answer.sectors, 4);
    assert_run(answer.runs[0], BASE, 128, true);
}

static void test_broadcast_is_one_access(void **state)
{
    (void)state;
    struct pattern pattern = line_pattern(BASE + 64, 0);
    struct answer answer = coalesce(&h200, &pattern, 4, ALL);
    assert_int_equal(answer.count, 1);
    assert_int_equal(answer.sectors, 1);
    assert_run(answer.runs[0], BASE + 64, 4, true);
}

static void test_stride_two_leaves_holes(void **state)
{
    (void)state;
    struct pattern pattern = line_pattern(BASE, 8);
    struct answer answer = coalesce(&h200, &pattern, 4, ALL);
    assert_int_equal(answer.count, 32);
    assert_int_equal(answer.sectors, 8);
    assert_run(answer.runs[31], BASE + 248, 4, false);
}

static void test_lanes_in_lines_of_their_own(void **state)
{
    (void)state;
    static const int64_t steps[] = {128, 132 * 4, 16384, -128, -16384};
    for (unsigned i = 0; i < sizeof steps / sizeof *steps; i++) {
        struct pattern pattern = line_pattern(BASE + (1 << 20), steps[i]);
        struct answer answer = coalesce(&h200, &pattern, 16, ALL);
        assert_int_equal(answer.count, 32);
        assert_int_equal(answer.sectors, 32);
        for (unsigned l = 0; l < LANES; l++)
            assert_run(answer.runs[l], pattern.address[l], 16, l == 0);
    }
}

static void test_columns(void **state)
{
    (void)state;
    static const int64_t steps[] = {128, 132 * 4, 16384, 1 << 30, -128, 64, 0};
    for (unsigned i = 0; i < sizeof steps / sizeof *steps; i++)
        for (unsigned bytes = 1; bytes <= 16; bytes *= 2) {
            struct pattern pattern = line_pattern(BASE + (1 << 20) + 16, steps[i]);
            struct warp_access access = {
                .mask = ALL, .bytes = bytes, .is_store = true, .address = pattern.address};
            trace_run runs[COALESCE_MAX_RUNS], column[COLUMN_WORDS], retained[LANES];
            unsigned sectors;
            assert_int_equal(coalesce_column(&h200, &access, column), steps[i] >= 128);
            if (steps[i] < 128)
                continue;
            assert_int_equal(coalesce_global(&h200, &access, ACCESS_STORE, runs, &sectors), LANES);
            assert_int_equal(sectors, LANES);
            column_to_runs(column, retained);
            assert_memory_equal(retained, runs, sizeof runs);
            assert_true(run_first(column[0]) && !run_first(column[1]));
            access.mask = ALL >> 1;
            assert_false(coalesce_column(&h200, &access, column));
            access.mask = ALL;
            pattern.address[17] += 4096;
            assert_false(coalesce_column(&h200, &access, column));
        }
}

static void test_partial_warp(void **state)
{
    (void)state;
    struct pattern pattern = line_pattern(BASE, 4);
    struct answer answer = coalesce(&h200, &pattern, 4, 0x1ff);
    assert_int_equal(answer.count, 1);
    assert_int_equal(answer.sectors, 2);
    assert_run(answer.runs[0], BASE, 36, true);
    answer = coalesce(&h200, &pattern, 4, 0xf0000001);
    assert_int_equal(answer.count, 2);
    assert_int_equal(answer.sectors, 2);
    assert_run(answer.runs[1], BASE + 112, 16, false);
}

static void test_no_lanes_no_runs(void **state)
{
    (void)state;
    struct pattern pattern = line_pattern(BASE, 4);
    assert_int_equal(coalesce(&h200, &pattern, 4, 0).count, 0);
    assert_int_equal(coalesce(&gtx280, &pattern, 4, 0).count, 0);
    assert_int_equal(coalesce(&g80, &pattern, 4, 0).count, 0);
}

static uint64_t naive_store_sectors(unsigned n, unsigned block_x, unsigned block_y,
                                    uint64_t *requests)
{
    uint64_t sectors = 0;
    unsigned rows = LANES / block_x;
    *requests = 0;
    for (unsigned x = 0; x < n; x += block_x)
        for (unsigned y = 0; y < n; y += block_y)
            for (unsigned ty = 0; ty < block_y; ty += rows) {
                uint64_t base = BASE + ((uint64_t)x * n + y + ty) * 4;
                struct pattern pattern = block_pattern(base, block_x, 4 * (int64_t)n, 4);
                sectors += coalesce(&h200, &pattern, 4, ALL).sectors;
                ++*requests;
            }
    return sectors;
}

/* Nsight Compute counted 2 097 152 store sectors at 2048 x 2048 with 16x16 blocks. */
static void test_naive_16x16_as_measured(void **state)
{
    (void)state;
    uint64_t requests;
    assert_int_equal(naive_store_sectors(2048, 16, 16, &requests), 2097152);
    assert_int_equal(requests, 131072);
}

static void test_naive_32x8_as_measured(void **state)
{
    (void)state;
    uint64_t requests;
    assert_int_equal(naive_store_sectors(4096, 32, 8, &requests), 16777216);
    assert_int_equal(requests, 524288);
}

/* A toy device: warps of 4 lanes, lines of 4 floats, an 8x8 matrix. */

static unsigned toy_transactions(const unsigned indices[4])
{
    struct pattern pattern;
    memset(&pattern, 0, sizeof pattern);
    for (unsigned l = 0; l < 4; l++)
        pattern.address[l] = BASE + 4 * indices[l];
    struct answer answer = coalesce(&toy, &pattern, 4, 0xf);
    assert_int_equal(answer.sectors, answer.count);
    return answer.count;
}

static void test_toy_row_program(void **state)
{
    (void)state;
    unsigned loads = 0, stores = 0;
    for (unsigned warp = 0; warp < 4; warp++) {
        unsigned load[4], store[4];
        for (unsigned l = 0; l < 4; l++) {
            load[l] = 4 * warp + l;
            store[l] = load[l] % 8 * 8 + load[l] / 8;
        }
        loads += toy_transactions(load);
        stores += toy_transactions(store);
    }
    assert_int_equal(loads, 4);
    assert_int_equal(stores, 16);
}

static void test_toy_tiled_program(void **state)
{
    (void)state;
    unsigned loads = 0, stores = 0;
    for (unsigned row = 0; row < 4; row++) {
        unsigned load[4] = {8 * row + 4, 8 * row + 5, 8 * row + 6, 8 * row + 7};
        unsigned store[4] = {32 + 8 * row, 33 + 8 * row, 34 + 8 * row, 35 + 8 * row};
        loads += toy_transactions(load);
        stores += toy_transactions(store);
    }
    assert_int_equal(loads, 4);
    assert_int_equal(stores, 4);
}

static void test_toy_banks(void **state)
{
    (void)state;
    struct pattern pattern = line_pattern(0, 4);
    assert_banks(banks(&toy, &pattern, 4, 0xf), 1, 1);
    pattern = line_pattern(0, 16);
    assert_banks(banks(&toy, &pattern, 4, 0xf), 4, 1);
    pattern = line_pattern(0, 20); /* A column of a padded tile. */
    assert_banks(banks(&toy, &pattern, 4, 0xf), 1, 1);
}

/* CC 1.x: CUDA Programming Guide 3.x, G.3.2. */

static void test_cc13_coalesced(void **state)
{
    (void)state;
    struct pattern pattern = line_pattern(BASE, 4);
    struct answer answer = coalesce(&gtx280, &pattern, 4, ALL);
    assert_int_equal(answer.count, 2);
    assert_int_equal(answer.sectors, 2);
    assert_run(answer.runs[0], BASE, 64, true);
    assert_run(answer.runs[1], BASE + 64, 64, false);
}

/* 16 floats from byte 4 of a 128-byte segment use both halves of the segment: one transaction of
 * 128 bytes. 16 floats from byte 96: one transaction of 32 bytes in each of two segments. */
static void test_cc13_misaligned(void **state)
{
    (void)state;
    struct pattern pattern = line_pattern(BASE + 4, 4);
    struct answer answer = coalesce(&gtx280, &pattern, 4, 0xffff);
    assert_int_equal(answer.count, 1);
    assert_run(answer.runs[0], BASE, 128, true);
    pattern = line_pattern(BASE + 96, 4);
    answer = coalesce(&gtx280, &pattern, 4, 0xffff);
    assert_int_equal(answer.count, 2);
    assert_run(answer.runs[0], BASE + 96, 32, true);
    assert_run(answer.runs[1], BASE + 128, 32, false);
}

static void test_cc13_segment_sizes(void **state)
{
    (void)state;
    struct pattern pattern = line_pattern(BASE, 1);
    struct answer answer = coalesce(&gtx280, &pattern, 1, 0xffff);
    assert_int_equal(answer.count, 1);
    assert_run(answer.runs[0], BASE, 32, true);
    pattern = line_pattern(BASE, 2);
    answer = coalesce(&gtx280, &pattern, 2, 0xffff);
    assert_run(answer.runs[0], BASE, 32, true);
    pattern = line_pattern(BASE + 16, 2);
    answer = coalesce(&gtx280, &pattern, 2, 0xffff);
    assert_int_equal(answer.count, 1);
    assert_run(answer.runs[0], BASE, 64, true);
    pattern = line_pattern(BASE, 8);
    answer = coalesce(&gtx280, &pattern, 8, 0xffff);
    assert_int_equal(answer.count, 1);
    assert_run(answer.runs[0], BASE, 128, true);
    pattern = line_pattern(BASE, 16);
    answer = coalesce(&gtx280, &pattern, 16, 0xffff);
    assert_int_equal(answer.count, 2);
    assert_run(answer.runs[1], BASE + 128, 128, false);
}

static void test_cc13_scattered(void **state)
{
    (void)state;
    struct pattern pattern = line_pattern(BASE + 36, 8192);
    struct answer answer = coalesce(&gtx280, &pattern, 4, ALL);
    assert_int_equal(answer.count, 32);
    assert_int_equal(answer.sectors, 32);
    assert_run(answer.runs[31], BASE + 32 + 31 * 8192, 32, false);
}

static void test_cc13_any_order_in_a_segment(void **state)
{
    (void)state;
    struct pattern pattern = line_pattern(BASE + 60, -4);
    struct answer answer = coalesce(&gtx280, &pattern, 4, 0xffff);
    assert_int_equal(answer.count, 1);
    assert_run(answer.runs[0], BASE, 64, true);
}

static void test_cc10_in_sequence(void **state)
{
    (void)state;
    struct pattern pattern = line_pattern(BASE, 4);
    struct answer answer = coalesce(&g80, &pattern, 4, 0xffff & ~8u);
    assert_int_equal(answer.count, 1);
    assert_run(answer.runs[0], BASE, 64, true);
    pattern = line_pattern(BASE, 8);
    answer = coalesce(&g80, &pattern, 8, 0xffff);
    assert_int_equal(answer.count, 1);
    assert_run(answer.runs[0], BASE, 128, true);
    pattern = line_pattern(BASE, 16);
    answer = coalesce(&g80, &pattern, 16, 0xffff);
    assert_int_equal(answer.count, 2);
    assert_run(answer.runs[1], BASE + 128, 128, false);
}

static void test_cc10_out_of_sequence(void **state)
{
    (void)state;
    struct pattern pattern = line_pattern(BASE + 4, 4);
    assert_int_equal(coalesce(&g80, &pattern, 4, 0xffff).count, 16);
    pattern = line_pattern(BASE + 60, -4);
    assert_int_equal(coalesce(&g80, &pattern, 4, 0xffff).count, 16);
    pattern = line_pattern(BASE, 2);
    assert_int_equal(coalesce(&g80, &pattern, 2, ALL).count, 32);
    pattern = line_pattern(BASE + 36, 0);
    struct answer answer = coalesce(&g80, &pattern, 4, 3);
    assert_int_equal(answer.count, 2);
    assert_run(answer.runs[1], BASE + 32, 32, false);
}

static void test_tile_columns(void **state)
{
    (void)state;
    struct pattern pattern = line_pattern(0, 128);
    assert_banks(banks(&h200, &pattern, 4, ALL), 32, 1);
    pattern = line_pattern(0, 132);
    assert_banks(banks(&h200, &pattern, 4, ALL), 1, 1);
    pattern = line_pattern(0, 4);
    assert_banks(banks(&h200, &pattern, 4, ALL), 1, 1);
}

/* Stores to tile[x][y] of float tile[16][16] by 16x16 blocks: a half-warp uses only two banks. */
static void test_16_wide_tile_stores_conflict_8_way(void **state)
{
    (void)state;
    struct pattern pattern = block_pattern(0, 16, 64, 4);
    assert_banks(banks(&h200, &pattern, 4, ALL), 8, 1);
}

static void test_broadcast_and_strides(void **state)
{
    (void)state;
    struct pattern pattern = line_pattern(64, 0);
    assert_banks(banks(&h200, &pattern, 4, ALL), 1, 1);
    pattern = line_pattern(0, 8);
    assert_banks(banks(&h200, &pattern, 4, ALL), 2, 1);
    pattern = line_pattern(0, 12);
    assert_banks(banks(&h200, &pattern, 4, ALL), 1, 1);
    pattern = line_pattern(4096, -16);
    assert_banks(banks(&h200, &pattern, 4, ALL), 4, 1);
    pattern = block_pattern(0, 4, 0, 4); /* Four lanes per word. */
    assert_banks(banks(&h200, &pattern, 4, ALL), 1, 1);
    pattern = line_pattern(0, 1); /* Bytes: four lanes per word. */
    assert_banks(banks(&h200, &pattern, 1, ALL), 1, 1);
    pattern = line_pattern(0, 2);
    assert_banks(banks(&h200, &pattern, 2, ALL), 1, 1);
}

/* In a column of float4 tile[32][8], the 8 lanes of a quarter-warp start at the same bank. */
static void test_wide_words(void **state)
{
    (void)state;
    struct pattern pattern = line_pattern(0, 16);
    assert_banks(banks(&h200, &pattern, 16, ALL), 4, 4);
    pattern = line_pattern(0, 128);
    assert_banks(banks(&h200, &pattern, 16, ALL), 32, 4);
    pattern = line_pattern(0, 8);
    assert_banks(banks(&h200, &pattern, 8, ALL), 2, 2);
    pattern = line_pattern(0, 16);
    assert_banks(banks(&h200, &pattern, 8, ALL), 4, 2);
}

static void test_idle_phases_cost_nothing(void **state)
{
    (void)state;
    struct pattern pattern = line_pattern(0, 16);
    assert_banks(banks(&h200, &pattern, 16, 0xff), 1, 1);
    assert_banks(banks(&h200, &pattern, 16, 0x00ff0001), 2, 2);
    assert_banks(banks(&h200, &pattern, 8, 0xffff0000), 2, 1);
    assert_banks(banks(&h200, &pattern, 4, 1), 1, 1);
    assert_banks(banks(&h200, &pattern, 4, 0), 1, 1);
}

/* As in "Optimizing Matrix Transpose in CUDA" (2010): 16-way conflicts, which padding removes. */
static void test_cc13_half_warps(void **state)
{
    (void)state;
    struct pattern pattern = line_pattern(0, 4);
    assert_banks(banks(&gtx280, &pattern, 4, ALL), 2, 2);
    pattern = line_pattern(0, 128);
    assert_banks(banks(&gtx280, &pattern, 4, ALL), 32, 2);
    pattern = line_pattern(0, 132);
    assert_banks(banks(&gtx280, &pattern, 4, ALL), 2, 2);
    assert_banks(banks(&gtx280, &pattern, 4, 0xffff), 1, 1);
}

enum { SPACE = 4096 };

static struct answer slow_coalesce(const struct device *device, const struct pattern *pattern,
                                   unsigned bytes, uint32_t mask)
{
    static bool touched[SPACE], sector[SPACE];
    struct answer answer = {0};
    memset(touched, 0, sizeof touched);
    memset(sector, 0, sizeof sector);
    for (unsigned l = 0; l < LANES; l++)
        for (unsigned b = 0; (mask >> l & 1) && b < bytes; b++) {
            uint64_t at = pattern->address[l] + b - BASE;
            touched[at] = true;
            sector[at / device->sector_bytes] = true;
        }
    for (unsigned i = 0; i < SPACE; i++)
        answer.sectors += sector[i];
    for (unsigned l = 0; l < LANES; l++) {
        if (!(mask >> l & 1))
            continue;
        uint64_t line = (pattern->address[l] - BASE) & ~(device->line_bytes - 1);
        for (uint64_t at = line; at < line + device->line_bytes; at++) {
            uint64_t end = at;
            while (end < line + device->line_bytes && touched[end])
                touched[end++] = false;
            if (end > at) {
                answer.runs[answer.count] =
                    run_make(BASE + at, (unsigned)(end - at), ACCESS_LOAD, answer.count == 0);
                answer.count++;
            }
        }
    }
    return answer;
}

static bool asks_in_pairs(const struct pattern *pattern, uint32_t mask)
{
    for (unsigned distance = 1; distance <= 2; distance++) {
        unsigned disagreeing = 0;
        for (unsigned l = 0; l < LANES; l++)
            for (unsigned m = 0; m < LANES; m++)
                disagreeing += (l ^ m) == distance && (mask >> l & 1) && (mask >> m & 1) &&
                               pattern->address[l] != pattern->address[m];
        if (!disagreeing)
            return true;
    }
    return false;
}

static struct bank_count slow_banks(const struct device *device, const struct pattern *pattern,
                                    unsigned bytes, uint32_t mask)
{
    struct bank_count count = {0, 0};
    unsigned served = (unsigned)device->shared_lanes * 4 / (bytes > 4 ? bytes : 4);
    if (bytes > 4 && device->shared_lanes == LANES && asks_in_pairs(pattern, mask))
        served *= 2;
    for (unsigned start = 0; start < LANES; start += served) {
        unsigned most = 0;
        for (unsigned bank = 0; bank < device->shared_banks; bank++) {
            static bool wanted[SPACE / 4];
            unsigned words = 0;
            memset(wanted, 0, sizeof wanted);
            for (unsigned l = start; l < start + served; l++)
                for (unsigned b = 0; (mask >> l & 1) && b < bytes; b++)
                    wanted[(pattern->address[l] + b - BASE) / 4] = true;
            for (unsigned word = bank; word < SPACE / 4; word += (unsigned)device->shared_banks)
                words += wanted[word];
            most = words > most ? words : most;
        }
        count.wavefronts += most;
        count.ideal += most > 0;
    }
    return count.ideal > 0 ? count : (struct bank_count){1, 1};
}

static struct pattern random_pattern(unsigned bytes, unsigned lanes, uint32_t *mask)
{
    struct pattern pattern;
    unsigned items = SPACE / bytes, kind = random_below(6);
    unsigned width = 1u << random_below(6), step = random_below(40), row = random_below(80);
    unsigned first = random_below(items), few = 1 + random_below(64), flip = random_below(32);
    for (unsigned l = 0; l < LANES; l++) {
        unsigned i = l ^ flip;
        unsigned item = kind == 0   ? random_below(items)
                        : kind == 1 ? first + random_below(few)
                        : kind == 2 ? first + i
                        : kind == 3 ? first + (LANES - 1 - l) * step
                                    : first + l % width * step + l / width * row;
        pattern.address[l] = BASE + item % items * bytes;
    }
    *mask = random_below(3) ? ALL : (uint32_t)(random_state >> 20);
    if (random_below(4) == 0)
        *mask &= (uint32_t)random_state >> random_below(32);
    if (lanes < LANES)
        *mask &= (1u << lanes) - 1;
    return pattern;
}

static void compare_runs(const struct device *device, unsigned rounds)
{
    for (unsigned round = 0; round < rounds; round++) {
        uint32_t mask;
        unsigned bytes = 1u << random_below(5);
        struct pattern pattern = random_pattern(bytes, (unsigned)device->warp_lanes, &mask);
        struct answer fast = coalesce(device, &pattern, bytes, mask);
        struct answer slow = slow_coalesce(device, &pattern, bytes, mask);
        assert_int_equal(fast.sectors, slow.sectors);
        assert_int_equal(fast.count, slow.count);
        if (fast.count > 0)
            assert_memory_equal(fast.runs, slow.runs, fast.count * sizeof(trace_run));
    }
}

static void test_coalescing_against_slow_rules(void **state)
{
    (void)state;
    compare_runs(&h200, 40000);
    compare_runs(&toy, 20000);
}

static void compare_banks(const struct device *device, unsigned rounds)
{
    for (unsigned round = 0; round < rounds; round++) {
        uint32_t mask;
        unsigned bytes = 1u << random_below(5);
        struct pattern pattern = random_pattern(bytes, (unsigned)device->warp_lanes, &mask);
        struct bank_count slow = slow_banks(device, &pattern, bytes, mask);
        assert_banks(banks(device, &pattern, bytes, mask), slow.wavefronts, slow.ideal);
    }
}

static void test_banks_against_slow_rules(void **state)
{
    (void)state;
    compare_banks(&h200, 6000);
    compare_banks(&gtx280, 5000);
    compare_banks(&toy, 5000);
}

static void test_halves_against_slow_rules(void **state)
{
    (void)state;
    unsigned merged = 0, conflicts = 0;
    for (unsigned round = 0; round < 40000; round++) {
        unsigned bytes = 4u << random_below(2), items = SPACE / bytes - LANES;
        unsigned first = random_below(items), near = random_below(2) ? 70 : items, is_row[2];
        struct pattern pattern;
        struct warp_access access = {.mask = ALL, .bytes = bytes, .is_store = random_below(2)};
        for (unsigned half = 0; half < 2; half++) {
            unsigned at = half ? (first + random_below(near)) % items : first;
            is_row[half] = random_below(2);
            if (half && random_below(4) == 0)
                at = first + (is_row[0] ? LANES / 2 : 0);
            for (unsigned l = 0; l < LANES / 2; l++)
                pattern.address[half * LANES / 2 + l] = BASE + (at + l * is_row[half]) * bytes;
        }
        assert_true(find_halves(&pattern, bytes, ALL, access.halves));
        struct pattern rest = only_halves(&pattern);
        access.address = rest.address;
        struct answer fast, slow = slow_coalesce(&h200, &pattern, bytes, ALL);
        fast.count = coalesce_global(&h200, &access, ACCESS_LOAD, fast.runs, &fast.sectors);
        assert_int_equal(fast.sectors, slow.sectors);
        assert_int_equal(fast.count, slow.count);
        assert_memory_equal(fast.runs, slow.runs, fast.count * sizeof(trace_run));
        struct bank_count count = banks_shared(&h200, &access), whole;
        access.address = pattern.address;
        access.halves[0] = access.halves[1] = HALF_OTHER;
        whole = banks_shared(&h200, &access);
        assert_banks(count, whole.wavefronts, whole.ideal);
        merged += bytes == 8 && count.ideal == 1;
        conflicts += count.wavefronts > count.ideal;
    }
    assert_true(merged > 1000 && conflicts > 1000);
}

static void test_segments_cover_the_accesses(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 20000; round++) {
        uint32_t mask;
        unsigned bytes = 1u << random_below(5);
        struct pattern pattern = random_pattern(bytes, LANES, &mask);
        mask &= 0xffff;
        struct answer answer = coalesce(&gtx280, &pattern, bytes, mask);
        assert_int_equal(answer.sectors, answer.count);
        uint64_t used = 0;
        for (unsigned i = 0; i < answer.count; i++) {
            uint64_t start = run_address(answer.runs[i]);
            unsigned length = run_length(answer.runs[i]), inside = 0;
            assert_true(length == 32 || length == 64 || length == 128);
            assert_int_equal(start % length, 0);
            for (unsigned l = 0; l < 16; l++)
                if ((mask >> l & 1) && pattern.address[l] >= start &&
                    pattern.address[l] + bytes <= start + length) {
                    assert_false(used >> l & 1);
                    used |= 1ull << l;
                    inside++;
                }
            assert_true(inside > 0);
        }
        assert_int_equal(used, mask);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_run_fields),
        cmocka_unit_test(test_coalesced_access_is_one_run),
        cmocka_unit_test(test_wide_accesses_fill_several_lines),
        cmocka_unit_test(test_misaligned_access),
        cmocka_unit_test(test_misaligned_wide_access),
        cmocka_unit_test(test_reversed_lanes_are_one_run),
        cmocka_unit_test(test_broadcast_is_one_access),
        cmocka_unit_test(test_stride_two_leaves_holes),
        cmocka_unit_test(test_lanes_in_lines_of_their_own),
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_partial_warp),
        cmocka_unit_test(test_no_lanes_no_runs),
        cmocka_unit_test(test_naive_16x16_as_measured),
        cmocka_unit_test(test_naive_32x8_as_measured),
        cmocka_unit_test(test_toy_row_program),
        cmocka_unit_test(test_toy_tiled_program),
        cmocka_unit_test(test_toy_banks),
        cmocka_unit_test(test_cc13_coalesced),
        cmocka_unit_test(test_cc13_misaligned),
        cmocka_unit_test(test_cc13_segment_sizes),
        cmocka_unit_test(test_cc13_scattered),
        cmocka_unit_test(test_cc13_any_order_in_a_segment),
        cmocka_unit_test(test_cc10_in_sequence),
        cmocka_unit_test(test_cc10_out_of_sequence),
        cmocka_unit_test(test_tile_columns),
        cmocka_unit_test(test_16_wide_tile_stores_conflict_8_way),
        cmocka_unit_test(test_broadcast_and_strides),
        cmocka_unit_test(test_wide_words),
        cmocka_unit_test(test_idle_phases_cost_nothing),
        cmocka_unit_test(test_cc13_half_warps),
        cmocka_unit_test(test_coalescing_against_slow_rules),
        cmocka_unit_test(test_banks_against_slow_rules),
        cmocka_unit_test(test_halves_against_slow_rules),
        cmocka_unit_test(test_segments_cover_the_accesses),
    };
    return cmocka_run_group_tests(tests, read_devices, NULL);
}
