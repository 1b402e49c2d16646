/* fit_test.c: device files from measurements with known results. The numbers in h200.conf were
 * computed by hand from measurements on an H200. */
#include "hardware/calibrate/fit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct device h200, a100, rtx3070;
static struct measurements measured;

static void add(struct measurements *measurements, const char *what, const char *form, long a,
                long b, double work, double us)
{
    struct measurement *row = &measurements->rows[measurements->count++];
    *row = (struct measurement){.a = a, .b = b, .work = work, .us = us};
    snprintf(row->what, sizeof row->what, "%s", what);
    snprintf(row->form, sizeof row->form, "%s", form);
}

static void add_attributes(struct measurements *measurements, const struct device *device)
{
    add(measurements, "name", device->title, 0, 0, 0, 0);
    add(measurements, "attribute", "compute_capability", 0, 0, (double)device->compute_capability,
        0);
    add(measurements, "attribute", "multiprocessors", 0, 0, (double)device->multiprocessors, 0);
    add(measurements, "attribute", "l2_bytes", 0, 0, (double)device->l2_bytes, 0);
    add(measurements, "attribute", "max_threads_per_sm", 0, 0, (double)device->max_threads_per_sm,
        0);
    add(measurements, "attribute", "memory_bytes", 0, 0, (double)device->memory_bytes, 0);
    add(measurements, "attribute", "clock_khz", 0, 0, 1e3 * device->clock_mhz, 0);
    add(measurements, "attribute", "dram_mbps", 0, 0, 1e3 * device->dram_gbps, 0);
}

static int read_all(void **state)
{
    (void)state;
    struct failure failure = {0};
    if (!device_find("profiler/devices", "h200", &h200, &failure) ||
        !device_find("profiler/devices", "a100", &a100, &failure) ||
        !device_find("profiler/devices", "rtx3070", &rtx3070, &failure) ||
        !measurements_load("profiler/emulator/testdata/timing_h200.csv", &measured, &failure)) {
        print_error("%s\n", failure.text);
        return -1;
    }
    add_attributes(&measured, &h200);
    return 0;
}

static unsigned far_off;

static void near(const char *name, double value, double expected, double tolerance)
{
    bool good = fabs(value - expected) <= tolerance * expected;
    print_message("%s: %g, expected %g within %g %%%s\n", name, value, expected, 100 * tolerance,
                  good ? "" : ": FAILED");
    far_off += !good;
}

static struct fit fit_of(const struct measurements *measurements, const struct device *nearest)
{
    static struct fit fit;
    struct failure failure = {0};
    if (!fit_device(measurements, nearest, &fit, &failure))
        fail_msg("%s", failure.text);
    return fit;
}

static void test_h200_from_its_measurements(void **state)
{
    (void)state;
    struct fit fit = fit_of(&measured, &a100);
    const struct device *device = &fit.device;
    assert_string_equal(device->title, h200.title);
    assert_int_equal(device->multiprocessors, 132);
    assert_int_equal(device->l2_bytes, h200.l2_bytes);
    /* dram_efficiency and dram_crowding compensate each other. Only the bandwidth of a copy with as
     * many loads in flight as in the labs must be exact. */
    near("dram_efficiency", device->dram_efficiency, h200.dram_efficiency, 0.06);
    near("latency_ns", device->latency_ns, h200.latency_ns, 0.04);
    near("block_overhead_ns", device->block_overhead_ns, h200.block_overhead_ns, 0.12);
    near("launch_us", device->launch_us, h200.launch_us, 0.25);
    near("dram_read_scatter", device->dram_read_scatter, h200.dram_read_scatter, 0.25);
    near("dram_write_scatter", device->dram_write_scatter, h200.dram_write_scatter, 0.25);
    near("bandwidth of a copy", device->dram_efficiency / (1 + 1.14 * device->dram_crowding),
         h200.dram_efficiency / (1 + 1.14 * h200.dram_crowding), 0.02);
    near("l2_gbps", device->l2_gbps, h200.l2_gbps, 0.03);
    near("l2_loads_per_clock", device->l2_loads_per_clock, h200.l2_loads_per_clock, 0.03);
    near("l2_stores_per_clock", device->l2_stores_per_clock, h200.l2_stores_per_clock, 0.05);
    near("lsu_wavefronts_per_clock", device->lsu_wavefronts_per_clock, 1, 0.02);
    assert_int_equal(far_off, 0);
}

