/* Tests of mbarriers, and of instructions that are decoded to other instructions (PTX ISA). */
#include "emulator/launch_test.h"

#define HEAD                                                                                       \
    ".version 7.8\n.target sm_80\n.address_size 64\n"                                              \
    ".visible .entry k(.param .u64 po, .param .u64 pi, .param .u32 pn)\n"                          \
    "{\n.reg .pred %p<10>;\n.reg .b32 %r<40>;\n.reg .b64 %d<40>;\n"                                \
    ".shared .align 8 .b8 object[8];\n.shared .align 16 .b8 box[256];\n"                           \
    "ld.param.u64 %d0, [po];\nld.param.u64 %d1, [pi];\nld.param.u32 %r1, [pn];\n"                  \
    "cvta.to.global.u64 %d0, %d0;\ncvta.to.global.u64 %d1, %d1;\nmov.u32 %r0, %tid.x;\n"           \
    "mul.wide.u32 %d2, %r0, 4;\nadd.s64 %d3, %d1, %d2;\nadd.s64 %d2, %d0, %d2;\n"                  \
    "mov.u32 %r2, box;\nmad.lo.u32 %r3, %r0, 4, %r2;\nmov.u32 %r4, object;\nmov.u32 %r10, 0;\n"    \
    "setp.ne.u32 %p0, %r0, 0;\n"
#define INIT(count)                                                                                \
    "mov.u32 %r5, " count ";\n@!%p0 mbarrier.init.shared.b64 [object], %r5;\nbar.sync 0;\n"
#define COPY "cp.async.ca.shared.global [%r3], [%d3], 4;\n"
#define WAIT(label, parity)                                                                        \
    label ": mbarrier.test_wait.parity.shared.b64 %p1, [object], " parity ";\n@!%p1 bra " label    \
          ";\n"
#define WAIT_STATE(label, state)                                                                   \
    label ": mbarrier.test_wait.shared.b64 %p1, [object], " state ";\n@!%p1 bra " label ";\n"
#define OTHER "sub.u32 %r6, %r2, %r3;\nadd.u32 %r6, %r6, %r2;\nld.shared.u32 %r10, [%r6+252];\n"
#define RESULT "st.global.u32 [%d2], %r10;\nret;\n}\n"

static struct device h200;
static struct bench bench;

static bool run_text(const char *text, int n)
{
    bench_close(&bench);
    bench_parse(&bench, text, strlen(text), "hand.ptx");
    bench_arrays(&bench, 64, 128, 1000);
    const struct bench_launch launch = {
        .kernel = "k", .n = n, .device = &h200, .model_memory = true, .block_budget = 100000};
    return bench_run(&bench, &launch);
}

static int other(int t, int n)
{
    (void)n;
    return bench.in[63 - t];
}

static int other_of_second(int t, int n)
{
    (void)n;
    return bench.in[64 + 63 - t];
}

static int old_and_new(int t, int n)
{
    return n * 1000 + bench.in[t];
}

static int counts(int t, int n)
{
    (void)n;
    return t ? 0 : 100706;
}

static int logic(int t, int n)
{
    int a = bench.in[t], b = n, c = t;
    int all = a & b & c, some = a | b | c;
    bool odd = t % 2;
    return (all + some) * 8 + (all || odd) + 2 * (some && !odd) + 4 * (all && odd);
}

static int same(int t, int n)
{
    (void)n;
    return bench.in[t];
}

static int reserved(int t, int n)
{
    (void)t, (void)n;
    return 64 + 1000;
}

