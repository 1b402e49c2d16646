/* lane_map_test.c: tests of banks and sectors that can be computed by hand. For random accesses,
 * the totals must be equal to those of coalesce.c. */
#include "view/lane_map.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct device h200, gtx280, toy;

static int open_devices(void **state)
{
    struct failure failure = {0};
    (void)state;
    if (!device_find("profiler/devices", "h200", &h200, &failure) ||
        !device_find("profiler/devices", "gtx280", &gtx280, &failure) ||
        !device_find("profiler/devices", "toy", &toy, &failure))
        fail_msg("%s", failure.text);
    return 0;
}

static struct warp_access strided(uint64_t address[LANES], uint64_t start, uint64_t step,
                                  unsigned bytes)
{
    for (unsigned lane = 0; lane < LANES; lane++)
        address[lane] = start + lane * step;
    return (struct warp_access){.mask = ~0u, .bytes = bytes, .address = address};
}

/* In a column of a tile of 33 columns, lane l reads word 33 l, which is in bank 33 l mod 32 = l. */
static void test_padded_column(void **state)
{
    uint64_t address[LANES];
    struct warp_access access = strided(address, 0, 33 * 4, 4);
    struct bank_map map;
    (void)state;
    map = bank_map_make(&h200, access);
    assert_int_equal(map.phases, 1);
    for (unsigned lane = 0; lane < LANES; lane++) {
        assert_int_equal(bank_of(&map, address[lane]), lane);
        assert_int_equal(map.words[0][lane], 1);
    }
    assert_int_equal(map.wavefronts, 1);
    assert_int_equal(map.ideal, 1);
}

static void test_unpadded_column(void **state)
{
    uint64_t address[LANES];
    struct warp_access access = strided(address, 0, 32 * 4, 4);
    struct bank_map map;
    (void)state;
    map = bank_map_make(&h200, access);
    assert_int_equal(map.words[0][0], 32);
    for (unsigned bank = 1; bank < 32; bank++)
        assert_int_equal(map.words[0][bank], 0);
    assert_int_equal(map.wavefronts, 32);
    assert_int_equal(map.phase_wavefronts[0], 32);
}

static void test_half_warps(void **state)
{
    uint64_t address[LANES];
    struct warp_access access = strided(address, 0, 32 * 4, 4);
    struct bank_map map;
    (void)state;
    map = bank_map_make(&gtx280, access);
    assert_int_equal(map.banks, 16);
    assert_int_equal(map.phases, 2);
    assert_int_equal(map.words[0][0], 16);
    assert_int_equal(map.words[1][0], 16);
    assert_int_equal(map.wavefronts, 32);
    assert_int_equal(map.ideal, 2);
    access = strided(address, 0, 33 * 4, 4);
    map = bank_map_make(&gtx280, access);
    for (unsigned lane = 0; lane < LANES; lane++)
        assert_int_equal(bank_of(&map, address[lane]), lane % 16);
    assert_int_equal(map.wavefronts, 2);
}

static void test_broadcast(void **state)
{
    uint64_t address[LANES];
    struct warp_access access = strided(address, 20, 0, 4);
    struct bank_map map;
    (void)state;
    map = bank_map_make(&h200, access);
    assert_int_equal(map.words[0][5], 1);
    assert_int_equal(map.wavefronts, 1);
    access = strided(address, 0, 32 * 4, 4);
    access.mask = 0x80000001u;
    map = bank_map_make(&h200, access);
    assert_int_equal(map.words[0][0], 2);
    assert_int_equal(map.wavefronts, 2);
}

static void test_wide(void **state)
{
    uint64_t address[LANES];
    struct warp_access access = strided(address, 0, 16, 16);
    struct bank_map map;
    (void)state;
    access.is_store = true;
    map = bank_map_make(&h200, access);
    assert_int_equal(map.phases, 4);
    assert_int_equal(map.phase_lanes, 8);
    assert_int_equal(map.lane_words, 4);
    for (unsigned phase = 0; phase < 4; phase++)
        for (unsigned bank = 0; bank < 32; bank++)
            assert_int_equal(map.words[phase][bank], 1);
    assert_int_equal(map.wavefronts, 4);
}

static void expect_sectors(const struct device *device, const struct warp_access *access,
                           unsigned count, unsigned ideal, unsigned moved, unsigned used)
{
    const struct sector_map map = sector_map_make(device, *access);
    assert_int_equal(map.count, count);
    assert_int_equal(map.ideal, ideal);
    assert_int_equal(map.moved_bytes, moved);
    assert_int_equal(map.used_bytes, used);
}

