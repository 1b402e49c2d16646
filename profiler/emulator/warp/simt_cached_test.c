/* Tests of the addresses that a warp caches for later instructions (simt_access.c), and of the fast
 * path for rows and single locations (memory_move_quickly). */
#include "emulator/launch_test.h"

enum { THREADS = 64, IN = 256 };

static struct device h200;
static struct bench bench;

/* %r1 is the thread (0 to 63). %rd1, %rd2 and %r4 address its elements of in, out and box. */
#define HEAD                                                                                       \
    ".version 8.0\n.target sm_80\n.address_size 64\n"                                              \
    ".visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n) {\n"                        \
    ".reg .pred %p<4>; .reg .b32 %r<20>; .reg .b64 %rd<12>;\n"                                     \
    ".shared .align 16 .b8 box[1024];\n"                                                           \
    "ld.param.u64 %rd3, [in]; ld.param.u64 %rd4, [out]; cvta.to.global.u64 %rd3, %rd3;\n"          \
    "cvta.to.global.u64 %rd4, %rd4; mov.u32 %r1, %tid.x; mul.wide.u32 %rd5, %r1, 4;\n"             \
    "add.s64 %rd1, %rd3, %rd5; add.s64 %rd2, %rd4, %rd5; shl.b32 %r2, %r1, 2;\n"                   \
    "mov.u32 %r3, box; add.s32 %r4, %r3, %r2; mov.u32 %r10, 0;\n"
#define LOAD(at) "ld.global.u32 %r11, [%rd1+" #at "]; add.s32 %r10, %r10, %r11;\n"
#define SHARED(at) "ld.shared.u32 %r11, [%r4+" #at "]; add.s32 %r10, %r10, %r11;\n"
#define TAIL "st.global.u32 [%rd2], %r10; ret; }\n"
#define FILL                                                                                       \
    "ld.global.u32 %r5, [%rd1]; st.shared.u32 [%r4], %r5; ld.global.u32 %r5, [%rd1+256];\n"        \
    "st.shared.u32 [%r4+256], %r5; bar.sync 0;\n"

static const int *in;

static int neighbours(int t)
{
    return in[t] + in[t + 1] + in[t + 64];
}
static int moved(int t)
{
    return in[t + 1] + in[t + 2] + in[t + 4];
}
static int steps(int t)
{
    int sum = 0;
    for (int i = 0; i <= t % 5; i++)
        sum += in[t + i] + in[t + i + 3];
    return sum;
}
static int one_place(int t)
{
    (void)t;
    return in[0] + in[1] + in[7];
}
static int rows_of_16(int t)
{
    return in[t % 16] + in[t % 16 + 1] + in[t % 16 + 32];
}
static int below(int t)
{
    return in[t + 2] + in[t] + in[t + 1];
}
static int chased(int t)
{
    return in[in[t] % 32] + in[in[t] % 32 + 1];
}
static int odd_lanes(int t)
{
    return t % 2 ? in[t] + in[t + 1] : in[t + 5] + in[t + 6];
}
static int guarded(int t)
{
    return t % 2 ? in[t + 9] + in[t + 1] : in[t + 1];
}
static int few(int t)
{
    return t < 20 ? in[0] + in[1] : 0;
}

static int row_and_place(int t)
{
    return t & 16 ? in[t] + in[t + 1] : in[0] + in[1];
}
static int other_half(int t)
{
    return in[t ^ 16];
}
static int every_second(int t)
{
    return in[2 * t] + in[2 * t + 2];
}
static int neighbour_or_own(int t)
{
    return in[t % 2 ? t ^ 30 : t] + (t % 2 ? t : 0);
}
static int last_lane(int t)
{
    return t | 31;
}
static int nothing(int t)
{
    (void)t;
    return 0;
}
static int three_pairs(int t)
{
    return in[t] + 2 * (in[t + 1] + in[t + 2]) + in[t + 3];
}
static int three_times(int t)
{
    return 3 * t;
}
static int pair(int t)
{
    return in[t] + in[t + 1];
}

