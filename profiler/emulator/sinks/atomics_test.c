/* Tests of atomics.c against microbenchmarks on an H200 (testdata/atomics_h200.csv) of 4,194,304
 * operations. The model computes the time of the first quarter, which is multiplied by 4. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "emulator/sinks/atomics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LANES_ALL = 4194304, PARTS = 4, WAVE_LANES = 132 * 8 * 256 };

static struct device h200;

static int read_device(void **state)
{
    (void)state;
    struct failure failure = {0};
    return device_find("profiler/devices", "h200", &h200, &failure) ? 0 : -1;
}

enum words { SPREAD, SAME_WARP, ONE };
static uint64_t word_of(enum words words, uint64_t lane, uint64_t count)
{
    return words == ONE ? 0 : words == SPREAD ? lane % count : lane / LANES % count;
}

static double modelled_us(enum words words, uint64_t count, struct atomic_form form)
{
    static struct atomics atomics;
    memset(&atomics, 0, sizeof atomics);
    trace_run *runs = malloc(sizeof *runs * WAVE_LANES);
    assert_non_null(runs);
    for (uint64_t at = 0; at < LANES_ALL / PARTS; at += WAVE_LANES) {
        struct trace trace = {.runs = runs, .has_atomics = true};
        for (uint64_t lane = at; lane < at + WAVE_LANES && lane < LANES_ALL / PARTS;
             lane += LANES) {
            uint64_t address[LANES];
            unsigned sectors;
            for (unsigned l = 0; l < LANES; l++)
                address[l] = (1 << 20) + 4 * word_of(words, lane + l, count);
            struct warp_access access = {
                .mask = ~0u, .bytes = 4, .is_store = true, .address = address};
            unsigned some =
                coalesce_global(&h200, &access, ACCESS_ATOMIC, runs + trace.count, &sectors);
            atomics_mark(&h200, &access, form, runs + trace.count, some);
            trace.count += some;
        }
        atomics_add(&atomics, &h200, &trace, 1);
    }
    free(runs);
    return PARTS * atomics_time_ns(&atomics) / 1e3;
}

static double measured_us(const char *name)
{
    FILE *file = fopen("profiler/emulator/testdata/atomics_h200.csv", "r");
    assert_non_null(file);
    char line[1024];
    double us = NAN;
    size_t length = strlen(name);
    while (fgets(line, sizeof line, file))
        if (!strncmp(line, name, length) && line[length] == ',')
            us = strtod(line + length + 1, NULL);
    fclose(file);
    assert_true(us > 0);
    return us;
}

static void test_measured(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum words words;
        uint64_t count;
        struct atomic_form form;
    } rows[] = {
        {"one_u32", ONE, 1, {.is_combined = true}},
        {"one_f32", ONE, 1, {.is_float = true}},
        {"spread_u32_2", SPREAD, 2, {0}},
        {"spread_f32_2", SPREAD, 2, {.is_float = true}},
        {"spread_u32_8", SPREAD, 8, {0}},
        {"spread_f32_8", SPREAD, 8, {.is_float = true}},
        {"spread_u32_32", SPREAD, 32, {0}},
        {"spread_f32_32", SPREAD, 32, {.is_float = true}},
        {"spread_u32_256", SPREAD, 256, {0}},
        {"spread_f32_1024", SPREAD, 1024, {.is_float = true}},
        {"same_warp_u32_2", SAME_WARP, 2, {0}},
        {"same_warp_u32_32", SAME_WARP, 32, {0}},
        {"same_warp_u32_256", SAME_WARP, 256, {0}},
        {"same_warp_u32_1024", SAME_WARP, 1024, {0}},
        {"same_warp_u32_65536", SAME_WARP, 65536, {0}},
        {"same_warp_u32_4194304", SAME_WARP, 4194304, {0}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double measured = measured_us(rows[i].name) - h200.launch_us;
        double us = modelled_us(rows[i].words, rows[i].count, rows[i].form);
        print_message("%s: %.1f us measured, %.1f modelled\n", rows[i].name, measured, us);
        assert_true(fabs(us / measured - 1) < 0.2);
    }
}

static void test_runs_of_a_sector(void **state)
{
    (void)state;
    uint64_t address[LANES] = {0, 0, 16, 16};
    struct warp_access access = {.mask = 15, .bytes = 4, .is_store = true, .address = address};
    trace_run runs[COALESCE_MAX_RUNS];
    unsigned sectors, count = coalesce_global(&h200, &access, ACCESS_ATOMIC, runs, &sectors);
    assert_int_equal(count, 2);
    atomics_mark(&h200, &access, (struct atomic_form){0}, runs, count);
    assert_int_equal(run_round(runs[0]), lround(2 * h200.atomic_integer_ns * 8));
    assert_int_equal(run_round(runs[1]), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_measured),
                                       cmocka_unit_test(test_runs_of_a_sector)};
    return cmocka_run_group_tests(tests, read_device, NULL);
}