static void test_sectors(void **state)
{
    uint64_t address[LANES];
    (void)state;
    struct warp_access access = strided(address, 0x1000, 4, 4);
    expect_sectors(&h200, &access, 4, 4, 128, 128);
    access = strided(address, 0x1004, 4, 4); /* The last word is in a fifth sector. */
    expect_sectors(&h200, &access, 5, 4, 160, 128);
    access = strided(address, 0x1000, 8192, 4);
    expect_sectors(&h200, &access, 32, 4, 1024, 128);
    access = strided(address, 0x1000, 0, 4);
    expect_sectors(&h200, &access, 1, 1, 32, 4);
    access = strided(address, 0x1000, 16, 16);
    expect_sectors(&h200, &access, 16, 16, 512, 512);
    access = strided(address, 0x1000, 4, 4);
    access.mask = 0x3ff;
    expect_sectors(&h200, &access, 2, 2, 64, 40);
}

/* Programming Guide 3.x, G.3.2.2: 64 consecutive bytes of a half-warp are one transaction of 64
 * bytes. If the address is one word higher, the first half-warp accesses both halves of a 128-byte
 * segment, and the whole segment is moved. The second half-warp accesses two segments. */
static void test_segments(void **state)
{
    uint64_t address[LANES];
    (void)state;
    struct warp_access access = strided(address, 0x1000, 4, 4);
    expect_sectors(&gtx280, &access, 2, 2, 128, 128);
    access = strided(address, 0x1004, 4, 4);
    expect_sectors(&gtx280, &access, 3, 2, 128 + 64 + 32, 128);
    access = strided(address, 0x1000, 8192, 4);
    expect_sectors(&gtx280, &access, 32, 2, 1024, 128);
}

static void test_toy(void **state)
{
    uint64_t address[LANES];
    (void)state;
    struct warp_access access = strided(address, 0x1000, 4, 4);
    access.mask = 15;
    expect_sectors(&toy, &access, 1, 1, 16, 16);
    access = strided(address, 0x1000, 64, 4);
    access.mask = 15;
    expect_sectors(&toy, &access, 4, 1, 64, 16);
}

static void test_pieces(void **state)
{
    uint64_t address[LANES];
    struct sector_map map;
    (void)state;
    struct warp_access access = strided(address, 0x1000 + 31 * 4, (uint64_t)-4, 4);
    map = sector_map_make(&h200, access);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(map.pieces[i].address, 0x1000 + 32 * i);
    for (unsigned lane = 0; lane < LANES; lane++)
        assert_int_equal(map.piece[lane], 3 - lane / 8);
}

static uint32_t next_random(uint32_t *random)
{
    *random = *random * 1664525u + 1013904223u;
    return *random >> 8;
}

static void compare_totals(const struct device *device, const struct warp_access *access)
{
    const struct bank_map banks = bank_map_make(device, *access);
    const struct sector_map sectors = sector_map_make(device, *access);
    unsigned counted, wavefronts = 0;
    trace_run runs[COALESCE_MAX_RUNS];
    coalesce_global(device, access, ACCESS_LOAD, runs, &counted);
    for (unsigned phase = 0; phase < banks.phases; phase++)
        wavefronts += banks.phase_wavefronts[phase];
    struct bank_count count = banks_shared(device, access);
    assert_int_equal(wavefronts, count.wavefronts);
    assert_int_equal(sectors.count, counted);
    assert_true(sectors.ideal <= sectors.count);
    assert_true(sectors.used_bytes <= sectors.moved_bytes);
}

static void test_totals(void **state)
{
    const struct device *const devices[] = {&h200, &gtx280, &toy};
    uint64_t address[LANES];
    uint32_t random = 1;
    (void)state;
    for (unsigned i = 0; i < 30000; i++) {
        const struct device *device = devices[i % 3];
        unsigned bytes = 4u << next_random(&random) % 3, spread = 1u << next_random(&random) % 12;
        struct warp_access access = {.bytes = bytes,
                                     .is_store = next_random(&random) % 2,
                                     .address = address,
                                     .mask = next_random(&random) | next_random(&random) << 24};
        access.mask &= device == &toy ? 15 : ~0u;
        access.mask |= 1;
        for (unsigned lane = 0; lane < LANES; lane++)
            address[lane] = 0x4000 + (uint64_t)(next_random(&random) % spread) * bytes;
        compare_totals(device, &access);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_padded_column), cmocka_unit_test(test_unpadded_column),
        cmocka_unit_test(test_half_warps),    cmocka_unit_test(test_broadcast),
        cmocka_unit_test(test_wide),          cmocka_unit_test(test_sectors),
        cmocka_unit_test(test_segments),      cmocka_unit_test(test_toy),
        cmocka_unit_test(test_pieces),        cmocka_unit_test(test_totals),
    };
    return cmocka_run_group_tests(tests, open_devices, NULL);
}
