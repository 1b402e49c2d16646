/* Tests of timing_share.c with invented statistics, so that shares can be computed by hand. */
#include "emulator/launch_test.h"
#include "emulator/time/timing_share.h"

#include <math.h>

static const char text[] =
    ".version 7.8\n.target sm_80\n.address_size 64\n"
    ".func callee()\n{\nret;\n}\n"
    ".visible .entry k(.param .u64 p)\n{\n.reg .b64 %d<3>;\n.reg .b32 %r<4>;\n"
    ".shared .b32 tile[32];\n"
    "ld.param.u64 %d1, [p];\n"
    "ld.global.b32 %r1, [%d1];\n"
    "st.shared.b32 [tile], %r1;\n"
    "bar.sync 0;\n"
    "ld.shared.b32 %r2, [tile];\n"
    "st.global.b32 [%d1], %r2;\n"
    "ret;\n}\n";

enum { PARAMETER, LOAD, TILE_STORE, BARRIER, TILE_LOAD, STORE, RET, INSTRUCTIONS };

/* Ten warps load a row, store it to the tile, load the tile from one bank, and store a column. */
static const struct instruction_stats stats[INSTRUCTIONS] = {
    [PARAMETER] = {.executed = 10},
    [LOAD] = {.executed = 10, .requests = 10, .sectors = 40, .transactions = 10},
    [TILE_STORE] = {.executed = 10, .requests = 10, .wavefronts = 10, .ideal = 10},
    [BARRIER] = {.executed = 10},
    [TILE_LOAD] = {.executed = 10, .requests = 10, .wavefronts = 320, .ideal = 10},
    [STORE] = {.executed = 10, .requests = 10, .sectors = 320, .transactions = 320},
    [RET] = {.executed = 10},
};

static const struct share_case {
    const char *device;
    enum bound resource;
    double work[INSTRUCTIONS];
} cases[] = {
    {"h200", BOUND_DRAM, {[LOAD] = 40, [STORE] = 320}},
    {"gtx280", BOUND_PARTITION, {[LOAD] = 40, [STORE] = 320}},
    {"h200", BOUND_L2, {[LOAD] = 10, [STORE] = 320}},
    {"h200", BOUND_LSU, {[LOAD] = 10, [TILE_STORE] = 10, [TILE_LOAD] = 320, [STORE] = 320}},
    {"h200", BOUND_SHARED, {[LOAD] = 10, [TILE_STORE] = 10, [TILE_LOAD] = 320, [STORE] = 320}},
    /* A load of a parameter takes no slot. */
    {"h200", BOUND_ISSUE, {0, 10, 10, 10, 10, 10, 10}},
    /* Each of 310 conflicts takes half a slot. */
    {"gtx280", BOUND_ISSUE, {0, 10, 10, 10, 10 + 155, 10, 10}},
    {"h200", BOUND_LATENCY, {[LOAD] = 10}},
};

static void test_shares(void **state)
{
    (void)state;
    struct bench bench;
    struct guest_memory memory;
    struct program program;
    struct failure failure = {0};
    bench_parse(&bench, text, strlen(text), "shares.ptx");
    memory_init(&memory);
    if (!program_create(&bench.module, &memory, &program, &failure))
        fail_msg("%s", failure.text);
    struct instruction_stats all[1 + INSTRUCTIONS] = {0}; /* Element 0 is the callee's `ret`. */
    assert_int_equal(program.instruction_count, 1 + INSTRUCTIONS);
    memcpy(all + 1, stats, sizeof stats);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct share_case *c = &cases[i];
        struct device device;
        double shares[1 + INSTRUCTIONS], total = 0;
        /* The launch takes a quarter of the time. The largest other bound is longer or shorter. */
        struct timing timing = {.time_us = 4, .bound = c->resource};
        timing.bound_us[BOUND_LAUNCH] = 1;
        timing.bound_us[c->resource] = i % 2 ? 3 : 0.5;
        timing.bound_us[c->resource == BOUND_LATENCY ? BOUND_DRAM : BOUND_LATENCY] = 0.25;
        bench_device(c->device, &device);
        assert_true(timing_shares(&timing, &program, all, &device, shares));
        for (unsigned k = 0; k < INSTRUCTIONS; k++)
            total += c->work[k];
        assert_true(shares[0] == 0);
        for (unsigned k = 0; k < INSTRUCTIONS; k++)
            if (fabs(shares[1 + k] - 0.75 * c->work[k] / total) > 1e-12)
                fail_msg("%s, %s: instruction %u has a share of %g", c->device,
                         bound_name(c->resource), k, shares[1 + k]);
    }
    program_free(&program);
    memory_free(&memory);
    bench_close(&bench);
}

static void test_no_work(void **state)
{
    (void)state;
    struct bench bench;
    struct guest_memory memory;
    struct program program;
    struct failure failure = {0};
    struct device device;
    struct instruction_stats none[1 + INSTRUCTIONS] = {0};
    double shares[1 + INSTRUCTIONS];
    struct timing timing = {.time_us = 1, .bound = BOUND_LAUNCH, .bound_us = {[BOUND_LAUNCH] = 1}};
    bench_device("h200", &device);
    bench_parse(&bench, text, strlen(text), "shares.ptx");
    memory_init(&memory);
    if (!program_create(&bench.module, &memory, &program, &failure))
        fail_msg("%s", failure.text);
    assert_true(timing_shares(&timing, &program, none, &device, shares));
    for (unsigned k = 0; k <= INSTRUCTIONS; k++)
        assert_true(shares[k] == 0);
    program_free(&program);
    memory_free(&memory);
    bench_close(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shares),
        cmocka_unit_test(test_no_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
