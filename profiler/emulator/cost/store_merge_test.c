/* Tests of store_merge.c: which stores merge, and how often, with one and several blocks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "emulator/cost/store_merge.h"

#include <stdlib.h>

enum { WARPS = 8, ROUNDS = 4000 };

/* Returns ROUNDS requests of `lines` runs. Each request continues the runs of the one before it. */
static struct trace fill(unsigned sm, unsigned lines, unsigned bytes)
{
    struct trace trace = {.runs = malloc((size_t)ROUNDS * lines * sizeof(trace_run)),
                          .sm = sm,
                          .warps = WARPS,
                          .may_merge = true};
    assert_non_null(trace.runs);
    for (unsigned i = 0; i < ROUNDS; i++)
        for (unsigned line = 0; line < lines; line++)
            trace.runs[trace.count++] = run_make((uint64_t)line * 4096 + (uint64_t)i * bytes, bytes,
                                                 ACCESS_STORE, line == 0);
    return trace;
}

static double merged_share(const struct trace *trace)
{
    size_t merged = 0;
    for (size_t i = 0; i < trace->count; i++)
        merged += run_kind(trace->runs[i]) == ACCESS_MERGED;
    return (double)merged / (double)trace->count;
}

static double alone(unsigned lines, unsigned bytes)
{
    struct trace trace = fill(0, lines, bytes);
    assert_true(store_merge(&trace, 1, 0));
    double share = merged_share(&trace);
    free(trace.runs);
    return share;
}

/* Three of a sector's four 8-byte parts can merge. */
static void test_one_block_alone(void **state)
{
    (void)state;
    double share = alone(16, 8);
    assert_true(share > 0.53 && share < 0.60);
}

static void test_many_lines_do_not_wait(void **state)
{
    (void)state;
    assert_true(alone(17, 8) == 0);
    assert_true(alone(32, 4) == 0);
}

static void test_parts_of_words_do_not_merge(void **state)
{
    (void)state;
    assert_true(alone(8, 2) == 0);
}

static void test_whole_sectors_do_not_merge(void **state)
{
    (void)state;
    assert_true(alone(8, 32) == 0);
}

/* With more warps, fewer stores merge. An H200 merges 11 % with eight blocks. */
static void test_blocks_part_each_others_stores(void **state)
{
    (void)state;
    struct trace traces[9];
    for (unsigned block = 0; block < 8; block++) {
        traces[block] = fill(1, 16, 8);
        for (size_t i = 0; i < traces[block].count; i++)
            traces[block].runs[i] += (uint64_t)block << 24;
    }
    traces[8] = fill(2, 16, 8);
    assert_true(store_merge(traces, 9, 1));
    double share = 0;
    for (unsigned block = 0; block < 8; block++)
        share += merged_share(&traces[block]) / 8;
    assert_true(share > 0.10 && share < 0.16);
    assert_true(merged_share(&traces[8]) == 0);
    for (unsigned block = 0; block < 9; block++)
        free(traces[block].runs);
}

/* A store of bytes empties the queue, so the next word of the same sector is a new request. */
static void test_a_store_that_cannot_wait_empties_the_queue(void **state)
{
    (void)state;
    struct trace trace = fill(0, 1, 8);
    for (unsigned i = 1; i < trace.count; i += 2)
        trace.runs[i] = run_make((1u << 20) + i, 1, ACCESS_STORE, true);
    assert_true(store_merge(&trace, 1, 0));
    assert_true(merged_share(&trace) == 0);
    free(trace.runs);
}

static void test_others_are_left_alone(void **state)
{
    (void)state;
    struct trace trace = fill(0, 16, 8);
    trace.may_merge = false;
    assert_true(store_merge(&trace, 1, 0));
    assert_true(merged_share(&trace) == 0);
    free(trace.runs);
    trace = fill(0, 16, 8);
    for (size_t i = 0; i < trace.count; i++)
        trace.runs[i] = run_with_kind(trace.runs[i], ACCESS_LOAD);
    assert_true(store_merge(&trace, 1, 0));
    assert_true(merged_share(&trace) == 0);
    free(trace.runs);
}

static void test_consecutive_stores_join(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 1000; i++) {
        struct last_store last = {.first = i, .end = i + 8, .sectors = 8, .number = 10}, now = last;
        now.number = 12;
        assert_true(store_joins(&last, &now, 2, 8, false));
        now.end++;
        assert_false(store_joins(&last, &now, 2, 8, false));
        now = last;
        assert_false(store_joins(&last, &now, 2, 8, false));
        now.number = 8;
        assert_false(store_joins(&last, &now, 2, 8, false));
        now.number = 100;
        assert_false(store_joins(&last, &now, 2, 8, false));
        now.number = 12;
        now.lanes = 1;
        assert_false(store_joins(&last, &now, 2, 8, false));
        now.lanes = 0;
        last.sectors = 0; /* After a load. */
        assert_false(store_joins(&last, &now, 2, 8, false));
    }
}

static void test_fewer_stores_of_many_lines_join(void **state)
{
    (void)state;
    unsigned joined[3] = {0};
    for (unsigned i = 0; i < 1000; i++) {
        struct last_store last = {.first = i, .end = i + 8, .sectors = 8, .number = 10}, now = last;
        now.number = 12;
        joined[0] += store_joins(&last, &now, 6, 8, false);
        joined[1] += store_joins(&last, &now, 6, 32, false);
        joined[2] += store_joins(&last, &now, 2, 8, true);
        assert_false(store_joins(&last, &now, 9, 8, false));
    }
    assert_in_range(joined[0], 450, 550); /* Measured: 52 %. */
    assert_in_range(joined[1], 200, 300);
    assert_in_range(joined[2], 700, 800); /* Measured: 75 %. */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_block_alone),
        cmocka_unit_test(test_many_lines_do_not_wait),
        cmocka_unit_test(test_parts_of_words_do_not_merge),
        cmocka_unit_test(test_whole_sectors_do_not_merge),
        cmocka_unit_test(test_blocks_part_each_others_stores),
        cmocka_unit_test(test_a_store_that_cannot_wait_empties_the_queue),
        cmocka_unit_test(test_others_are_left_alone),
        cmocka_unit_test(test_consecutive_stores_join),
        cmocka_unit_test(test_fewer_stores_of_many_lines_join),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