static const struct sample {
    const char *name, *code;
    int (*expected)(int t);
    const char *failure;
} samples[] = {
    {"offsets", LOAD(0) LOAD(4) LOAD(256), neighbours, NULL},
    {"shared offsets", FILL SHARED(0) SHARED(4) SHARED(256), neighbours, NULL},
    {"the base changes", LOAD(4) LOAD(8) "add.s64 %rd1, %rd1, 8;\n" LOAD(8), moved, NULL},
    {"the shared base changes", FILL SHARED(4) SHARED(8) "add.s32 %r4, %r4, 8;\n" SHARED(8), moved,
     NULL},
    {"a loop that lanes leave",
     "rem.u32 %r6, %r1, 5;\nLOOP: " LOAD(0) LOAD(12) "add.s64 %rd1, %rd1, 4; sub.s32 %r6, %r6, 1;\n"
                                                     "setp.ge.s32 %p1, %r6, 0; @%p1 bra LOOP;\n",
     steps, NULL},
    {"one address", "mov.u64 %rd1, %rd3;\n" LOAD(0) LOAD(4) LOAD(28), one_place, NULL},
    {"one shared address", FILL "mov.u32 %r4, %r3;\n" SHARED(0) SHARED(4) SHARED(28), one_place,
     NULL},
    {"rows of 16",
     "and.b32 %r6, %r1, 15; mul.wide.u32 %rd6, %r6, 4; add.s64 %rd1, %rd3, %rd6;\n" LOAD(0) LOAD(4)
         LOAD(128),
     rows_of_16, NULL},
    {"shared rows of 16",
     FILL "and.b32 %r6, %r2, 63; add.s32 %r4, %r3, %r6;\n" SHARED(0) SHARED(4) SHARED(128),
     rows_of_16, NULL},
    {"below the base", FILL "add.s32 %r4, %r4, 8;\n" SHARED(0) SHARED(-8) SHARED(-4), below, NULL},
    {"addresses that are loaded",
     FILL "ld.shared.u32 %r6, [%r4]; and.b32 %r6, %r6, 31; shl.b32 %r6, %r6, 2; add.s32 %r4, %r3, "
          "%r6;\n" SHARED(0) SHARED(4),
     chased, NULL},
    {"the base is overwritten by a load",
     FILL "bar.sync 0; and.b32 %r6, %r5, 0; ld.shared.u32 %r7, [%r4]; and.b32 %r7, %r7, 31;\n"
          "shl.b32 %r7, %r7, 2; add.s32 %r7, %r7, %r3; bar.sync 0; st.shared.u32 [%r4+512], %r7;\n"
          "ld.shared.u32 %r4, [%r4+512]; ld.shared.u32 %r11, [%r4]; ld.shared.u32 %r12, [%r4+4];\n"
          "add.s32 %r10, %r11, %r12;\n",
     chased, NULL},
    {"two branches",
     "and.b32 %r6, %r1, 1; setp.eq.u32 %p1, %r6, 1; @%p1 bra ODD;\n" LOAD(20)
         LOAD(24) "bra END;\nODD: " LOAD(0) LOAD(4) "END:\n",
     odd_lanes, NULL},
    {"a guarded load before an unguarded one",
     "and.b32 %r6, %r1, 1; setp.eq.u32 %p1, %r6, 1; mov.u32 %r11, 0;\n"
     "@%p1 ld.global.u32 %r11, [%rd1+36]; add.s32 %r10, %r10, %r11;\n" LOAD(4),
     guarded, NULL},
    {"lanes synchronize between the loads", /* Both paths join at END, so both execute X. */
     "and.b32 %r6, %r1, 1; setp.eq.u32 %p1, %r6, 1; setp.eq.u32 %p2, %r1, 99; @%p1 bra X;\n"
     "@%p2 bra END;\nX: " LOAD(0) "bar.warp.sync -1;\n" LOAD(4) "END:\n",
     pair, NULL},
    {"a load on the fast path, then a load with the same base on the slow path",
     "mov.u32 %r6, 0;\nLOOP: " LOAD(
         0) "ld.volatile.global.u32 %r11, [%rd1+4];\n"
            "add.s32 %r10, %r10, %r11; add.s64 %rd1, %rd1, 4; add.s32 %r6, %r6, 1;\n"
            "setp.lt.s32 %p1, %r6, 3; @%p1 bra LOOP;\n",
     three_pairs, NULL},
    {"loads that the assembler fuses, with different banks in each block",
     FILL "and.b32 %r6, %r1, 16; mov.u32 %r7, %ctaid.x; mul.lo.s32 %r8, %r6, %r7;\n"
          "shl.b32 %r9, %r8, 3; and.b32 %r12, %r9, -16; add.s32 %r13, %r3, %r12;\n"
          "ld.shared.u32 %r14, [%r13]; ld.shared.u32 %r15, [%r13+4];\n",
     nothing, NULL},
    {"a row and one address",
     "and.b32 %r6, %r1, 16; setp.eq.u32 %p1, %r6, 0; selp.b64 %rd1, %rd3, %rd1, %p1;\n" LOAD(0)
         LOAD(4),
     row_and_place, NULL},
    {"the halves of a warp are swapped",
     "xor.b32 %r6, %r2, 64; add.s32 %r6, %r6, %r3; ld.global.u32 %r5, [%rd1];\n"
     "st.shared.u32 [%r6], %r5; bar.sync 0; ld.shared.u32 %r10, [%r4];\n",
     other_half, NULL},
    {"a guarded shared load, with invalid addresses in inactive lanes",
     FILL "and.b32 %r6, %r1, 1; setp.eq.u32 %p1, %r6, 1; mov.u32 %r11, 0; mov.u32 %r7, %r4;\n"
          "@!%p1 mov.u32 %r7, 0x40000000; @%p1 ld.shared.u32 %r11, [%r7+36];\n"
          "add.s32 %r10, %r10, %r11;\n" SHARED(4),
     guarded, NULL},
    {"odd lanes store to shared memory in another order", /* Even lanes have invalid addresses. */
     "ld.global.u32 %r5, [%rd1]; st.shared.u32 [%r4], %r5; bar.sync 0; and.b32 %r6, %r1, 1;\n"
     "setp.eq.u32 %p1, %r6, 1; ld.shared.u32 %r10, [%r4]; bar.sync 0; xor.b32 %r6, %r2, 120;\n"
     "add.s32 %r6, %r6, %r3; @!%p1 mov.u32 %r6, -8; add.s32 %r7, %r10, %r1;\n"
     "@%p1 xor.b32 %r8, %r1, 30; @%p1 add.s32 %r7, %r10, %r8; @%p1 st.shared.u32 [%r6], %r7;\n"
     "bar.sync 0; ld.shared.u32 %r10, [%r4];\n",
     neighbour_or_own, NULL},
    {"one of a few lanes is out of bounds in shared memory",
     FILL "setp.eq.u32 %p1, %r1, 3; @%p1 add.s32 %r4, %r4, 1012; setp.lt.u32 %p2, %r1, 9;\n"
          "@%p2 ld.shared.u32 %r10, [%r4];\n",
     NULL, "out of bounds"},
    {"one of a few lanes is misaligned in shared memory",
     FILL "setp.eq.u32 %p1, %r1, 3; @%p1 add.s32 %r4, %r4, 2; setp.lt.u32 %p2, %r1, 9;\n"
          "@%p2 ld.shared.u32 %r10, [%r4];\n",
     NULL, "not a multiple of 4"},
    {"8 bytes",
     "add.s64 %rd1, %rd1, %rd5; ld.global.u64 %rd6, [%rd1]; ld.global.u64 %rd7, [%rd1+8];\n"
     "cvt.u32.u64 %r5, %rd6; cvt.u32.u64 %r6, %rd7; add.s32 %r10, %r5, %r6;\n",
     every_second, NULL},
    {"one address of 8 bytes, and rows",
     "shl.b32 %r6, %r2, 1; add.s32 %r6, %r6, %r3; cvt.u64.u32 %rd6, %r1; bar.sync 0;\n"
     "st.shared.u64 [%r6], %rd6; bar.sync 0; and.b32 %r7, %r1, 32; shl.b32 %r7, %r7, 3;\n"
     "add.s32 %r7, %r7, %r3; ld.shared.u64 %rd7, [%r7+248]; cvt.u32.u64 %r10, %rd7;\n",
     last_lane, NULL},
    {"the second half is out of bounds",
     "and.b32 %r6, %r1, 16; setp.eq.u32 %p1, %r6, 0; add.s64 %rd6, %rd3, 1024;\n"
     "selp.b64 %rd1, %rd1, %rd6, %p1;\n" LOAD(0),
     NULL, "reads 4 bytes out of bounds"},
    {"the last lanes of a row are out of bounds in the second iteration",
     "mov.u32 %r6, 0;\nLOOP: " LOAD(0) "add.s64 %rd1, %rd1, 800; add.s32 %r6, %r6, 1;\n"
                                       "setp.lt.s32 %p1, %r6, 2; @%p1 bra LOOP;\n",
     NULL, "reads 4 bytes out of bounds"},
    {"the last lanes of a shared row are out of bounds", FILL SHARED(800), NULL, "out of bounds"},
    {"the second half is misaligned",
     "and.b32 %r6, %r1, 16; shr.u32 %r6, %r6, 3; add.s32 %r4, %r4, %r6;\n" FILL SHARED(0), NULL,
     "not a multiple of 4"},
    {"a few lanes", "setp.ge.u32 %p1, %r1, 20; @%p1 ret; mov.u64 %rd1, %rd3;\n" LOAD(0) LOAD(4),
     few, NULL},
    {"stores",
     LOAD(0) LOAD(4) LOAD(256) "st.global.u32 [%rd2+256], %r1; st.global.u32 [%rd2+512], %r1;\n",
     neighbours, NULL},
    {"different lanes in each block write a block-invariant register",
     "mov.u32 %r5, %ctaid.x; xor.b32 %r6, %r5, %r1; and.b32 %r6, %r6, 1; setp.eq.u32 %p1, %r6, 0;\n"
     "@%p1 bra EVEN; mul.lo.u32 %r8, %r1, 3; mov.u32 %r10, %r8; bra END;\n"
     "EVEN: shl.b32 %r9, %r1, 1; add.u32 %r10, %r9, %r1;\nEND:\n",
     three_times, NULL},
    {"the last block does not write a block-invariant register",
     "mov.u32 %r5, %ctaid.x; add.u32 %r5, %r5, 1; mov.u32 %r6, %nctaid.x; setp.eq.u32 %p1, %r5, "
     "%r6;\n@%p1 bra END; mov.u32 %r8, 7;\nEND: add.u32 %r10, %r8, %r8;\n",
     nothing, NULL},
    {"out of bounds", LOAD(0) LOAD(4) LOAD(1020), NULL, "reads 4 bytes out of bounds"},
    {"past the end of shared memory", FILL SHARED(0) SHARED(4) SHARED(1020), NULL, "out of bounds"},
    {"misaligned", LOAD(0) LOAD(4) LOAD(6), NULL, "not a multiple of 4"},
    {"before the start of shared memory", FILL SHARED(0) SHARED(-4), NULL, "out of bounds"},
};

