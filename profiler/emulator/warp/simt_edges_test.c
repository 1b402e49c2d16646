/* Tests of the ends of arrays: the fast path of loads and stores (memory_move_quickly) accesses
 * each array up to its last byte. Sanitized builds detect an access past the end, because arrays
 * end where their allocation ends, and the bytes after shared memory are poisoned. Each kernel has
 * four iterations, because an instruction's first access to an array takes the slow path.
 *
 * Other kernels compare the values of registers that are wider than an element, or narrower than 4
 * bytes, with the bytes in memory. */
#include "emulator/launch_test.h"

enum { THREADS = 64, ITERATIONS = 4, BLOCKS = 3 };

static struct device h200;
static struct bench bench;

/* %r1 is the thread and %r2 the iteration. %rd1, %rd2 and %r3 are the addresses of in, out and box.
 * The code of a sample sets %r8, which the kernel stores. */
static const char head[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".extern .shared .align 16 .b8 box[];\n"
    ".visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n) {\n"
    ".reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<20>; .reg .b64 %rd<12>;\n"
    "ld.param.u64 %rd2, [out]; ld.param.u64 %rd1, [in]; cvta.to.global.u64 %rd1, %rd1;\n"
    "cvta.to.global.u64 %rd2, %rd2; mov.u32 %r1, %tid.x; mov.u32 %r3, box; mov.u32 %r2, 0;\n"
    "mov.u32 %r8, 7;\nloop:\n";
static const char tail[] =
    "\nadd.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 4; @%p1 bra loop;\nret; }\n";

#define ELEMENT(array)                                                                             \
    "add.u32 %r4, %r1, %r2; mul.wide.u32 %rd4, %r4, 4; add.s64 %rd5, " array ", %rd4;"
#define WIDE(array)                                                                                \
    "add.u32 %r4, %r1, %r2; mul.wide.u32 %rd4, %r4, 8; add.s64 %rd5, " array ", %rd4;"
#define BOX "add.u32 %r4, %r1, %r2; shl.b32 %r5, %r4, 2; add.u32 %r5, %r5, %r3;"
#define REVERSED "sub.u32 %r6, 63, %r1; add.u32 %r4, %r6, %r2;"
#define PARTLY "setp.gt.u32 %p2, %r1, 3;\n@%p2 "

static const struct sample {
    const char *name, *code;
    unsigned in, out, box;
} samples[] = {
    {"load a row", ELEMENT("%rd1") "ld.global.u32 %r8, [%rd5];", 67, 0, 0},
    {"load a row of wide elements", WIDE("%rd1") "ld.global.u64 %rd6, [%rd5];", 134, 0, 0},
    {"load one element",
     "mul.wide.u32 %rd4, %r2, 4; add.s64 %rd5, %rd1, %rd4;"
     "ld.global.u32 %r8, [%rd5];",
     4, 0, 0},
    {"load at any addresses",
     REVERSED "mul.wide.u32 %rd4, %r4, 4; add.s64 %rd5, %rd1, %rd4;"
              "ld.global.u32 %r8, [%rd5];",
     67, 0, 0},
    {"load in some lanes", ELEMENT("%rd1") PARTLY "ld.global.u32 %r8, [%rd5];", 67, 0, 0},
    {"load a row in one half warp and one element in the other",
     "and.b32 %r6, %r1, 16; setp.ne.u32 %p2, %r6, 0; selp.u32 %r4, %r1, 0, %p2;"
     "add.u32 %r4, %r4, %r2; mul.wide.u32 %rd4, %r4, 4; add.s64 %rd5, %rd1, %rd4;"
     "ld.global.u32 %r8, [%rd5];",
     67, 0, 0},
    {"store a row", ELEMENT("%rd2") "st.global.u32 [%rd5], %r8;", 0, 67, 0},
    {"store a row of wide elements",
     "cvt.u64.u32 %rd6, %r8;" WIDE("%rd2") "st.global.u64 [%rd5], %rd6;", 0, 134, 0},
    {"store at any addresses",
     REVERSED "mul.wide.u32 %rd4, %r4, 4; add.s64 %rd5, %rd2, %rd4;"
              "st.global.u32 [%rd5], %r8;",
     0, 67, 0},
    {"store in some lanes", ELEMENT("%rd2") PARTLY "st.global.u32 [%rd5], %r8;", 0, 67, 0},
    {"store and load a row of shared memory",
     BOX "st.shared.u32 [%r5], %r8; ld.shared.u32 %r9, [%r5];", 0, 0, 67},
    {"store and load shared memory at any addresses",
     REVERSED "shl.b32 %r5, %r4, 2; add.u32 %r5, %r5, %r3;"
              "st.shared.u32 [%r5], %r8; ld.shared.u32 %r9, [%r5];",
     0, 0, 67},
    {"store and load shared memory in some lanes",
     BOX PARTLY "st.shared.u32 [%r5], %r8; @%p2 ld.shared.u32 %r9, [%r5];", 0, 0, 67},
    {"store and load shared memory by invariant registers",
     "shl.b32 %r5, %r1, 2; add.u32 %r5, %r5, %r3;"
     "st.shared.u32 [%r5+12], %r8; ld.shared.u32 %r9, [%r5+12];",
     0, 0, 67},
    {"load one element of shared memory by an invariant register",
     "st.shared.u32 [%r3+264], %r8; ld.shared.u32 %r9, [%r3+264];", 0, 0, 67},
    {"load shared memory in reverse by invariant registers",
     "sub.u32 %r6, 66, %r1; shl.b32 %r5, %r6, 2; add.u32 %r5, %r5, %r3;"
     "st.shared.u32 [%r5], %r8; ld.shared.u32 %r9, [%r5];",
     0, 0, 67},
};

static bool run(const struct sample *sample, unsigned missing, enum launch_mode mode)
{
    char text[4096];
    int length = snprintf(text, sizeof text, "%s%s%s", head, sample->code, tail);
    bench_parse(&bench, text, (size_t)length, sample->name);
    bench_arrays(&bench, sample->out ? sample->out - missing : 1,
                 sample->in ? sample->in - missing : 1, 1000);
    struct bench_launch launch = {.kernel = "k",
                                  .device = &h200,
                                  .grid = {BLOCKS, 1, 1},
                                  .block = {THREADS, 1, 1},
                                  .shared = sample->box ? 4 * (sample->box - missing) : 0,
                                  .mode = mode,
                                  .model_memory = mode == LAUNCH_COUNT};
    return bench_run(&bench, &launch);
}

static void test_edges(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
        for (enum launch_mode mode = LAUNCH_CHECK; mode <= LAUNCH_COMPUTE; mode++) {
            bool good = run(&samples[i], 0, mode);
            bool is_race = bench.failure.status == STATUS_RACE;
            if (!good && !is_race)
                fail_msg("%s, mode %d: %s", samples[i].name, (int)mode, bench.failure.text);
            bench_close(&bench);
            if (!is_race)
                bench_expect_failure(&bench, run(&samples[i], 1, mode), STATUS_OUT_OF_BOUNDS,
                                     (const char *const[]){NULL});
            bench_close(&bench);
        }
}

enum pattern { ROW, ONE, REVERSE, PART, PATTERNS };

static void run_widths(const char *code, enum launch_mode mode)
{
    char text[4096];
    int length = snprintf(text, sizeof text, "%s%s%s", head, code, tail);
    assert_in_range(length, 1, sizeof text - 1);
    bench_parse(&bench, text, (size_t)length, code);
    bench_arrays(&bench, 2 * ITERATIONS * THREADS, 2 * (THREADS + ITERATIONS - 1), 1 << 20);
    for (size_t i = 0; i < bench.in_count; i++)
        bench.in[i] = (int)((unsigned)bench.in[i] * 2654435761u); /* All bits differ. */
    struct bench_launch launch = {.kernel = "k",
                                  .device = &h200,
                                  .grid = {mode == LAUNCH_CHECK ? 1 : BLOCKS, 1, 1},
                                  .block = {THREADS, 1, 1},
                                  .mode = mode,
                                  .model_memory = mode == LAUNCH_COUNT};
    bench_expect_good(&bench, bench_run(&bench, &launch), code);
}

static uint64_t element_of(unsigned index, unsigned bytes, bool is_signed)
{
    uint64_t value = 0;
    memcpy(&value, (const char *)bench.in + (size_t)index * bytes, bytes);
    if (is_signed && value >> (8 * bytes - 1))
        value |= ~UINT64_C(0) << (8 * bytes);
    return value;
}

static void test_loads(void **state)
{
    static const struct {
        const char *load, *after; /* The loaded values become %rd6 and, for a pair, %rd8. */
        unsigned bytes;
        bool is_signed, is_pair;
    } loads[] = {
        {"ld.global.u32 %rd6, [%rd5];", "", 4, false, false},
        {"ld.global.s32 %rd6, [%rd5];", "", 4, true, false},
        {"ld.global.u16 %rd6, [%rd5];", "", 2, false, false},
        {"ld.global.s16 %rd6, [%rd5];", "", 2, true, false},
        {"ld.global.u64 %rd6, [%rd5];", "", 8, false, false},
        {"ld.global.s32 %r8, [%rd5];", "cvt.s64.s32 %rd6, %r8;", 4, true, false},
        {"ld.global.s16 %r8, [%rd5];", "cvt.s64.s32 %rd6, %r8;", 2, true, false},
        {"ld.global.u16 %h1, [%rd5];", "cvt.u64.u16 %rd6, %h1;", 2, false, false},
        {"ld.global.s8 %h1, [%rd5];", "cvt.s64.s16 %rd6, %h1;", 1, true, false},
        {"ld.global.v2.u32 {%rd6, %rd8}, [%rd5];", "", 4, false, true},
        {"ld.global.v2.s32 {%rd6, %rd8}, [%rd5];", "", 4, true, true},
        {"ld.global.v2.u16 {%h1, %h2}, [%rd5];", "cvt.u64.u16 %rd6, %h1; cvt.u64.u16 %rd8, %h2;", 2,
         false, true},
    };
    static const char *const indices[PATTERNS] = {
        [ROW] = "add.u32 %r4, %r1, %r2;",
        [ONE] = "mov.u32 %r4, %r2;",
        [REVERSE] = REVERSED,
        [PART] = "add.u32 %r4, %r1, %r2;",
    };
    (void)state;
    for (size_t i = 0; i < sizeof loads / sizeof *loads * PATTERNS * 3; i++) {
        const size_t k = i / PATTERNS / 3;
        const enum pattern pattern = i / 3 % PATTERNS;
        const unsigned bytes = loads[k].bytes, step = loads[k].is_pair ? 2 : 1;
        char code[1024];
        snprintf(code, sizeof code,
                 "mov.u64 %%rd6, 5; mov.u64 %%rd8, 5; mov.u16 %%h1, 5; mov.u16 %%h2, 5;"
                 "mov.u32 %%r8, 5; %s mul.wide.u32 %%rd4, %%r4, %u; add.s64 %%rd5, %%rd1, %%rd4;"
                 "%s%s%s%s"
                 "shl.b32 %%r7, %%r2, 6; add.u32 %%r7, %%r7, %%r1; mul.wide.u32 %%rd7, %%r7, 8;"
                 "add.s64 %%rd7, %%rd2, %%rd7; st.global.u64 [%%rd7], %%rd6;",
                 indices[pattern], bytes * step, pattern == PART ? PARTLY : "", loads[k].load,
                 loads[k].after, loads[k].is_pair ? "mad.lo.s64 %rd6, %rd6, 3, %rd8;" : "");
        run_widths(code, LAUNCH_CHECK + i % 3);
        for (unsigned at = 0; at < ITERATIONS * THREADS; at++) {
            const unsigned t = at % THREADS, n = at / THREADS;
            const unsigned index = pattern == ONE       ? n
                                   : pattern == REVERSE ? THREADS - 1 - t + n
                                                        : t + n;
            uint64_t got, first = 5, second = 5;
            if (pattern != PART || t > 3) {
                first = element_of(index * step, bytes, loads[k].is_signed);
                second = element_of(index * step + step - 1, bytes, loads[k].is_signed);
            }
            memcpy(&got, &bench.out[2 * at], sizeof got);
            if (got != (loads[k].is_pair ? 3 * first + second : first))
                fail_msg("%s pattern %d, mode %d, thread %u: %llx", loads[k].load, (int)pattern,
                         (int)(i % 3), t, (unsigned long long)got);
        }
        bench_close(&bench);
    }
}

static void test_stores(void **state)
{
    static const struct {
        const char *store; /* Stores %rd6 or %h1. A pair also stores %rd8 or %h2. */
        unsigned bytes, step;
    } stores[] = {
        {"st.global.u32 [%rd5], %rd6;", 4, 4},
        {"st.global.u32 [%rd5], %rd6;", 4, 8},
        {"st.global.u32 [%rd5], %r8;", 4, 8},
        {"st.global.u64 [%rd5], %rd6;", 8, 8},
        {"st.global.u16 [%rd5], %rd6;", 2, 2},
        {"st.global.u16 [%rd5], %r8;", 2, 8},
        {"st.global.u16 [%rd5], %h1;", 2, 2},
        {"st.global.u16 [%rd5], %h1;", 2, 8},
        {"st.global.u8 [%rd5], %h1;", 1, 1},
        {"st.global.v2.u32 [%rd5], {%rd6, %rd8};", 4, 8},
        {"st.global.v2.u16 [%rd5], {%h1, %h2};", 2, 4},
    };
    (void)state;
    for (size_t i = 0; i < sizeof stores / sizeof *stores * PATTERNS * 3; i++) {
        const size_t k = i / PATTERNS / 3;
        const enum pattern pattern = i / 3 % PATTERNS;
        const bool is_pair = strstr(stores[k].store, ".v2");
        unsigned char expected[8 * ITERATIONS * THREADS] = {0};
        char code[1024];
        if (pattern == ONE)
            continue; /* The lanes store different values. */
        snprintf(code, sizeof code,
                 "%s shl.b32 %%r7, %%r2, 6; add.u32 %%r4, %%r6, %%r7;"
                 "mul.wide.u32 %%rd6, %%r4, 52429; add.s64 %%rd6, %%rd6, 0x7700000000;"
                 "cvt.u32.u64 %%r8, %%rd6; cvt.u16.u64 %%h1, %%rd6; not.b64 %%rd8, %%rd6;"
                 "not.b16 %%h2, %%h1; mul.wide.u32 %%rd4, %%r4, %u; add.s64 %%rd5, %%rd2, %%rd4;"
                 "%s%s",
                 pattern == REVERSE ? "sub.u32 %r6, 63, %r1;" : "mov.u32 %r6, %r1;", stores[k].step,
                 pattern == PART ? PARTLY : "", stores[k].store);
        run_widths(code, LAUNCH_CHECK + i % 3);
        for (unsigned at = 0; at < ITERATIONS * THREADS; at++) {
            const uint64_t first = UINT64_C(52429) * at + UINT64_C(0x7700000000), second = ~first;
            unsigned char *to = expected + (size_t)at * stores[k].step;
            if (pattern == PART && at % THREADS <= 3)
                continue;
            memcpy(to, &first, stores[k].bytes);
            if (is_pair)
                memcpy(to + stores[k].bytes, &second, stores[k].bytes);
        }
        if (memcmp(bench.out, expected, sizeof expected) != 0)
            fail_msg("%s step %u, pattern %d, mode %d", stores[k].store, stores[k].step,
                     (int)pattern, (int)(i % 3));
        bench_close(&bench);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_edges), cmocka_unit_test(test_loads),
                                       cmocka_unit_test(test_stores)};
    bench_device("h200", &h200);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
