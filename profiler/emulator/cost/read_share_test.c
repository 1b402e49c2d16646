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

/* Line 0 means line 7, and 0 places mean one block for each SM. */
static bool joins(struct shared_load load)
{
    load.line = load.line ? load.line : 7;
    load.places = load.places ? load.places : (unsigned)h200.multiprocessors;
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
        requested += !joins((struct shared_load){.sectors = 15, .place = sm});
    assert_in_range(requested, 34, 36);
}

static void test_other_gpcs_do_not_join(void **state)
{
    (void)state;
    assert_false(joins((struct shared_load){.sectors = 15, .place = 0}));
    assert_false(joins((struct shared_load){.sectors = 15, .place = 18}));
    assert_true(joins((struct shared_load){.sectors = 15, .place = 17}));
}

static void test_other_sectors_do_not_join(void **state)
{
    (void)state;
    static const unsigned pairs[][2] = {{15, 1}, {1, 15}, {3, 6}, {1, 2}};
    for (unsigned i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        assert_false(joins((struct shared_load){.sectors = pairs[i][0], .place = 0, .round = i}));
        assert_false(joins((struct shared_load){.sectors = pairs[i][1], .place = 1, .round = i}));
    }
}

static void test_another_time_does_not_join(void **state)
{
    (void)state;
    assert_false(joins((struct shared_load){.sectors = 15, .place = 0}));
    assert_false(joins((struct shared_load){.sectors = 15, .place = 1, .round = 1}));
    assert_false(joins((struct shared_load){.sectors = 15, .place = 0}));
    assert_false(joins((struct shared_load){.sectors = 15, .place = 1, .wave = 1}));
}

/* A grid of 64 blocks occupies one SM in each of 64 TPCs, so each GPC has eight of these blocks. */
static void test_small_grids_use_all_gpcs(void **state)
{
    (void)state;
    unsigned requested = 0;
    for (unsigned place = 0; place < 64; place++)
        requested += !joins((struct shared_load){.sectors = 15, .place = place, .places = 64});
    assert_in_range(requested, 16, 20);
    assert_false(joins((struct shared_load){.sectors = 1, .places = 64}));
    assert_false(joins((struct shared_load){.sectors = 1, .place = 9, .places = 64}));
    assert_true(joins((struct shared_load){.sectors = 1, .place = 8, .places = 64}));
}

static unsigned count_joined(struct shared_load load, unsigned first_round)
{
    unsigned joined = 0, place = load.place;
    load.places = 2 * (unsigned)h200.multiprocessors;
    for (unsigned i = 0; i < 2000; i++) {
        load.line = i / 8, load.round = i % 8 + first_round, load.place = 0;
        assert_false(read_share_join(share, 0, &load));
        load.place = place;
        joined += read_share_join(share, 0, &load);
    }
    return joined;
}

/* 50 % of the loads join in early rounds, and 95 % in later rounds. In crowded rounds, 16 % of the
 * loads of parts of lines join. 14 % join if the blocks have different slots. */
static void test_chances(void **state)
{
    (void)state;
    const unsigned next = (unsigned)h200.multiprocessors + 1;
    assert_in_range(count_joined((struct shared_load){.sectors = 15, .place = 1}, 0), 920, 1080);
    assert_in_range(count_joined((struct shared_load){.sectors = 15, .place = 1}, 8), 1860, 1940);
    assert_in_range(
        count_joined((struct shared_load){.sectors = 3, .place = 1, .is_crowded = true}, 8), 260,
        400);
    assert_in_range(
        count_joined((struct shared_load){.sectors = 15, .place = 1, .is_crowded = true}, 8), 1860,
        1940);
    assert_in_range(count_joined((struct shared_load){.sectors = 15, .place = next}, 8), 220, 340);
}

static void test_loads_that_wait_for_dram_join(void **state)
{
    (void)state;
    static const uint64_t lines[] = {1, 0x123456789, (1ull << 37) - 1};
    for (unsigned i = 0; i < 3; i++)
        for (unsigned round = 0; round < 8; round++) {
            struct shared_load load = {.line = lines[i], .sectors = 15, .round = round};
            assert_false(joins(load));
            load.place = 1;
            assert_true(joins(load));
        }
}

static void test_later_waves_drift_apart(void **state)
{
    (void)state;
    unsigned joined = 0;
    for (unsigned round = 0; round < 100; round++)
        for (unsigned sm = 0; sm < 2; sm++)
            joined +=
                joins((struct shared_load){.sectors = 15, .place = sm, .round = round, .wave = 20});
    assert_in_range(joined, 0, 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_four_loads_of_a_gpc_are_one, make_share, free_share),
        cmocka_unit_test_setup_teardown(test_other_gpcs_do_not_join, make_share, free_share),
        cmocka_unit_test_setup_teardown(test_other_sectors_do_not_join, make_share, free_share),
        cmocka_unit_test_setup_teardown(test_another_time_does_not_join, make_share, free_share),
        cmocka_unit_test_setup_teardown(test_small_grids_use_all_gpcs, make_share, free_share),
        cmocka_unit_test_setup_teardown(test_chances, make_share, free_share),
        cmocka_unit_test_setup_teardown(test_loads_that_wait_for_dram_join, make_share, free_share),
        cmocka_unit_test_setup_teardown(test_later_waves_drift_apart, make_share, free_share),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
