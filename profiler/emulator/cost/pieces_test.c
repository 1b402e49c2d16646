/* Tests of pieces.c against means computed by hand. */
#include "emulator/cost/pieces.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

static struct device device = {.dram_gbps = 40.96, .latency_ns = 100};

enum { MOST_RUNS = 4096, BASE = 1 << 20 };

struct feed {
    trace_run runs[MOST_RUNS];
    struct trace traces[8];
    size_t used, count;
};

static void feed_trace(struct feed *feed)
{
    feed->traces[feed->count++] =
        (struct trace){.runs = feed->runs + feed->used, .capacity = MOST_RUNS};
}

static void feed_run(struct feed *feed, uint64_t address, unsigned bytes, enum access_kind kind)
{
    assert_true(feed->used < MOST_RUNS);
    feed->runs[feed->used++] = run_make(address, bytes, kind, true);
    feed->traces[feed->count - 1].count++;
}

static struct scatter feed_scatter(const struct feed *feed, unsigned parts)
{
    struct pieces *pieces = pieces_create(&device, parts);
    assert_non_null(pieces);
    for (unsigned p = 0; p < parts; p++)
        assert_true(pieces_add(pieces, p, feed->traces, feed->count));
    struct scatter scatter = pieces_scatter(pieces);
    pieces_free(pieces);
    return scatter;
}

static double feed_mean(const struct feed *feed, enum access_kind kind)
{
    return feed_scatter(feed, 1).piece_bytes[kind != ACCESS_LOAD];
}

static double row_mean(unsigned count, unsigned bytes, unsigned step)
{
    struct feed feed = {.used = 0};
    feed_trace(&feed);
    for (unsigned i = 0; i < count; i++)
        feed_run(&feed, BASE + (uint64_t)i * step, bytes, ACCESS_LOAD);
    return feed_mean(&feed, ACCESS_LOAD);
}

static void test_means(void **state)
{
    (void)state;
    assert_true(row_mean(0, 128, 128) == 256); /* No traffic: no penalty. */
    assert_true(row_mean(64, 128, 128) == 256);
    assert_true(row_mean(64, 128, 256) == 128);
    assert_true(row_mean(64, 32, 4096) == 32);
    assert_true(row_mean(64, 4, 4096) == 32);
    assert_true(row_mean(64, 4, 4) == 256);
    assert_true(row_mean(32, 4, 0) == 32);
}

static void test_windows(void **state)
{
    (void)state;
    static const struct {
        unsigned pieces;
        double mean;
    } cases[] = {{8, 256}, {16, 256}, {32, 128}, {64, 128}};
    for (unsigned c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct feed feed = {.used = 0};
        for (unsigned half = 0; half < 2; half++) {
            feed_trace(&feed);
            for (unsigned i = 0; i < cases[c].pieces; i++)
                feed_run(&feed, BASE + i * 256 + half * 128, 128, ACCESS_STORE);
        }
        assert_true(feed_mean(&feed, ACCESS_STORE) == cases[c].mean);
    }
}

/* Only windows of 8192 bytes contain both halves of a piece, and only at the end. */
static void test_turns(void **state)
{
    (void)state;
    struct feed feed = {.used = 0};
    enum { RUNS = 160 }; /* 20 KiB: turns of 128 and 32 runs. */
    for (unsigned block = 0; block < 2; block++) {
        feed_trace(&feed);
        for (unsigned i = 0; i < RUNS; i++)
            feed_run(&feed, BASE + i * 256 + block * 128, 128, ACCESS_LOAD);
    }
    assert_true(feed_mean(&feed, ACCESS_LOAD) == 128);
    device.dram_gbps *= 2;
    double whole = 32, halves = 2 * (RUNS - 32);
    assert_true(feed_mean(&feed, ACCESS_LOAD) == 2.0 * RUNS * 128 / (whole + halves));
    device.dram_gbps /= 2;
}

static void test_dropped(void **state)
{
    (void)state;
    struct feed feed = {.used = 0};
    feed_trace(&feed);
    for (unsigned i = 0; i < 16; i++) {
        feed_run(&feed, BASE + i * 256, 128, ACCESS_LOAD);
        feed_run(&feed, BASE + i * 256 + 128, 128, ACCESS_DROPPED);
    }
    assert_true(feed_mean(&feed, ACCESS_LOAD) == 128);
}

static void test_parts(void **state)
{
    (void)state;
    struct feed feed = {.used = 0};
    uint32_t random = 1;
    for (unsigned block = 0; block < 8; block++) {
        feed_trace(&feed);
        for (unsigned i = 0; i < 500; i++) {
            random = random * 1664525u + 1013904223u;
            feed_run(&feed, BASE + (random >> 12) / 128 * 128, 32u << random / 1000 % 3,
                     random & 4096 ? ACCESS_LOAD : ACCESS_STORE);
        }
    }
    struct scatter alone = feed_scatter(&feed, 1);
    assert_true(alone.piece_bytes[0] > 32 && alone.piece_bytes[0] < 256);
    static const unsigned parts[] = {2, 3, 7, 64};
    for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++) {
        struct scatter scatter = feed_scatter(&feed, parts[i]);
        assert_memory_equal(&scatter, &alone, sizeof alone);
    }
}