static void test_samples(void **state)
{
    (void)state;
    for (size_t i = 0; i < 4 * (sizeof samples / sizeof *samples); i++) {
        const struct sample *sample = &samples[i / 4];
        char text[4096];
        int length = snprintf(text, sizeof text, "%s%s%s", HEAD, sample->code, TAIL);
        assert_in_range(length, 1, sizeof text - 1);
        bench_parse(&bench, text, (size_t)length, sample->name);
        bench_arrays(&bench, IN, IN, 1000);
        in = bench.in;
        struct bench_launch launch = {.kernel = "k",
                                      .device = &h200,
                                      .grid = {i % 4 == 3 ? 4 : 1, 1, 1},
                                      .mode = i % 4 == 2       ? LAUNCH_CHECK
                                              : i % 4 % 3 == 0 ? LAUNCH_COMPUTE
                                                               : LAUNCH_COUNT,
                                      .model_memory = i % 4 % 3 > 0};
        bool good = bench_run(&bench, &launch);
        if (sample->failure) {
            assert_false(good);
            if (!strstr(bench.failure.text, sample->failure))
                fail_msg("%s: %s", sample->name, bench.failure.text);
        } else {
            bench_expect_good(&bench, good, sample->name);
            for (int t = 0; t < THREADS; t++)
                if (bench.out[t] != sample->expected(t))
                    fail_msg("%s, run %zu: out[%d] is %d instead of %d", sample->name, i % 4, t,
                             bench.out[t], sample->expected(t));
        }
        bench_close(&bench);
    }
}

