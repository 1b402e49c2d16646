/* Tests of timing.c: each bound is computed by hand from round numbers. timing_measured_test.c
 * compares the model with measurements, and timing_test.sh tests the compiled labs.
 * check: course
 */
#include "emulator/time/timing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

static struct device toy;

static int read_device(void **state)
{
    (void)state;
    struct failure failure = {0};
    if (!device_find("profiler/devices", "toy", &toy, &failure)) {
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

/* The device `toy` has 2 SMs at 1 GHz, 16 GB/s, a latency of 100 ns, and 1 us per launch. */

struct toy_case {
    struct counters counters;
    struct memory_counts memory;
    struct timing_input input;
};

static void toy_start(struct toy_case *toy_case)
{
    *toy_case = (struct toy_case){
        .memory.partition_imbalance = -1,
        .input = {.blocks = 8,
                  .threads_per_block = 4,
                  .resident_blocks = 4,
                  .launches = 1,
                  .scatter = SCATTER_NONE},
    };
    toy_case->input.counters = &toy_case->counters;
    toy_case->input.memory = &toy_case->memory;
}

static void assert_bound(const struct toy_case *toy_case, enum bound bound, double us)
{
    struct timing timing = timing_estimate(&toy, &toy_case->input);
    assert_int_equal(timing.bound, bound);
    double first_us =
        toy_case->input.code.load_rounds ? 0.1 : 0; /* The first loads do not overlap. */
    assert_near(timing.bound_us[bound], us, 1e-9);
    assert_near(timing.time_us, bound == BOUND_LAUNCH ? us : us + 1 + first_us, 1e-9);
}

static void test_launch_alone(void **state)
{
    (void)state;
    struct toy_case toy_case;
    toy_start(&toy_case);
    assert_bound(&toy_case, BOUND_LAUNCH, 1);
    toy_case.input.blocks = 0;
    toy_case.input.resident_blocks = 0;
    assert_bound(&toy_case, BOUND_LAUNCH, 1);
}

/* 2 SMs at 1 GHz execute 32,000 warp instructions of 4 lanes, at 16 and 32 lanes per clock. */
static void test_pipes(void **state)
{
    (void)state;
    struct toy_case toy_case;
    toy_start(&toy_case);
    toy_case.input.code.pipe_slots[PIPE_SPECIAL] = 32000;
    assert_bound(&toy_case, BOUND_SPECIAL, 4);
    toy_case.input.code.pipe_slots[PIPE_SHUFFLE] = 128000;
    assert_bound(&toy_case, BOUND_SHUFFLE, 8);
    char text[256];
    struct timing timing = timing_estimate(&toy, &toy_case.input);
    bound_explain(&timing, &toy_case.input, &toy, text, sizeof text);
    assert_non_null(strstr(text, "shuffles"));
    toy_case.memory.atomics_us = 9;
    assert_bound(&toy_case, BOUND_ATOMIC, 9);
}

static void test_dram(void **state)
{
    (void)state;
    struct toy_case toy_case;
    toy_start(&toy_case);
    toy_case.memory.dram_read_bytes = 100000;
    toy_case.memory.dram_write_bytes = 60000;
    toy_case.memory.busiest_partition_bytes = 160000;
    assert_bound(&toy_case, BOUND_DRAM, 10);
}

static double dram_us(const struct toy_case *toy_case, const struct device *device)
{
    return timing_estimate(device, &toy_case->input).bound_us[BOUND_DRAM];
}

/* 80,000 bytes are read, and 80,000 are written. Each doubling of the pages above two adds 0.5 us
 * to reads and 1 us to writes, and twice as much if half of each piece is accessed. */
static void test_scatter(void **state)
{
    (void)state;
    struct toy_case toy_case;
    toy_start(&toy_case);
    toy_case.memory.dram_read_bytes = toy_case.memory.dram_write_bytes = 80000;
    struct device scattered = toy;
    scattered.dram_read_scatter = 0.1;
    scattered.dram_write_scatter = 0.2;
    static const struct {
        struct scatter scatter;
        double us;
    } expected[] = {
        {{{256, 256}, {2, 2}}, 10},        {{{128, 64}, {1, 2}}, 10},
        {{{256, 256}, {4, 2}}, 10.5},      {{{256, 256}, {2, 4}}, 11},
        {{{256, 256}, {16, 8}}, 10 + 3.5}, {{{128, 256}, {4, 4}}, 12},
        {{{256, 64}, {4, 4}}, 10 + 4.5},
    };
    for (unsigned i = 0; i < sizeof expected / sizeof *expected; i++) {
        toy_case.input.scatter = expected[i].scatter;
        assert_near(dram_us(&toy_case, &scattered), expected[i].us, 1e-9);
        assert_near(dram_us(&toy_case, &toy), 10, 1e-9);
    }
}

/* 4 SMs with 4 blocks of one warp have 16 rounds of loads in flight. 1600 bytes would be enough. */
static void test_crowding(void **state)
{
    (void)state;
    struct toy_case toy_case;
    toy_start(&toy_case);
    struct device crowded = toy;
    crowded.dram_crowding = 0.1;
    crowded.latency_ns = 100;
    crowded.multiprocessors = 4;
    toy_case.input.blocks = 100;
    toy_case.input.code.load_rounds = 100;
    toy_case.memory.dram_read_bytes = 160000;
    static const double expected[][2] = {{5000, 10}, {10000, 10}, {20000, 11}, {80000, 13}};
    for (unsigned i = 0; i < sizeof expected / sizeof *expected; i++) {
        toy_case.memory.l2_read_bytes = (uint64_t)expected[i][0];
        assert_near(dram_us(&toy_case, &crowded), expected[i][1], 1e-9);
        assert_near(dram_us(&toy_case, &toy), 10, 1e-9);
    }
    toy_case.input.blocks = 8; /* Fewer blocks than can be resident. */
    toy_case.memory.l2_read_bytes = 40000;
    assert_near(dram_us(&toy_case, &crowded), 11, 1e-9);
}

/* Lines that are dirty at the kernel's end take no time, up to 0.4 of the size of the L2. */
static void test_retained_stores(void **state)
{
    (void)state;
    struct toy_case toy_case;
    toy_start(&toy_case);
    struct device cached = toy;
    cached.l2_bytes = 200000;
    toy_case.memory.dram_write_bytes = 160000 + 80000;
    toy_case.memory.dram_flush_bytes = 80000;
    assert_near(dram_us(&toy_case, &cached), 10, 1e-9);
    toy_case.memory.dram_flush_bytes = 112000;
    assert_near(dram_us(&toy_case, &cached), 10, 1e-9);
    toy_case.memory.dram_flush_bytes = 64000;
    assert_near(dram_us(&toy_case, &cached), 11, 1e-9);
}

static void test_barrier_efficiency(void **state)
{
    (void)state;
    struct toy_case toy_case;
    toy_start(&toy_case);
    toy_case.memory.dram_read_bytes = 160000;
    toy_case.counters.barriers = 1;
    struct device slow = toy;
    slow.barrier_efficiency = 0.8;
    struct timing timing = timing_estimate(&slow, &toy_case.input);
    assert_near(timing.bound_us[BOUND_DRAM], 12.5, 1e-9);
}

static void test_partition(void **state)
{
    (void)state;
    struct toy_case toy_case;
    toy_start(&toy_case);
    toy_case.memory.dram_read_bytes = 160000;
    toy_case.memory.busiest_partition_bytes = 320000;
    assert_bound(&toy_case, BOUND_PARTITION, 20);
    toy_case.memory.busiest_partition_bytes = 200000;
    assert_bound(&toy_case, BOUND_DRAM, 10);
}

static void test_pipe(void **state)
{
    (void)state;
    struct toy_case toy_case;
    toy_start(&toy_case);
    toy_case.counters.shared_load_wavefronts = toy_case.counters.shared_load_ideal_wavefronts =
        12000;
    toy_case.counters.shared_store_wavefronts = toy_case.counters.shared_store_ideal_wavefronts =
        3000;
    toy_case.memory.lines = 5000;
    assert_bound(&toy_case, BOUND_SHARED, 10);
    toy_case.memory.lines = 20000;
    assert_bound(&toy_case, BOUND_LSU, 17.5);
}

static void test_issue(void **state)
{
    (void)state;
    struct toy_case toy_case;
    toy_start(&toy_case);
    toy_case.input.code.issue_slots = 40000;
    assert_bound(&toy_case, BOUND_ISSUE, 20);
    toy_case.input.blocks = 1;
    assert_bound(&toy_case, BOUND_ISSUE, 40);
}

/* Each of 10,000 conflicts takes half a slot. */
static void test_conflicts_that_are_issued_again(void **state)
{
    (void)state;
    struct toy_case toy_case;
    toy_start(&toy_case);
    toy_case.input.code.issue_slots = 40000;
    toy_case.counters.shared_load_wavefronts = 15000;
    toy_case.counters.shared_load_ideal_wavefronts = 5000;
    toy_case.counters.shared_store_wavefronts = 7000;
    toy_case.counters.shared_store_ideal_wavefronts = 7000;
    struct device replaying = toy;
    replaying.issue_slots_per_conflict = 0.5;
    struct timing timing = timing_estimate(&replaying, &toy_case.input);
    assert_near(timing.bound_us[BOUND_ISSUE], 22.5, 1e-9);
    timing = timing_estimate(&toy, &toy_case.input);
    assert_near(timing.bound_us[BOUND_ISSUE], 20, 1e-9);
}

/* 800 blocks of one warp, with 4 on each of 2 SMs at a time, are 100 waves of 100 ns. */
static void test_latency(void **state)
{
    (void)state;
    struct toy_case toy_case;
    toy_start(&toy_case);
    toy_case.input.blocks = 800;
    toy_case.input.code.load_rounds = 800;
    assert_bound(&toy_case, BOUND_LATENCY, 10);
    toy_case.input.code.load_rounds = 1600;
    assert_bound(&toy_case, BOUND_LATENCY, 20);
    toy_case.input.code.barrier_waits = 800;
    assert_bound(&toy_case, BOUND_LATENCY, 30);
}

/* If all loads hit the L1, a wait takes 40 clocks of 1 ns instead of 100 ns. With 2 loads in flight
 * and a hit rate of one half, 3 of 4 waits take 100 ns. */
static void test_latency_of_l1(void **state)
{
    (void)state;
    struct toy_case toy_case;
    toy_start(&toy_case);
    toy_case.input.blocks = 800;
    toy_case.input.code.load_rounds = 800;
    toy_case.counters.global_load_requests = 800;
    toy_case.memory.l1_hits = 800;
    assert_bound(&toy_case, BOUND_LATENCY, 4);
    toy_case.counters.global_load_requests = 1600;
    assert_bound(&toy_case, BOUND_LATENCY, 8.5);
}

/* An SM runs 400 blocks in sequence. Each block has 2 conflicts, at one conflict per clock. */
static void test_conflicts_delay_a_block(void **state)
{
    (void)state;
    struct toy_case toy_case;
    toy_start(&toy_case);
    toy_case.input.blocks = 800;
    toy_case.input.resident_blocks = 1;
    toy_case.counters.shared_load_wavefronts = 2400;
    toy_case.counters.shared_load_ideal_wavefronts = 800;
    struct timing timing = timing_estimate(&toy, &toy_case.input);
    assert_near(timing.bound_us[BOUND_LATENCY], 0.8, 1e-9);
}

/* 30 us of latency and 40 us of DRAM make 50 us; the launch and the first loads take 1.1 us. */
static void test_latency_grows_under_load(void **state)
{
    (void)state;
    struct toy_case toy_case;
    toy_start(&toy_case);
    toy_case.input.blocks = 800;
    toy_case.input.code.load_rounds = 2400;
    toy_case.memory.dram_read_bytes = 640000;
    struct timing timing = timing_estimate(&toy, &toy_case.input);
    assert_int_equal(timing.bound, BOUND_DRAM);
    assert_near(timing.time_us, 51.1, 1e-9);
}

static void test_l2(void **state)
{
    (void)state;
    struct toy_case toy_case;
    toy_start(&toy_case);
    toy_case.memory.l2_transactions = 20000;
    toy_case.memory.l2_store_transactions = 12000;
    assert_bound(&toy_case, BOUND_LAUNCH, 1); /* The device `toy` has no L2. */
    struct device cached = toy;
    cached.l2_gbps = 32;
    cached.l2_loads_per_clock = 0.2;
    cached.l2_stores_per_clock = 0.4;
    struct timing timing = timing_estimate(&cached, &toy_case.input);
    assert_int_equal(timing.bound, BOUND_L2);
    assert_near(timing.bound_us[BOUND_L2], 20, 1e-9);
    toy_case.memory.l2_store_transactions = 20000;
    timing = timing_estimate(&cached, &toy_case.input);
    assert_near(timing.bound_us[BOUND_L2], 25, 1e-9);
    toy_case.memory.l2_read_bytes = 960000;
    timing = timing_estimate(&cached, &toy_case.input);
    assert_near(timing.bound_us[BOUND_L2], 30, 1e-9);
    cached.l2_load_gbps = 24; /* Stores have 48 GB/s, so a copy has 32 GB/s. */
    timing = timing_estimate(&cached, &toy_case.input);
    assert_near(timing.bound_us[BOUND_L2], 40, 1e-9);
    toy_case.memory.l2_write_bytes = 960000;
    timing = timing_estimate(&cached, &toy_case.input);
    assert_near(timing.bound_us[BOUND_L2], 60, 1e-9);
    char text[128];
    timing_explain(&timing, text, sizeof text);
    assert_string_equal(text, "l2 60 us, launch 1 us -> 61 us, limited by l2");
}

/* Blocks start every 10 ns. The starts overlap with latency: the longer time counts. */
static void test_starts_of_blocks(void **state)
{
    (void)state;
    struct toy_case toy_case;
    char text[128];
    toy_start(&toy_case);
    toy_case.input.blocks = 4000;
    struct device slow = toy;
    slow.grid_block_ns = 10;
    struct timing timing = timing_estimate(&slow, &toy_case.input);
    assert_int_equal(timing.bound, BOUND_LATENCY);
    assert_near(timing.time_us, 41, 1e-9);
    bound_explain(&timing, &toy_case.input, &slow, text, sizeof text);
    assert_string_equal(text,
                        "limited by the start of blocks: 4000 blocks of 4 threads. Use larger "
                        "blocks, or more work per thread");
    toy_case.input.code.load_rounds = 4000; /* 500 blocks in sequence wait 100 ns each. */
    timing = timing_estimate(&slow, &toy_case.input);
    assert_near(timing.time_us, 51.1, 1e-9);
}

/* 16 threads per SM use local memory. The L1 has 1 KiB, and the L2 has 32 GB/s. */
static void test_local_memory(void **state)
{
    (void)state;
    struct toy_case toy_case;
    toy_start(&toy_case);
    toy_case.input.local_bytes = 64;
    toy_case.input.code.local_load_bytes = 640000;
    toy_case.input.code.local_store_bytes = 320000;
    struct device cached = toy;
    cached.l1_bytes = 1024;
    cached.l2_gbps = 32;
    struct timing timing = timing_estimate(&cached, &toy_case.input);
    assert_int_equal(timing.bound, BOUND_LSU); /* 60,000 lines of 16 bytes, 2 per clock. */
    assert_near(timing.bound_us[BOUND_LSU], 30, 1e-9);
    assert_near(timing.bound_us[BOUND_L2], 0, 1e-9);
    toy_case.input.local_bytes = 68;
    timing = timing_estimate(&cached, &toy_case.input);
    assert_near(timing.bound_us[BOUND_L2], 30, 1e-9);
}

/* Words of constant memory take 2 clocks of an SM. If a block uses 4 KiB, twice the size of the
 * cache, half of its words take 27 clocks more. */
static void test_constant_memory(void **state)
{
    (void)state;
    struct toy_case toy_case;
    toy_start(&toy_case);
    toy_case.counters.constant_words = 1000000;
    toy_case.counters.constant_lines = toy_case.input.blocks * 32;
    const double us = 1e6 / (double)toy.multiprocessors / toy.clock_mhz;
    assert_bound(&toy_case, BOUND_CONSTANT, 2 * us);
    toy_case.counters.constant_lines = toy_case.input.blocks * 64;
    assert_bound(&toy_case, BOUND_CONSTANT, 15.5 * us);
}

static void test_many_launches(void **state)
{
    (void)state;
    struct toy_case toy_case;
    toy_start(&toy_case);
    toy_case.input.launches = 10;
    toy_case.input.code.load_rounds = 80;
    struct timing timing = timing_estimate(&toy, &toy_case.input);
    assert_near(timing.bound_us[BOUND_LAUNCH], 10, 1e-9);
    assert_near(timing.bound_us[BOUND_LATENCY], 1, 1e-9); /* Ten waves of 100 ns. */
    assert_near(timing.time_us, 12, 1e-9); /* Plus 100 ns for the first loads of each launch. */
}

static void test_names(void **state)
{
    (void)state;
    assert_string_equal(bound_name(BOUND_DRAM), "dram");
    assert_string_equal(bound_name(BOUND_PARTITION), "dram_partition");
    assert_string_equal(bound_name(BOUND_LAUNCH), "launch");
    assert_string_equal(bound_name(BOUND_COUNT), "unknown");
}

static void test_additions(void **state)
{
    (void)state;
    struct toy_case toy_case;
    char text[256];
    toy_start(&toy_case);
    struct device device = toy;
    device.dram_read_scatter = 0.1;
    device.issue_slots_per_conflict = 0.5;
    toy_case.memory.dram_read_bytes = 1600000;
    toy_case.input.scatter.piece_bytes[0] = 128;
    toy_case.input.scatter.pages[0] = 8;
    struct timing timing = timing_estimate(&device, &toy_case.input);
    bound_explain(&timing, &toy_case.input, &device, text, sizeof text);
    assert_string_equal(text, "limited by DRAM: 1.6 MB at 11 GB/s, 71 % of the peak of 16 GB/s; "
                              "loads are scattered over 8 pages at a time, in pieces of 128 bytes");
    toy_case.input.scatter = SCATTER_NONE;
    toy_case.input.code.load_rounds = 8 * 800;
    timing = timing_estimate(&device, &toy_case.input);
    bound_explain(&timing, &toy_case.input, &device, text, sizeof text);
    assert_non_null(strstr(
        text, "; latency limits the time nearly as much: each warp waits 800.0 times for loads"));
    toy_start(&toy_case);
    toy_case.input.code.issue_slots = 40000;
    toy_case.counters.global_load_requests = 1000;
    toy_case.counters.shared_load_wavefronts = 20000;
    timing = timing_estimate(&device, &toy_case.input);
    bound_explain(&timing, &toy_case.input, &device, text, sizeof text);
    assert_string_equal(text, "limited by instruction issue: 50.0 warp instructions per global "
                              "access of a warp, including 10.0 replays for bank conflicts");
}

static void test_every_bound_has_a_sentence(void **state)
{
    (void)state;
    struct toy_case toy_case;
    toy_start(&toy_case);
    struct timing timing = timing_estimate(&toy, &toy_case.input);
    for (unsigned b = 0; b < BOUND_COUNT; b++) {
        char text[256], little[12];
        timing.bound = (enum bound)b;
        bound_explain(&timing, &toy_case.input, &toy, text, sizeof text);
        assert_memory_equal(text, "limited by ", 11);
        bound_explain(&timing, &toy_case.input, &toy, little, sizeof little);
        assert_string_equal(little, "limited by ");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_launch_alone),
        cmocka_unit_test(test_pipes),
        cmocka_unit_test(test_dram),
        cmocka_unit_test(test_scatter),
        cmocka_unit_test(test_crowding),
        cmocka_unit_test(test_retained_stores),
        cmocka_unit_test(test_barrier_efficiency),
        cmocka_unit_test(test_partition),
        cmocka_unit_test(test_pipe),
        cmocka_unit_test(test_issue),
        cmocka_unit_test(test_conflicts_that_are_issued_again),
        cmocka_unit_test(test_latency),
        cmocka_unit_test(test_latency_of_l1),
        cmocka_unit_test(test_conflicts_delay_a_block),
        cmocka_unit_test(test_latency_grows_under_load),
        cmocka_unit_test(test_l2),
        cmocka_unit_test(test_starts_of_blocks),
        cmocka_unit_test(test_local_memory),
        cmocka_unit_test(test_constant_memory),
        cmocka_unit_test(test_many_launches),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_additions),
        cmocka_unit_test(test_every_bound_has_a_sentence),
    };
    return cmocka_run_group_tests(tests, read_device, NULL);
}