static void feed_column(struct feed *feed, uint64_t address, uint64_t pitch, bool as_column)
{
    const trace_run column[] = {run_make(address, 4, ACCESS_COLUMN, true),
                                run_make(pitch, 1, ACCESS_DROPPED, false)};
    const unsigned words = as_column ? COLUMN_WORDS : LANES;
    trace_run runs[LANES];
    column_to_runs(column, runs);
    assert_true(feed->used + words <= MOST_RUNS);
    memcpy(feed->runs + feed->used, as_column ? column : runs, words * sizeof(trace_run));
    feed->used += words;
    feed->traces[feed->count - 1].count += words;
}

/* Most columns continue the previous column. Pitches are even or odd multiples of a sector, or
 * irregular. Some turns and windows end within a column. */
static void test_columns(void **state)
{
    (void)state;
    static struct feed feeds[2];
    const struct device usual = device;
    for (unsigned round = 0; round < 40; round++) {
        const uint32_t begin = round + 1;
        device.dram_gbps = usual.dram_gbps * (1 + round % 20);
        for (unsigned as_column = 0; as_column < 2; as_column++) {
            struct feed *feed = &feeds[as_column];
            uint32_t random = begin;
            uint64_t pitch = 1024, address = BASE;
            *feed = (struct feed){.used = 0};
            for (unsigned i = 0; i < 120; i++) {
                random = random * 1664525u + 1013904223u;
                if (i % 60 == 0)
                    feed_trace(feed);
                if (random >> 28 == 0) {
                    pitch = random >> 27 & 1 ? 4096 : 128 + (random >> 12 & 1023) * 4;
                    address = BASE + (random >> 8 & 0xffff) * 4;
                }
                if (random >> 28 == 1)
                    feed_run(feed, BASE + (random >> 12 & 0xff) * 64, 64, ACCESS_LOAD);
                else
                    feed_column(feed, address += 4, pitch, as_column);
            }
        }
        struct scatter runs = feed_scatter(&feeds[0], 1);
        for (unsigned parts = 1; parts < 4; parts++) {
            struct scatter columns = feed_scatter(&feeds[1], parts);
            assert_memory_equal(&columns, &runs, sizeof runs);
        }
    }
    device = usual;
}

static void test_pages(void **state)
{
    (void)state;
    static const struct {
        uint64_t step;
        double pages;
    } cases[] = {{128, 1}, {1 << 21, 16}, {1 << 20, 8}, {3 << 20, 16}, {1 << 19, 4}};
    for (unsigned c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct feed feed = {.used = 0};
        feed_trace(&feed);
        for (uint64_t i = 0; i < 16 * 8; i++) {
            feed_run(&feed, (uint64_t)BASE * 2 + i * 128, 128, ACCESS_LOAD);
            feed_run(&feed, (uint64_t)BASE * 2 + i * cases[c].step, 128, ACCESS_STORE);
        }
        struct scatter scatter = feed_scatter(&feed, 1);
        assert_true(scatter.pages[0] == 1);
        assert_true(scatter.pages[1] == cases[c].pages);
    }
    struct feed feed = {.used = 0};
    struct scatter scatter = feed_scatter(&feed, 3), none = SCATTER_NONE;
    assert_memory_equal(&scatter, &none, sizeof none);
}

static void test_extreme_devices(void **state)
{
    (void)state;
    struct device usual = device;
    device.latency_ns = 0;
    assert_true(row_mean(64, 128, 128) == 128); /* Without latency, no bytes are in flight. */
    device.latency_ns = 1e6;
    device.dram_gbps = 1e6;
    struct pieces *pieces = pieces_create(&device, 1);
    assert_non_null(pieces);
    for (uint64_t wave = 0; wave < 100; wave++) {
        struct feed feed = {.used = 0};
        feed_trace(&feed);
        for (uint64_t i = 0; i < MOST_RUNS; i++)
            feed_run(&feed, (wave * MOST_RUNS + i) * 256, 32, ACCESS_LOAD);
        assert_true(pieces_add(pieces, 0, feed.traces, 1));
    }
    assert_true(pieces_scatter(pieces).piece_bytes[0] == 32);
    pieces_free(pieces);
    device = usual;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_means),   cmocka_unit_test(test_windows),
        cmocka_unit_test(test_turns),   cmocka_unit_test(test_dropped),
        cmocka_unit_test(test_parts),   cmocka_unit_test(test_pages),
        cmocka_unit_test(test_columns), cmocka_unit_test(test_extreme_devices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