static void test_two_arrays(void **state)
{
    (void)state;
    static const char text[] =
        HEAD "and.b32 %r6, %r1, 16; setp.eq.u32 %p1, %r6, 0; add.s64 %rd6, %rd1, 400000;\n"
             "selp.b64 %rd1, %rd6, %rd2, %p1;\n" LOAD(0) TAIL;
    bench_parse(&bench, text, sizeof text - 1, "two arrays");
    bench_arrays(&bench, THREADS, 200000, 1000);
    struct bench_launch launch = {.kernel = "k", .device = &h200};
    bench_expect_good(&bench, bench_run(&bench, &launch), "two arrays");
    for (int t = 0; t < THREADS; t++)
        assert_int_equal(bench.out[t], t & 16 ? 0 : bench.in[100000 + t]);
    bench_close(&bench);
}

/* The last store to a word must determine the word's value. */
static void test_columns(void **state)
{
    (void)state;
    enum { PITCH = 256 };
    static const char text[] =
        HEAD "mul.wide.u32 %rd6, %r1, 1024; add.s64 %rd6, %rd4, %rd6;\n"
             "st.global.u32 [%rd6+400], %r1; st.global.u32 [%rd6+404], %r2;\n"
             "st.global.u32 [%rd6+400], %r2; ld.global.u32 %r10, [%rd6+400];\n"
             "ld.global.u32 %r11, [%rd6+404]; add.s32 %r10, %r10, %r11;\n"
             "st.global.u32 [%rd6+912], %r1; st.global.u32 [%rd6+412], %r1;\n"
             "st.global.u32 [%rd6+1436], %r2;\n" TAIL;
    for (int mode = 0; mode < 2; mode++) {
        bench_parse(&bench, text, sizeof text - 1, "columns");
        bench_arrays(&bench, (THREADS + 1) * PITCH, IN, 1000);
        struct bench_launch launch = {
            .kernel = "k", .device = &h200, .mode = mode ? LAUNCH_COUNT : LAUNCH_COMPUTE};
        bench_expect_good(&bench, bench_run(&bench, &launch), "columns");
        for (int t = 0; t < THREADS; t++) {
            const int *row = (const int *)bench.out + t * PITCH;
            assert_int_equal(bench.out[t], 8 * t);
            assert_int_equal(row[100], 4 * t);
            assert_int_equal(row[101], 4 * t);
            assert_int_equal(row[228], t);
            if (t % 32 != 0)
                assert_int_equal(row[103], 4 * (t - 1));
        }
        bench_close(&bench);
    }
}

