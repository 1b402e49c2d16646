/* clock_test.c: compares the values that kernels read from %clock64 with those of an H200. */
#include "emulator/launch_test.h"

#include <math.h>

enum { LOADS = 16, ELEMENTS = 1 << 20 };

static struct device h200;
static struct bench bench;
static double modelled_us;
static struct dimensions grid = {1, 1, 1}, block = {32, 1, 1};

static const char before[] =
    ".version 7.8\n.target sm_80\n.address_size 64\n"
    ".visible .entry k(.param .u64 po, .param .u64 pi, .param .u32 pn)\n"
    "{\n.reg .pred %p;\n.reg .b32 %r<20>;\n.reg .b64 %d<20>;\n.shared .align 4 .b8 line[8192];\n"
    "ld.param.u64 %d0, [po];\nld.param.u64 %d1, [pi];\nld.param.u32 %r1, [pn];\n"
    "mov.u32 %r0, %tid.x;\nmul.lo.u32 %r2, %r0, %r1;\nmov.u32 %r3, line;\nmov.u32 %r4, 0;\n"
    "mov.u32 %r5, %ctaid.x;\nmov.u32 %r6, %ntid.x;\nmad.lo.u32 %r6, %r5, %r6, %r0;\n"
    "mul.wide.u32 %d2, %r6, 4;\nadd.u64 %d0, %d0, %d2;\nmul.wide.u32 %d3, %r2, 4;\n"
    "add.u64 %d3, %d1, %d3;\nshl.b32 %r7, %r2, 2;\nand.b32 %r7, %r7, 8188;\nadd.u32 %r3, %r3, "
    "%r7;\n"
    "st.shared.u32 [%r3], %r4;\nbar.sync 0;\nmov.u64 %d8, %clock64;\n";
static const char after[] = "mov.u64 %d9, %clock64;\nsub.u64 %d9, %d9, %d8;\nLAST:\n"
                            "cvt.u32.u64 %r10, %d9;\nst.global.u32 [%d0], %r10;\nret;\n}\n";

/* Returns the cycles of `times` copies of `text`, in thread 0. In copy i, 128 * i replaces `#`. */
static double cycles(const char *text, int times, int n)
{
    static char module[1 << 16];
    size_t length = (size_t)snprintf(module, sizeof module, "%s", before);
    for (int i = 0; i < times; i++) {
        const char *number = strchr(text, '#');
        length += (size_t)snprintf(module + length, sizeof module - length, "%.*s",
                                   number ? (int)(number - text) : (int)strlen(text), text);
        if (number)
            length += (size_t)snprintf(module + length, sizeof module - length, "%d%s", 128 * i,
                                       number + 1);
    }
    length += (size_t)snprintf(module + length, sizeof module - length, "%s", after);
    bench_close(&bench);
    bench_parse(&bench, module, length, "clock.ptx");
    bench_arrays(&bench, grid.x * block.x, ELEMENTS, 1);
    struct bench_launch launch = {.kernel = "k",
                                  .grid = grid,
                                  .block = block,
                                  .n = n,
                                  .device = &h200,
                                  .model_memory = true,
                                  .mode = LAUNCH_COUNT};
    if (!bench_run(&bench, &launch))
        fail_msg("%s", bench.failure.text);
    double counted = bench.out[0];
    modelled_us = bench.result.timing.time_us;
    launch.mode = LAUNCH_COMPUTE;
    launch.model_memory = false;
    assert_true(bench_run(&bench, &launch));
    assert_int_equal(bench.out[0], counted);
    return counted;
}

static double measured(const char *name)
{
    FILE *file = fopen("profiler/emulator/testdata/clock_h200.csv", "r");
    assert_non_null(file);
    char line[64], found[32];
    double value = 0;
    while (fgets(line, sizeof line, file) &&
           !(sscanf(line, "%31[^,],%lf", found, &value) == 2 && strcmp(found, name) == 0))
        value = 0;
    fclose(file);
    assert_true(value > 0);
    return value;
}

static double cycles_more(const char *text)
{
    return (cycles(text, 1 + LOADS, 0) - cycles(text, 1, 0)) / LOADS;
}

static void assert_near(double found, double expected)
{
    if (fabs(found - expected) > 0.05 * expected)
        fail_msg("%.1f cycles, on an H200 %.1f", found, expected);
}

/* A load, and two instructions that compute the next address from the loaded value, which is 0. */
#define NEXT(offset)                                                                               \
    "ld.global.u32 %r8, [%d3+" offset "];\ncvt.u64.u32 %d4, %r8;\nadd.u64 %d3, %d3, %d4;\n"
enum { MAKING_CYCLES = 2 * 4 };