/* The fit to rows that the model produces for a GPU must give that GPU's parameters. */
static void judge_round_trip(struct device truth, const struct device *nearest)
{
    struct fit fit;
    static struct measurements made;
    const struct device *device = &fit.device;
    made = measured;
    for (size_t i = 0; i < made.count; i++) {
        struct measurement *row = &made.rows[i];
        if (!strcmp(row->what, "attribute") || !strcmp(row->what, "name"))
            made.count = i;
        if (!strcmp(row->what, "copy") && row->b == 8)
            row->b = (long)truth.max_threads_per_sm / 256;
    }
    add_attributes(&made, &truth);
    /* The rows `pieces` are computed first, because the rows `pages` depend on them. */
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < made.count; i++) {
            bool is_pages = !strcmp(made.rows[i].what, "pages");
            double us = fit_model_us(&truth, &made, &made.rows[i]);
            if (is_pages == (pass == 1) && isfinite(us))
                made.rows[i].us = us;
        }
    far_off = 0;
    fit = fit_of(&made, nearest);
    near("dram_efficiency", device->dram_efficiency, truth.dram_efficiency, 0.03);
    near("latency_ns", device->latency_ns, truth.latency_ns, 0.03);
    near("block_overhead_ns", device->block_overhead_ns, truth.block_overhead_ns, 0.06);
    near("launch_us", device->launch_us, truth.launch_us, 0.15);
    near("dram_read_scatter", device->dram_read_scatter, truth.dram_read_scatter, 0.02);
    near("dram_write_scatter", device->dram_write_scatter, truth.dram_write_scatter, 0.02);
    assert_int_equal(far_off, 0);
}

static void test_round_trips(void **state)
{
    (void)state;
    struct device slow = h200;
    slow.latency_ns = 800;
    slow.launch_us = 9;
    slow.dram_efficiency = 0.7;
    slow.dram_write_scatter = 0.05;
    judge_round_trip(h200, &a100);
    judge_round_trip(slow, &h200);
    slow.dram_gbps = 2000;
    slow.latency_ns = 250;
    slow.block_overhead_ns = 500;
    judge_round_trip(slow, &rtx3070);
}

static void test_nearest_architecture(void **state)
{
    (void)state;
    static const struct {
        unsigned capability;
        const char *nearest;
    } cases[] = {{90, "h200"},    {80, "a100"}, {86, "rtx3070"}, {89, "rtx3070"},
                 {87, "rtx3070"}, {70, "a100"}, {120, "h200"},   {75, "a100"}};
    static struct measurements gpu;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct device nearest;
        struct failure failure = {0};
        gpu.count = 0;
        add(&gpu, "attribute", "compute_capability", 0, 0, cases[i].capability, 0);
        assert_true(fit_find_nearest("profiler/devices", &gpu, &nearest, &failure));
        assert_int_equal(nearest.compute_capability, cases[i].nearest[0] == 'h'   ? 90
                                                     : cases[i].nearest[0] == 'a' ? 80
                                                                                  : 86);
    }
    struct device nearest;
    struct failure failure = {0};
    gpu.count = 0;
    add_attributes(&gpu, &a100);
    assert_true(fit_find_nearest("profiler/devices", &gpu, &nearest, &failure));
    assert_string_not_equal(nearest.title, a100.title);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_h200_from_its_measurements),
        cmocka_unit_test(test_round_trips),
        cmocka_unit_test(test_nearest_architecture),
    };
    return cmocka_run_group_tests(tests, read_all, NULL);
}