static void test_good(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text;
        int n;
        int (*expect)(int t, int n);
    } kernels[] = {
        {"copies that count as expected arrivals",
         HEAD INIT("64") COPY "cp.async.mbarrier.arrive.noinc.shared.b64 [object];\n" WAIT("L", "0")
             OTHER RESULT,
         0, other},
        {"arrivals of copies and threads",
         HEAD INIT("64") COPY "cp.async.mbarrier.arrive.shared::cta.b64 [%r4];\n"
                              "mbarrier.arrive.shared.b64 %d5, [object];\n" WAIT_STATE("L", "%d5")
                                  OTHER RESULT,
         0, other},
        {"a generic address",
         HEAD INIT("64") COPY "cvt.u64.u32 %d6, %r4;\ncvta.shared.u64 %d6, %d6;\n"
                              "cp.async.mbarrier.arrive.noinc.b64 [%d6];\n" WAIT("L", "0")
                                  OTHER RESULT,
         0, other},
        {"two phases",
         HEAD INIT("64") COPY "cp.async.mbarrier.arrive.noinc.shared.b64 [object];\n" WAIT("L", "0")
             OTHER "bar.sync 0;\ncp.async.ca.shared.global [%r3], [%d3+256], 4;\n"
                   "cp.async.mbarrier.arrive.noinc.shared.b64 [object];\n" WAIT("M", "1")
                       OTHER RESULT,
         0, other_of_second},
        {"a copy is complete at its arrival",
         HEAD INIT(
             "64") "st.shared.u32 [%r3], %r1;\n" COPY
                   "cp.async.mbarrier.arrive.noinc.shared.b64 [object];\n"
                   "ld.shared.u32 %r7, [%r3];\n" WAIT(
                       "L",
                       "0") "ld.shared.u32 %r8, [%r3];\nmad.lo.u32 %r10, %r7, 1000, %r8;\n" RESULT,
         3, old_and_new},
        {"copies that a group and an arrival wait for",
         HEAD INIT("64") "st.shared.u32 [%r3], %r1;\n" COPY
                         "cp.async.mbarrier.arrive.noinc.shared.b64 [object];\n"
                         "ld.shared.u32 %r7, [%r3];\ncp.async.wait_all;\n"
                         "ld.shared.u32 %r8, [%r3];\nmad.lo.u32 %r10, %r7, 1000, %r8;\n" WAIT(
                             "L", "0") RESULT,
         3, old_and_new},
        {"pending counts",
         HEAD INIT("10") "@%p0 bra END;\nmbarrier.arrive.noComplete.shared.b64 %d5, [object], 3;\n"
                         "mbarrier.pending_count.b64 %r10, %d5;\nmul.lo.u32 %r10, %r10, 10000;\n"
                         "mbarrier.arrive.shared.b64 %d5, [object];\n"
                         "mbarrier.pending_count.b64 %r7, %d5;\nmad.lo.u32 %r10, %r7, 100, %r10;\n"
                         "mbarrier.arrive_drop.shared.b64 %d5, [object];\n"
                         "mbarrier.pending_count.b64 %r7, %d5;\nadd.u32 %r10, %r10, %r7;\n"
                         "END:\n" RESULT,
         0, counts},
        {"lop3 with predicates",
         HEAD "ld.global.u32 %r5, [%d3];\nand.b32 %r6, %r0, 1;\nsetp.ne.u32 %p1, %r6, 0;\n"
              "lop3.or.b32 %r7|%p2, %r5, %r1, %r0, 0x80, %p1;\n"
              "lop3.and.b32 %r8|%p3, %r5, %r1, %r0, 0xfe, !%p1;\n"
              "lop3.and.b32 _|%p4, %r5, %r1, %r0, 0x80, %p1;\n"
              "add.u32 %r10, %r7, %r8;\nshl.b32 %r10, %r10, 3;\n@%p2 add.u32 %r10, %r10, 1;\n"
              "@%p3 add.u32 %r10, %r10, 2;\n@%p4 add.u32 %r10, %r10, 4;\n" RESULT,
         6, logic},
        {"cache policies",
         HEAD "createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %d5, 0.5;\n"
              "ld.global.L2::cache_hint.u32 %r10, [%d3], %d5;\n"
              "createpolicy.range.global.L2::evict_first.b64 %d6, [%d1], 64, 128;\n"
              "st.global.L2::cache_hint.u32 [%d2], %r1, %d6;\nxor.b64 %d5, %d5, %d6;\n" RESULT,
         0, same},
        {"reserved shared memory",
         HEAD "mov.u32 %r5, %reserved_smem_offset_1;\nred.shared.add.u32 [%r5+284], 1;\n"
              "mov.u32 %r6, %reserved_smem_offset_begin;\nmov.u32 %r7, %reserved_smem_offset_end;\n"
              "mov.u32 %r8, %reserved_smem_offset_cap;\nsub.u32 %r7, %r7, %r6;\n"
              "setp.eq.u32 %p1, %r7, %r8;\nbar.sync 0;\nld.shared.u32 %r10, [%r5+284];\n"
              "st.shared.u32 [%r3], %r10;\n@%p1 add.u32 %r10, %r10, 1000;\n" RESULT,
         0, reserved},
    };
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        bench_expect_good(&bench, run_text(kernels[i].text, kernels[i].n), kernels[i].name);
        for (int t = 0; t < 64; t++)
            if (bench.out[t] != kernels[i].expect(t, kernels[i].n))
                fail_msg("%s: out[%d] is %d instead of %d", kernels[i].name, t, bench.out[t],
                         kernels[i].expect(t, kernels[i].n));
    }
}

static void test_bad(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum status status;
        const char *part;
    } kernels[] = {
        {HEAD INIT("1") "mbarrier.arrive.noComplete.shared.b64 %d5, [object], 1;\n" RESULT,
         STATUS_LAUNCH_ERROR, ".noComplete"},
        {HEAD INIT("64") COPY "cp.async.mbarrier.arrive.shared.b64 [object+4];\n" RESULT,
         STATUS_OUT_OF_BOUNDS, "mbarrier at address"},
        {HEAD INIT("64") COPY "cp.async.mbarrier.arrive.noinc.shared.b64 [object+65536];\n" RESULT,
         STATUS_OUT_OF_BOUNDS, "mbarrier at address"},
        /* The arrival of the copies only removes the pending arrival that it added. */
        {HEAD INIT("64") COPY "cp.async.mbarrier.arrive.shared.b64 [object];\n" WAIT("L", "0")
             OTHER RESULT,
         STATUS_TIMEOUT, "still running"},
        /* No thread waits for the other thread's copy. */
        {HEAD INIT("64") COPY "cp.async.mbarrier.arrive.noinc.shared.b64 [object];\n"
                              "cp.async.wait_all;\n" OTHER RESULT,
         STATUS_RACE, "box"},
        /* All threads arrive, but the second half does not wait. */
        {HEAD INIT("64") COPY "setp.lt.u32 %p3, %r0, 32;\n"
                              "cp.async.mbarrier.arrive.noinc.shared.b64 [object];\n"
                              "@!%p3 bra M;\n" WAIT("L", "0") "M:\n" OTHER RESULT,
         STATUS_RACE, "box"},
        {HEAD INIT("64") "mbarrier.pending_count.b64 %r10, %r5;\n" RESULT, STATUS_UNSUPPORTED,
         "pending_count"},
    };
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        bench_expect_failure(&bench, run_text(kernels[i].text, 0), kernels[i].status,
                             (const char *[]){kernels[i].part, NULL});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good),
        cmocka_unit_test(test_bad),
    };
    bench_device("h200", &h200);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    bench_close(&bench);
    return failed;
}
