/* Tests of the ends of arrays: the fast path of loads and stores (memory_move_quickly) accesses
 * each array up to its last byte, and no byte past it. Sanitized builds detect an access past the
 * end, because arrays end where their allocation ends, and the bytes after shared memory are
 * poisoned. Each kernel has 64 threads and advances by one element in each of four iterations,
 * because an instruction's first access to an array takes the slow path. Blocks other than 0 use
 * the fast path also with counters. */
#include "emulator/launch_test.h"

enum { THREADS = 64, ITERATIONS = 4, BLOCKS = 3 };

static struct device h200;
static struct bench bench;

/* %r1 is the thread and %r2 the iteration. %rd1, %rd2 and %r3 are the addresses of in, out and box.
 * The code of a case stores %r8. */
static const char head[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".extern .shared .align 16 .b8 box[];\n"
    ".visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n) {\n"
    ".reg .pred %p<4>; .reg .b32 %r<20>; .reg .b64 %rd<12>;\n"
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
    unsigned in, out, box; /* Elements of each array that the kernel accesses. */
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
    /* The addresses are the same in each block and iteration. */
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
            bool is_race = bench.failure.status == STATUS_RACE; /* races are not tested here */
            if (!good && !is_race)
                fail_msg("%s, mode %d: %s", samples[i].name, (int)mode, bench.failure.text);
            bench_close(&bench);
            /* If the arrays have one element fewer, the last access is past the end. */
            if (!is_race)
                bench_expect_failure(&bench, run(&samples[i], 1, mode), STATUS_OUT_OF_BOUNDS,
                                     (const char *const[]){NULL});
            bench_close(&bench);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_edges)};
    bench_device("h200", &h200);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