static void look_away(void *context, const struct observed_access *access)
{
    (void)context;
    (void)access;
}

/* Blocks with an observer use no fast path, but have the same counters. */
static void test_counts(void **state)
{
    (void)state;
    static const struct observer everywhere = {.access = look_away, .every_block = true};
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        const struct sample *sample = &samples[i];
        char text[4096];
        int length = snprintf(text, sizeof text, "%s%s%s", HEAD, sample->code, TAIL);
        if (sample->failure)
            continue;
        bench_parse(&bench, text, (size_t)length, sample->name);
        bench_arrays(&bench, IN, IN, 1000);
        struct bench_launch launch = {.kernel = "k",
                                      .device = &h200,
                                      .grid = {3, 1, 1},
                                      .mode = LAUNCH_COUNT,
                                      .model_memory = true,
                                      .observer = &everywhere};
        bench_expect_good(&bench, bench_run(&bench, &launch), sample->name);
        struct emulator_result slow = bench.result;
        bench.stats = NULL;
        launch.observer = NULL;
        bench_expect_good(&bench, bench_run(&bench, &launch), sample->name);
        const struct emulator_result *quick = &bench.result;
        if (memcmp(&quick->counters, &slow.counters, sizeof slow.counters) != 0 ||
            memcmp(quick->stats, slow.stats, bench.instructions * sizeof *slow.stats) != 0 ||
            quick->memory.lines != slow.memory.lines ||
            quick->memory.l2_read_bytes != slow.memory.l2_read_bytes ||
            quick->memory.l2_write_bytes != slow.memory.l2_write_bytes ||
            quick->memory.dram_read_bytes != slow.memory.dram_read_bytes)
            fail_msg("%s: the counters of fast and slow path differ", sample->name);
        in = bench.in;
        for (int t = 0; t < THREADS; t++)
            assert_int_equal(bench.out[t], sample->expected(t));
        free(slow.stats);
        bench_close(&bench);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_samples), cmocka_unit_test(test_two_arrays),
        cmocka_unit_test(test_columns), cmocka_unit_test(test_counts)};
    bench_device("h200", &h200);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