static void test_latency(void **state)
{
    (void)state;
    static const char in_l2[] = "ld.global.cg.u32 %r8, [%d3];\ncvt.u64.u32 %d4, %r8;\n"
                                "add.u64 %d3, %d3, %d4;\n";
    static const char in_shared[] = "ld.shared.u32 %r8, [%r3];\nadd.u32 %r3, %r3, %r8;\n";
    assert_near(cycles_more(NEXT("#")) - MAKING_CYCLES, measured("dram"));
    assert_near(cycles_more(NEXT("0")) - MAKING_CYCLES, measured("l1"));
    assert_near(cycles_more(in_l2) - MAKING_CYCLES, measured("l2"));
    assert_near(cycles_more(in_shared) - MAKING_CYCLES / 2, measured("shared"));
    double latency = measured("dram");
    assert_in_range(cycles("ld.global.u32 %r8, [%d3+#];\n", LOADS, 0), latency, 1.5 * latency);
}

static void test_conflicts(void **state)
{
    (void)state;
    static const char load[] = "ld.shared.u32 %r8, [%r3];\n";
    double none = cycles(load, LOADS, 1);
    for (int ways = 2; ways <= 32; ways *= 2)
        assert_int_equal(cycles(load, LOADS, ways) - none, LOADS * (ways - 1));
    static const char store[] = "st.shared.u32 [%r3], %r4;\n";
    assert_int_equal(cycles(store, LOADS, 32) - cycles(store, LOADS, 1), LOADS * 31);
}

static void test_strides(void **state)
{
    (void)state;
    static const char load[] = "ld.global.u32 %r8, [%d3+#];\n";
    grid.x = 264;
    block.x = 1024;
    double dense = cycles(load, 1, 1), strided = cycles(load, 1, 32);
    double bytes = 132.0 * 2048 * 32, ns = bytes / (h200.dram_gbps * h200.dram_efficiency);
    assert_in_range(strided, ns * h200.clock_mhz / 1000, 1.1 * ns * h200.clock_mhz / 1000);
    assert_true(strided > 3 * dense);
    grid.x = 1;
    block.x = 32;
}

static void test_barrier(void **state)
{
    (void)state;
    static const char text[] = "setp.ge.u32 %p, %r0, 32;\n@%p bra OVER;\n"
#define FOUR                                                                                       \
    "add.u32 %r4, %r4, 1;\nadd.u32 %r4, %r4, 1;\nadd.u32 %r4, %r4, 1;\nadd.u32 %r4, %r4, 1;\n"
        FOUR FOUR FOUR FOUR FOUR "OVER:\nbar.sync 0;\n";
    block.x = 64;
    double first = cycles(text, 1, 0), second = bench.out[32];
    assert_in_range(first, 4 * 20, 4 * 20 + 60);
    assert_in_range(fabs(first - second), 0, 8);
    static const int warps[] = {1, 4, 8, 16, 32};
    for (unsigned i = 0; i < sizeof warps / sizeof *warps; i++) {
        char name[16];
        snprintf(name, sizeof name, "barrier_%d", warps[i]);
        block.x = 32 * (unsigned)warps[i];
        assert_near(cycles_more("bar.sync 0;\n"), measured(name));
    }
    block.x = 32;
}

static void test_timer(void **state)
{
    (void)state;
    static const char text[] = "mov.u64 %d10, %globaltimer;\n" NEXT("0") NEXT(
        "4096") "mov.u64 %d11, %globaltimer;\nmov.u64 %d12, %clock64;\nsub.u64 %d9, %d11, %d10;\n"
                "bra LAST;\n";
    double ns = cycles(text, 1, 0);
    double loads = 2 * measured("dram") * 1000 / h200.clock_mhz;
    assert_in_range(ns, loads, loads + 60);
}

/* A kernel that waits 100 us takes 100 us. A kernel that only reads the clock does not wait. */
static void test_waiting(void **state)
{
    (void)state;
    static const char text[] = "add.u64 %d10, %d8, 198000;\nWAIT:\nmov.u64 %d11, %clock64;\n"
                               "setp.lt.u64 %p, %d11, %d10;\n@%p bra WAIT;\n";
    cycles(text, 1, 0);
    assert_in_range(modelled_us, 198000 / h200.clock_mhz, 1.1 * 198000 / h200.clock_mhz);
    cycles("add.u32 %r4, %r4, 1;\n", 300, 0);
    assert_in_range(modelled_us, 1, h200.launch_us + 1);
}

int main(void)
{
    bench_device("h200", &h200);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_latency), cmocka_unit_test(test_conflicts),
        cmocka_unit_test(test_strides), cmocka_unit_test(test_barrier),
        cmocka_unit_test(test_timer),   cmocka_unit_test(test_waiting),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    bench_close(&bench);
    return failed;
}
