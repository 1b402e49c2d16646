/* Tests of read_share.c against measurements of testdata/measure_sharing.sh on an H200. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "emulator/cost/read_share.h"

static struct device h200;
static struct read_share *share;

static int make_share(void **state)
{
    (void)state;
    struct failure failure = {0};
    if (!device_find("profiler/devices", "h200", &h200, &failure))
        return -1;
    share = read_share_create(&h200, 1);
    return share ? 0 : -1;
}

static int free_share(void **state)
{
    (void)state;
    read_share_free(share);
    return 0;
}

/* Returns true if the load joins. Line 0 means line 7. A load that does not join goes to DRAM. */
static bool joins(struct shared_load load)
{
    load.line = load.line ? load.line : 7;
    bool is_joined = read_share_join(share, 0, &load);
    if (!is_joined)
        read_share_missed(share, 0, &load);
    return is_joined;
}

/* 132 SMs loaded the same lines at the same time: 35 requests per line reached the L2. With
 * GPCs of 16 or 18 SMs and up to four loads per request, the model gives 34. */
static void test_four_loads_of_a_gpc_are_one(void **state)
{
    (void)state;
    unsigned requested = 0;
    for (unsigned sm = 0; sm < h200.multiprocessors; sm++)
        requested += !joins((struct shared_load){.sectors = 15, .sm = sm});
    assert_in_range(requested, 34, 36);
}

static void test_other_gpcs_do_not_join(void **state)
{
    (void)state;
    assert_false(joins((struct shared_load){.sectors = 15, .sm = 0}));
    assert_false(joins((struct shared_load){.sectors = 15, .sm = 18}));
    assert_true(joins((struct shared_load){.sectors = 15, .sm = 17}));
}

/* Loads of different sectors of a line do not join, even if some of the sectors are equal. */
static void test_other_sectors_do_not_join(void **state)
{
    (void)state;
    static const unsigned pairs[][2] = {{15, 1}, {1, 15}, {3, 6}, {1, 2}};
    for (unsigned i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        assert_false(joins((struct shared_load){.sectors = pairs[i][0], .sm = 0, .round = i}));
        assert_false(joins((struct shared_load){.sectors = pairs[i][1], .sm = 1, .round = i}));
    }
}

static void test_another_time_does_not_join(void **state)
{
    (void)state;
    assert_false(joins((struct shared_load){.sectors = 15, .sm = 0}));
    assert_false(joins((struct shared_load){.sectors = 15, .sm = 1, .round = 1}));
    assert_false(joins((struct shared_load){.sectors = 15, .sm = 0}));
    assert_false(joins((struct shared_load){.sectors = 15, .sm = 1, .wave = 1}));
}

/* In the first eight rounds, all loads that wait for DRAM join, for any line. In later rounds, and
 * if the L2 has the data, only some loads join. */
static void test_first_rounds_meet(void **state)
{
    (void)state;
    static const uint64_t lines[] = {1, 0x123456789, (1ull << 37) - 1};
    unsigned later = 0, served = 0;
    for (unsigned i = 0; i < 3; i++)
        for (unsigned round = 0; round < 100; round++) {
            struct shared_load load = {.line = lines[i], .sectors = 15, .sm = 0, .round = round};
            assert_false(joins(load));
            load.sm = 1;
            bool is_joined = joins(load);
            assert_true(round >= 8 || is_joined);
            later += round >= 8 && is_joined;
            load = (struct shared_load){.line = lines[i], .sectors = 3, .round = round, .wave = 1};
            assert_false(read_share_join(share, 0, &load));
            load.sm = 1;
            served += read_share_join(share, 0, &load);
        }
    assert_in_range(later, 60, 180);
    assert_in_range(served, 30, 180);
}

/* 16 % of the loads join in crowded rounds, and 39 % in other rounds. */
static void test_crowded_rounds_join_less(void **state)
{
    (void)state;
    unsigned joined[2] = {0};
    for (unsigned i = 0; i < 2000; i++)
        for (unsigned sm = 0; sm < 2; sm++) {
            struct shared_load load = {.line = i / 200, .sectors = 15, .sm = sm};
            load.round = i % 200 + 8, load.is_crowded = i % 2;
            joined[i % 2] += read_share_join(share, 0, &load);
        }
    assert_in_range(joined[0], 340, 440);
    assert_in_range(joined[1], 120, 200);
}

static void test_later_waves_drift_apart(void **state)
{
    (void)state;
    unsigned joined = 0;
    for (unsigned round = 0; round < 100; round++)
        for (unsigned sm = 0; sm < 2; sm++)
            joined +=
                joins((struct shared_load){.sectors = 15, .sm = sm, .round = round, .wave = 20});
    assert_in_range(joined, 0, 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_four_loads_of_a_gpc_are_one, make_share, free_share),
        cmocka_unit_test_setup_teardown(test_other_gpcs_do_not_join, make_share, free_share),
        cmocka_unit_test_setup_teardown(test_other_sectors_do_not_join, make_share, free_share),
        cmocka_unit_test_setup_teardown(test_another_time_does_not_join, make_share, free_share),
        cmocka_unit_test_setup_teardown(test_first_rounds_meet, make_share, free_share),
        cmocka_unit_test_setup_teardown(test_crowded_rounds_join_less, make_share, free_share),
        cmocka_unit_test_setup_teardown(test_later_waves_drift_apart, make_share, free_share),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
