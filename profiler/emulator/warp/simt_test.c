/* Tests of the interpreter with whole kernels that compilers do not generate: unusual barriers,
 * irregular branches, hostile modules. The results are derived by hand. */
#include "emulator/launch_test.h"

#include <inttypes.h>
#include <math.h>

enum { OUT_COUNT = 512 };

static struct device h200;
static struct bench hand;

static int open_device(void **state)
{
    (void)state;
    bench_device("h200", &h200);
    return 0;
}

static int close_module(void **state)
{
    (void)state;
    bench_close(&hand);
    return 0;
}

/* In all kernels, %r0 is the thread and %r1 the parameter n. %d0 and %d1 point to the arrays, and
 * %d2 and %d3 point to the thread's elements. The result of a kernel is the value of %r10. */
#define HEAD ".version 7.8\n.target sm_80\n.address_size 64\n"
#define ENTRY                                                                                      \
    ".visible .entry k(.param .u64 po, .param .u64 pi, .param .u32 pn)\n"                          \
    "{\n.reg .pred %p<10>;\n.reg .b16 %h<10>;\n.reg .b32 %r<40>;\n.reg .b64 %d<40>;\n"             \
    "ld.param.u64 %d0, [po];\nld.param.u64 %d1, [pi];\nld.param.u32 %r1, [pn];\n"                  \
    "cvta.to.global.u64 %d0, %d0;\ncvta.to.global.u64 %d1, %d1;\nmov.u32 %r0, %tid.x;\n"           \
    "mul.wide.u32 %d2, %r0, 4;\nadd.s64 %d3, %d1, %d2;\nadd.s64 %d2, %d0, %d2;\n"
#define RESULT "st.global.u32 [%d2], %r10;\nret;\n}\n"
#define LANES_HERE(reg) "activemask.b32 " reg ";\npopc.b32 " reg ", " reg ";\n"

static bool run_text(const char *text, size_t length, int n, uint64_t budget)
{
    static const char name[] = "hand.ptx";
    struct failure failure = {0};
    if (hand.is_parsed)
        ptx_module_free(&hand.module);
    hand.is_parsed = ptx_parse(text, length, name, &hand.module, &failure);
    bench_arrays(&hand, OUT_COUNT, OUT_COUNT, 1000);
    if (!hand.is_parsed) {
        hand.failure = failure;
        return false;
    }
    struct bench_launch launch = {
        .kernel = "k", .n = n, .device = &h200, .model_memory = true, .block_budget = budget};
    return bench_run(&hand, &launch);
}

static void run_good(const char *name, const char *text, int n, int (*expect)(int t, int n))
{
    bool good = run_text(text, strlen(text), n, 0);
    bench_expect_good(&hand, good, name);
    for (int t = 0; t < 64; t++)
        if (hand.out[t] != expect(t, n))
            fail_msg("%s: out[%d] is %d instead of %d", name, t, hand.out[t], expect(t, n));
}

struct good {
    const char *name, *text;
    int n;
    int (*expect)(int t, int n);
};

static int expect_table(int t, int n)
{
    (void)n;
    return (t % 32 < 20 ? 10 * (t % 3) + 100 : 900) + 32;
}
static const char branch_table[] = HEAD ENTRY
    "rem.u32 %r2, %r0, 3;\nand.b32 %r3, %r0, 31;\nsetp.lt.u32 %p1, %r3, 20;\n"
    "ts: .branchtargets L0, L1, L2;\n@%p1 brx.idx %r2, ts;\nmov.u32 %r10, 900;\nbra END;\n"
    "L0: mov.u32 %r10, 100;\nbra END;\nL1: mov.u32 %r10, 110;\nbra END;\n"
    "L2: mov.u32 %r10, 120;\nEND:\n" LANES_HERE("%r11") "add.s32 %r10, %r10, %r11;\n" RESULT;

#define FUNCTIONS                                                                                  \
    ".func (.param .b32 r) fa(.param .b32 a)\n{\n.reg .b32 %x<3>;\nld.param.b32 %x1, [a];\n"       \
    "add.s32 %x1, %x1, 1;\nst.param.b32 [r], %x1;\nret;\n}\n"                                      \
    ".func (.param .b32 r) fb(.param .b32 a)\n{\n.reg .b32 %x<3>;\n.reg .pred %q;\n"               \
    "ld.param.b32 %x1, [a];\nsetp.gt.s32 %q, %x1, 40;\nst.param.b32 [r], %x1;\n@%q ret;\n"         \
    "shl.b32 %x1, %x1, 1;\nst.param.b32 [r], %x1;\nret;\n}\n"                                      \
    ".func (.param .b64 r) fc(.param .b32 a)\n{\nret;\n}\n"
#define CALL_R4(guard, target)                                                                     \
    "{\n.param .b32 a0;\n.param .b32 r0;\nst.param.b32 [a0], %r0;\n" guard "call (r0), " target    \
    ";\nld.param.b32 %r10, [r0];\n}\n"
#define POINTER "pt: .callprototype (.param .b32 _) _ (.param .b32 _);\n"

static int expect_pointers(int t, int n)
{
    (void)n;
    return (t % 2 ? t + 1 : t > 40 ? t : 2 * t) + 3200;
}
static const char pointers[] = HEAD FUNCTIONS ENTRY POINTER
    "and.b32 %r2, %r0, 1;\nsetp.eq.u32 %p1, %r2, 1;\n"
    "mov.u64 %d4, fa;\nmov.u64 %d5, fb;\nselp.b64 %d6, %d4, %d5, %p1;\n" CALL_R4(
        "", "%d6, (a0), pt") LANES_HERE("%r11") "mad.lo.s32 %r10, %r11, 100, %r10;\n" RESULT;

static int expect_guarded_call(int t, int n)
{
    return t >= n ? t + 1 : 0; /* A parameter that was not stored is zero. */
}
static const char guarded_call[] =
    HEAD FUNCTIONS ENTRY "setp.ge.s32 %p1, %r0, %r1;\n" CALL_R4("@%p1 ", "fa, (a0)") RESULT;

/* Warp 0 writes and arrives without waiting. Warp 1 waits. Barrier 1 expects 64 threads. */
static int expect_producer(int t, int n)
{
    return t < 32 ? 5 : n + 63 - t;
}
static const char producer[] =
    HEAD ENTRY ".shared .align 4 .b8 box[128];\nmov.u32 %r2, box;\nsetp.ge.u32 %p1, %r0, 32;\n"
               "mov.u32 %r10, 5;\n@%p1 bra CONSUME;\nmad.lo.u32 %r3, %r0, 4, %r2;\n"
               "add.s32 %r4, %r1, %r0;\nst.shared.u32 [%r3], %r4;\nbar.arrive 1, 64;\nbra END;\n"
               "CONSUME: bar.sync 1, 64;\nsub.s32 %r5, 63, %r0;\nmad.lo.u32 %r3, %r5, 4, %r2;\n"
               "ld.shared.u32 %r10, [%r3];\nEND:\n" RESULT;

static int expect_seven(int t, int n)
{
    (void)t, (void)n;
    return 7;
}
static const char match_all[] =
    HEAD ENTRY "activemask.b32 %r2;\nmov.u32 %r3, 9;\nmatch.all.sync.b32 %r4|%p1, %r3, %r2;\n"
               "sub.u32 %r4, %r4, %r2;\nmatch.all.sync.b32 %r5|%p2, %r0, %r2;\nmov.u32 %r10, 0;\n"
               "@%p1 add.u32 %r10, %r10, 1;\n@!%p2 add.u32 %r10, %r10, 2;\nor.b32 %r4, %r4, %r5;\n"
               "setp.eq.u32 %p1, %r4, 0;\n@%p1 add.u32 %r10, %r10, 4;\n" RESULT;

static int expect_two(int t, int n)
{
    (void)t, (void)n;
    return 2;
}
static const char own_barriers[] =
    HEAD ENTRY "shr.u32 %r2, %r0, 5;\nadd.u32 %r2, %r2, 3;\nbar.sync %r2, 32;\nbar.sync %r2, 32;\n"
               "mov.u32 %r10, 2;\n" RESULT;

/* Odd and even lanes reach one barrier from different instructions, at different times. */
static int expect_unaligned(int t, int n)
{
    return t + 1 + n;
}
static const char unaligned[] = HEAD ENTRY
    ".shared .align 4 .b8 box[260];\nmov.u32 %r2, box;\nmad.lo.u32 %r3, %r0, 4, %r2;\n"
    "add.s32 %r4, %r0, %r1;\nst.shared.u32 [%r3], %r4;\nand.b32 %r5, %r0, 1;\n"
    "setp.eq.u32 %p1, %r5, 1;\n@%p1 bra ODD;\nbarrier.sync 0;\nld.shared.u32 %r10, [%r3+4];\n"
    "bra END;\nODD: mov.u32 %r6, 0;\nWAIT: add.u32 %r6, %r6, 1;\nsetp.lt.u32 %p2, %r6, 3000;\n"
    "@%p2 bra WAIT;\nbarrier.sync 0;\nld.shared.u32 %r10, [%r3];\nadd.s32 %r10, %r10, 1;\nEND:\n"
    "setp.eq.u32 %p3, %r0, 63;\n@%p3 add.s32 %r10, %r0, %r1;\n@%p3 add.s32 %r10, %r10, 1;\n" RESULT;

/* The branch table also leads past the barrier to a trap. The early exits are still no error. */
static int expect_upper(int t, int n)
{
    (void)n;
    return t < 32 ? 0 : 2;
}
static const char trap_behind[] =
    HEAD ENTRY "shr.u32 %r2, %r0, 5;\nts: .branchtargets OUT, STAY;\nbrx.idx %r2, ts;\n"
               "OUT: exit;\nSTAY: setp.eq.u32 %p1, %r1, 99;\n@%p1 bra BAD;\nbar.sync 0;\n"
               "mov.u32 %r10, 2;\nst.global.u32 [%d2], %r10;\nret;\nBAD: trap;\n}\n";

/* Odd and even lanes wait at two barrier.sync instructions for barrier 2. */
static const char guarded_barrier[] =
    HEAD ENTRY "and.b32 %r5, %r0, 1;\nsetp.eq.u32 %p1, %r5, 1;\n@%p1 barrier.sync 2;\n"
               "@!%p1 barrier.sync 2;\nmov.u32 %r10, 2;\n" RESULT;

/* Half of each warp exits before a barrier for 64 threads. */
static const char counted_after_exits[] = HEAD ENTRY
    "mov.u32 %r10, 2;\nand.b32 %r5, %r0, 16;\nsetp.ne.u32 %p1, %r5, 0;\n"
    "@!%p1 bra WAIT;\nst.global.u32 [%d2], %r10;\nexit;\nWAIT: barrier.sync 1, 64;\n" RESULT;

static int expect_reduced(int t, int n)
{
    (void)t;
    return n * 10 + 1;
}
static const char reduced[] =
    HEAD ENTRY "setp.lt.u32 %p1, %r0, %r1;\nbar.red.popc.u32 %r2, 0, %p1;\n"
               "bar.red.or.pred %p2, 0, !%p1;\nselp.u32 %r3, 1, 0, %p2;\n"
               "mad.lo.u32 %r10, %r2, 10, %r3;\n" RESULT;

/* The first half of each warp shuffles on its own, in a branch. */
static int expect_partial(int t, int n)
{
    return t % 32 < 16 ? (t ^ 1) + n : -1;
}
static const char partial[] =
    HEAD ENTRY "and.b32 %r2, %r0, 31;\nsetp.ge.u32 %p1, %r2, 16;\nmov.s32 %r10, -1;\n"
               "@%p1 bra END;\nshfl.sync.bfly.b32 %r10|%p2, %r0, 1, 31, 0xffff;\n"
               "add.s32 %r10, %r10, %r1;\nEND:\n" RESULT;

/* Lanes 24 to 31 arrive late. Lanes 16 to 23 must not continue when the first group is complete. */
static int expect_groups(int t, int n)
{
    return t % 32 < 16 ? 7 : t % 32 < 24 ? n : 8;
}
static const char groups[] = HEAD ENTRY
    ".shared .align 4 .b8 box[8];\nmov.u32 %r2, box;\nshr.u32 %r12, %r0, 5;\n"
    "mad.lo.u32 %r2, %r12, 4, %r2;\nand.b32 %r3, %r0, 31;\nsetp.lt.u32 %p1, %r3, 16;\n"
    "setp.lt.u32 %p2, %r3, 8;\nsetp.lt.u32 %p3, %r3, 24;\nmov.u32 %r6, 0;\n@%p1 bra FIRST;\n"
    "@%p3 bra READ;\nSLOW: add.u32 %r6, %r6, 1;\nsetp.lt.u32 %p4, %r6, 20000;\n@%p4 bra SLOW;\n"
    "st.shared.u32 [%r2], %r1;\nbar.warp.sync 0xffff0000;\nmov.u32 %r10, 8;\nbra END;\n"
    "READ: bar.warp.sync 0xffff0000;\nld.shared.u32 %r10, [%r2];\nbra END;\n"
    "FIRST: @%p2 bra HALF;\nQUICK: add.u32 %r6, %r6, 1;\nsetp.lt.u32 %p4, %r6, 6000;\n"
    "@%p4 bra QUICK;\nbar.warp.sync 0xffff;\nmov.u32 %r10, 7;\nbra END;\n"
    "HALF: bar.warp.sync 0xffff;\nmov.u32 %r10, 7;\nEND:\n" RESULT;

/* One vote has two member masks of 16 lanes each. Even lanes of the lower half vote yes. */
static int expect_ballots(int t, int n)
{
    (void)n;
    return t % 32 < 16 ? 0x5555 : 0;
}
static const char ballots[] =
    HEAD ENTRY "and.b32 %r2, %r0, 17;\nsetp.eq.u32 %p1, %r2, 0;\nand.b32 %r3, %r0, 16;\n"
               "shl.b32 %r4, 0xffff, %r3;\nvote.sync.ballot.b32 %r10, %p1, %r4;\n" RESULT;

/* A lane waits only for its own groups of copies. Two rows of 64 words contain n. Even threads wait
 * for the first of two groups. Odd threads do not wait. */
static int expect_arrivals(int t, int n)
{
    int in = hand.in[t];
    return (t % 2 ? n : in) * 3 + n;
}
static const char arrivals[] =
    HEAD ENTRY ".shared .align 4 .b8 box[512];\nmov.u32 %r2, box;\nmad.lo.u32 %r2, %r0, 4, %r2;\n"
               "st.shared.u32 [%r2], %r1;\nst.shared.u32 [%r2+256], %r1;\n"
               "cp.async.ca.shared.global [%r2], [%d3], 4;\ncp.async.commit_group;\n"
               "cp.async.ca.shared.global [%r2+256], [%d3], 4;\ncp.async.commit_group;\n"
               "and.b32 %r3, %r0, 1;\nsetp.eq.u32 %p1, %r3, 0;\n@%p1 cp.async.wait_group 1;\n"
               "ld.shared.u32 %r4, [%r2];\nld.shared.u32 %r5, [%r2+256];\n"
               "mad.lo.s32 %r10, %r4, 3, %r5;\n" RESULT;

/* wait_group 0 does not wait for copies without a group. wait_all waits for all copies. */
static int expect_waits(int t, int n)
{
    return n * 2 + (hand.in[t] & 0xffff) + (t % 2 ? 0 : hand.in[t]);
}
static const char waits[] =
    HEAD ENTRY ".shared .align 4 .b8 box[512];\nmov.u32 %r2, box;\nmad.lo.u32 %r2, %r0, 4, %r2;\n"
               "st.shared.u32 [%r2], %r1;\nst.shared.u32 [%r2+256], %r1;\nand.b32 %r3, %r0, 1;\n"
               "shl.b32 %r3, %r3, 2;\nsub.u32 %r3, 4, %r3;\n"
               "cp.async.ca.shared.global [%r2], [%d3], 4, 2;\n"
               "cp.async.ca.shared.global [%r2+256], [%d3], 4, %r3;\ncp.async.wait_group 0;\n"
               "ld.shared.u32 %r4, [%r2];\nld.shared.u32 %r5, [%r2+256];\nadd.s32 %r10, %r4, %r5;\n"
               "cp.async.wait_all;\nld.shared.u32 %r4, [%r2];\nld.shared.u32 %r5, [%r2+256];\n"
               "add.s32 %r10, %r10, %r4;\nadd.s32 %r10, %r10, %r5;\n" RESULT;

/* Many kinds of instructions have a guard. Inactive lanes have invalid addresses. */
static int expect_predicated(int t, int n)
{
    return t % 32 < 7 ? hand.in[t] + n + 1 : -5;
}
static const char predicated[] = HEAD ENTRY
    ".shared .align 4 .b8 box[256];\nand.b32 %r2, %r0, 31;\nsetp.lt.u32 %p1, %r2, 7;\n"
    "mov.s32 %r10, -5;\nmov.s64 %d4, -3;\nselp.b64 %d4, %d3, %d4, %p1;\nmov.u32 %r3, box;\n"
    "mad.lo.u32 %r3, %r0, 4, %r3;\nselp.b32 %r3, %r3, -7, %p1;\n@%p1 ld.global.u32 %r4, [%d4];\n"
    "@%p1 st.shared.u32 [%r3], %r4;\n@!%p1 mov.u32 %r4, 77;\n@%p1 atom.shared.add.u32 %r5, [%r3], "
    "1;\n"
    "@%p1 ld.shared.u32 %r10, [%r3];\n@%p1 add.s32 %r10, %r10, %r1;\n" RESULT;

static int expect_sinks(int t, int n)
{
    int first = t / 4 * 4;
    return hand.in[first] + 10 * hand.in[first + 2] + n;
}
static const char sinks[] =
    HEAD ENTRY "shr.u32 %r2, %r0, 2;\nmul.wide.u32 %d4, %r2, 16;\nadd.s64 %d4, %d1, %d4;\n"
               "ld.global.v4.u32 {%r3, _, %r4, _}, [%d4];\nmad.lo.s32 %r10, %r4, 10, %r3;\n"
               "mov.b64 %d5, {%r4, %r1};\nmov.b64 {_, %r6}, %d5;\nadd.s32 %r10, %r10, %r6;\n"
               "atom.global.add.u32 _, [%d0+1024], 1;\n" RESULT;

static int expect_narrow(int t, int n)
{
    (void)n;
    return (hand.in[t] & 0xff) + 1000 * (hand.in[t] >> 8);
}
static const char narrow[] = HEAD ENTRY "ld.global.v4.u8 {%r3, %r4, %r5, %r6}, [%d3];\n"
                                        "mad.lo.s32 %r10, %r4, 1000, %r3;\n" RESULT;

/* A warp operation does not wait for lanes that have exited, even if a mask includes them. */
static int expect_left(int t, int n)
{
    return t % 32 < 16 ? (t ^ 1) + n : 0;
}
static const char left_members[] =
    HEAD ENTRY "and.b32 %r2, %r0, 31;\nsetp.ge.u32 %p1, %r2, 16;\n@%p1 ret;\n"
               "shfl.sync.bfly.b32 %r10|%p2, %r0, 1, 31, 0xffffffff;\nbar.warp.sync 0xffffffff;\n"
               "add.s32 %r10, %r10, %r1;\n" RESULT;

static const char wrapped[] =
    HEAD ENTRY ".shared .align 4 .b8 box[16];\nmov.s32 %r2, -16;\nmov.u32 %r3, 2;\n"
               "st.shared.u32 [box], %r3;\nbar.sync 0;\nld.shared.u32 %r10, [%r2+16];\n" RESULT;

static int expect_spaces(int t, int n)
{
    const int value[5] = {hand.in[t], 1000 + t, 2000 + t, 4711, n};
    return value[t % 5];
}
static const char spaces[] =
    HEAD ".const .align 4 .u32 c = 4711;\n"
         ".func (.param .b32 r) get(.param .b64 a)\n{\n.reg .b64 %a;\n.reg .b32 %x;\n"
         "ld.param.b64 %a, [a];\nld.u32 %x, [%a];\nst.param.b32 [r], %x;\nret;\n}\n" ENTRY
         ".shared .align 4 .b8 box[256];\n.local .align 4 .b8 own[4];\n"
         "add.s32 %r2, %r0, 1000;\nadd.s32 %r3, %r0, 2000;\nmov.u64 %d4, box;\n"
         "cvta.shared.u64 %d4, %d4;\nmad.wide.u32 %d4, %r0, 4, %d4;\nst.u32 [%d4], %r2;\n"
         "mov.u64 %d5, own;\ncvta.local.u64 %d5, %d5;\nst.u32 [%d5], %r3;\nmov.u64 %d6, c;\n"
         "cvta.const.u64 %d6, %d6;\nmov.u64 %d7, pn;\ncvta.param.u64 %d7, %d7;\n"
         "rem.u32 %r4, %r0, 5;\nmov.u64 %d8, %d3;\nsetp.eq.u32 %p1, %r4, 1;\n"
         "selp.b64 %d8, %d4, %d8, %p1;\nsetp.eq.u32 %p1, %r4, 2;\nselp.b64 %d8, %d5, %d8, %p1;\n"
         "setp.eq.u32 %p1, %r4, 3;\nselp.b64 %d8, %d6, %d8, %p1;\nsetp.eq.u32 %p1, %r4, 4;\n"
         "selp.b64 %d8, %d7, %d8, %p1;\n{\n.param .b64 a0;\n.param .b32 r0;\n"
         "st.param.b64 [a0], %d8;\ncall (r0), get, (a0);\nld.param.b32 %r10, [r0];\n}\n" RESULT;

/* In generic atomics, even lanes add to global memory, and odd lanes to shared memory. */
static int expect_generic_atomics(int t, int n)
{
    (void)n;
    return t % 2 ? 32 * 7 : hand.out[100];
}
static const char generic_atomics[] = HEAD ENTRY
    ".shared .align 4 .b8 box[4];\nmov.u32 %r2, 0;\nst.shared.u32 [box], %r2;\nbar.sync 0;\n"
    "mov.u64 %d4, box;\ncvta.shared.u64 %d4, %d4;\nadd.s64 %d5, %d0, 400;\nand.b32 %r3, %r0, 1;\n"
    "setp.eq.u32 %p1, %r3, 1;\nselp.b64 %d6, %d4, %d5, %p1;\natom.add.u32 %r4, [%d6], 7;\n"
    "bar.sync 0;\nld.u32 %r10, [%d6];\n" RESULT;

static int expect_every_atomic(int t, int n)
{
    (void)n;
    return t ? 0 : 5 + 9 + 3 + 0 + 6;
}
static const char every_atomic[] = HEAD ENTRY
    ".shared .align 8 .b8 box[32];\nmov.u32 %r10, 0;\nsetp.ne.u32 %p1, %r0, 0;\n@%p1 bra END;\n"
    "mov.u64 %d4, 5;\nst.shared.u64 [box], %d4;\nmov.u64 %d5, 9;\n"
    "atom.shared.exch.b64 %d6, [box], %d5;\natom.shared.cas.b64 %d7, [box], 9, 1;\n"
    "mov.u32 %r2, 0;\nst.shared.u32 [box+8], %r2;\natom.shared.dec.u32 %r3, [box+8], 3;\n"
    "ld.shared.u32 %r4, [box+8];\natom.shared.inc.u32 %r5, [box+8], 3;\n"
    "ld.shared.u32 %r6, [box+8];\nred.shared.or.b32 [box+8], 6;\nld.shared.u32 %r7, [box+8];\n"
    "cvt.u32.u64 %r8, %d6;\ncvt.u32.u64 %r9, %d7;\nadd.s32 %r10, %r8, %r9;\n"
    "add.s32 %r10, %r10, %r4;\nadd.s32 %r10, %r10, %r6;\nadd.s32 %r10, %r10, %r7;\nEND:\n" RESULT;

/* 64 threads add 1 in f16, 0.5 in bf16, (1, 0.5) in f16x2. In bf16, 256 + 1 is rounded to 256. */
static int expect_half_atomics(int t, int n)
{
    (void)t;
    return n == 0 ? 0x42005400 : n == 1 ? 0x50005400 : 0x42804380;
}
static const char half_atomics[] = HEAD ENTRY
    ".shared .align 8 .b8 box[16];\nmov.u64 %d4, 0;\nst.shared.u64 [box], %d4;\n"
    "mov.u64 %d4, 0x4380;\nst.shared.u64 [box+8], %d4;\nbar.sync 0;\nmov.b16 %h1, 0x3c00;\n"
    "mov.b16 %h2, 0x3f00;\natom.shared.add.noftz.f16 %h0, [box], %h1;\n"
    "red.shared.add.noftz.bf16 [box+2], %h2;\nmov.b32 %r2, 0x38003c00;\n"
    "atom.shared.add.noftz.f16x2 %r3, [box+4], %r2;\nmov.b32 %r2, 0x3f803f80;\n"
    "atom.shared.add.noftz.bf16x2 %r3, [box+8], %r2;\nbar.sync 0;\nmov.u32 %r2, box;\n"
    "mad.lo.u32 %r2, %r1, 4, %r2;\nld.shared.u32 %r10, [%r2];\n" RESULT;

/* Local memory is zero at the start of every block, even if a worker executes several blocks. */
static const char stale_local[] =
    HEAD ENTRY ".local .align 4 .b8 own[64];\nld.local.u32 %r10, [own+32];\nmov.u32 %r2, 99;\n"
               "st.local.u32 [own+32], %r2;\nmov.u32 %r3, %ctaid.x;\nmul.wide.u32 %d4, %r3, 256;\n"
               "add.s64 %d2, %d2, %d4;\n" RESULT;

/* Threads exit inside a function, in divergent code. The other threads then reach a barrier. */
static int expect_leavers(int t, int n)
{
    return t % 3 ? n : 0;
}
static const char leavers[] =
    HEAD ".func leave(.param .b32 a)\n{\n.reg .pred %q;\n.reg .b32 %x;\nld.param.b32 %x, [a];\n"
         "rem.u32 %x, %x, 3;\nsetp.ne.u32 %q, %x, 0;\n@%q bra STAY;\nexit;\nSTAY: ret;\n}\n" ENTRY
         "{\n.param .b32 a0;\nst.param.b32 [a0], %r0;\ncall leave, (a0);\n}\nbarrier.sync 0;\n"
         "mov.u32 %r10, %r1;\n" RESULT;

static int expect_specials(int t, int n)
{
    (void)n;
    return t + 256 * 64;
}
static const char specials[] = HEAD ENTRY
    "cvt.u32.u64 %r3, %clock64;\nsub.u32 %r4, %clock, %r3;\nmov.b64 %d4, {%clock, %r1};\n"
    "setp.lt.u32 %p1, %r4, 1000000;\n@!%p1 trap;\nmov.v4.u32 {%r5, _, _, %r6}, %tid;\n"
    "mov.v4.u32 {%r7, %r8, %r9, _}, %ntid;\nadd.u32 %r5, %r5, %r6;\n"
    "mad.lo.u32 %r10, %r7, 256, %r5;\n" RESULT;

static int expect_vectors(int t, int n)
{
    return (t + n) * 100 + t + 3;
}
static const char vector_registers[] = HEAD ENTRY
    ".reg .v2 .u32 t;\n.reg .v4 .b32 %q<3>;\n.shared .align 16 .b8 box[1024];\nmov.u32 %r2, box;\n"
    "mad.lo.u32 %r3, %r0, 16, %r2;\nmov.u32 t.x, %r0;\nadd.u32 t.y, t.x, %r1;\nmov.b64 %d4, t;\n"
    "mov.v2.u32 {%q1.x, %q1.g}, t;\nmov.b64 {%q1.z, %q1.a}, %d4;\nst.shared.v4.b32 [%r3], %q1;\n"
    "ld.shared.v4.b32 %q2, [%r3];\n{\n.reg .v2 .u32 t;\nmov.v2.u32 t, {1, 2};\n"
    "add.u32 %r4, t.x, t.y;\n}\nmad.lo.u32 %r10, %q2.w, 100, %q2.b;\nadd.u32 %r10, %r10, "
    "%r4;\n" RESULT;

/* Registers of 8 bits are parts of registers of 16 and 32 bits, as in the headers for fp8. */
static int expect_bytes(int t, int n)
{
    (void)n;
    return (t << 16 | 0x5a00 | t) + (0x12 << 8) + 0x34 + t;
}
static const char bytes_of_registers[] = HEAD ENTRY
    ".reg .b8 %b<5>;\ncvt.u16.u32 %h1, %r0;\nmov.b16 {%b1, _}, %h1;\n"
    "mov.b32 %r2, {%b1, 0x5a, %b1, 0};\nmov.b16 %h2, {0x34, 0x12};\nmov.b16 {%b2, %b3}, %h2;\n"
    "mov.b16 %h3, {%b2, %b3};\ncvt.u32.u16 %r3, %h3;\nadd.u32 %r10, %r2, %r3;\n"
    "mov.b32 {_, _, %b4, _}, %r2;\nmov.b16 %h3, {%b4, 0};\ncvt.u32.u16 %r3, %h3;\n"
    "add.u32 %r10, %r10, %r3;\n" RESULT;

static int expect_register_parameters(int t, int n)
{
    int sum = 2 * t + n + (t > 40 ? 0 : 7);
    return 2 * sum + t + 1 + (t >= n ? t + 1 : 0) + 1000;
}
static const char register_parameters[] = HEAD FUNCTIONS
    ".func (.reg .u32 r) sum(.reg .u32 a, .reg .v2 .u32 v, .reg .u64 w);\n"
    ".func (.reg .u32 r) sum(.reg .u32 a, .reg .v2 .u32 v, .reg .u64 w)\n{\n.reg .pred %q;\n"
    ".reg .u32 x;\nadd.u32 r, a, v.x;\nadd.u32 r, r, v.y;\nsetp.gt.u32 %q, a, 40;\n@%q ret;\n"
    "cvt.u32.u64 x, w;\nadd.u32 r, r, x;\n}\n"
    ".func (.reg .v2 .u32 r) swap(.reg .v2 .u32 v)\n{\nmov.v2.u32 r, {v.y, v.x};\n"
    "{\n.reg .u32 r;\nmov.u32 r, 9;\nret.uni;\n}\n}\n"
    ".func (.reg .f32 r) half(.reg .f32 a)\n{\nmul.f32 r, a, 0f3F000000;\nret;\n}\n"
    ".func odd(.reg .pred p)\n{\nret;\n}\n" ENTRY
    ".reg .v2 .u32 t;\n.reg .f32 f;\nproto: .callprototype (.reg .u32 _) _ (.reg .u32 _, "
    ".reg .v2 .u32 _, .reg .u64 _);\nmov.u32 t.x, %r0;\nmov.u32 t.y, %r1;\ncall (t), swap, (t);\n"
    "call (%r4), sum, (%r0, t, 7);\nmov.u64 %d4, sum;\ncall (%r5), %d4, (%r0, t, 7), proto;\n"
    "call (%r6), fa, (%r0);\nsetp.ge.s32 %p1, %r0, %r1;\nmov.u32 %r7, 0;\n"
    "@%p1 call (%r7), fa, (%r0);\ncall (f), half, (2000.0);\ncvt.rzi.u32.f32 %r10, f;\n"
    "add.u32 %r10, %r10, %r4;\nadd.u32 %r10, %r10, %r5;\nadd.u32 %r10, %r10, %r6;\n"
    "add.u32 %r10, %r10, %r7;\nsetp.eq.u32 %p1, %r10, 5;\n@!%p1 bra END;\ncall odd, "
    "(%p1);\nEND:\n" RESULT;

/* The parser adds instructions for swapped elements, predicates as parameters, and a stored sum. */
static int expect_added(int t, int n)
{
    return t + (t > 40 ? 1 : 5) + (t & 1 ? 1000 : 0) - 3 + n;
}
static const char parser_added[] = HEAD
    ".func (.reg .u32 r, .reg .pred odd) next(.reg .u32 x, .reg .pred up)\n{\n.reg .u32 y;\n"
    "selp.u32 r, 1, 5, up;\nadd.u32 r, r, x;\nand.b32 y, x, 1;\nsetp.eq.u32 odd, y, 1;\n}\n" ENTRY
    ".reg .pred %q<3>;\n.shared .align 16 .b8 box[1024];\nmov.u32 %r2, box;\n"
    "mad.lo.u32 %r3, %r0, 4, %r2;\nmov.v2.u32 {%r4, %r5}, {%r0, %r1};\n"
    "mov.v2.u32 {%r5, %r4}, {%r4, %r5};\nsetp.gt.u32 %q1, %r5, 40;\n"
    "call (%r6, %q2), next, (%r5, %q1);\n@%q2 add.u32 %r6, %r6, 1000;\n"
    "st.shared.u32 [%r3], %r6 - 3;\nld.shared.u32 %r10, [%r3];\nadd.u32 %r10, %r10, %r4;\n" RESULT;

static const char unreached[] =
    HEAD ".extern .func missing;\n" ENTRY
         "mov.u32 %r10, 2;\nsetp.eq.u32 %p1, %r10, 3;\n@%p1 frobnicate.u32 %r1, %r2;\n"
         "@!%p1 bra END;\nadd.frob.u32 %r1, %r2, %r3;\ncall missing;\nEND:\n" RESULT;

static void test_hand_written(void **state)
{
    (void)state;
    const struct good table_of_good[] = {
        {"brx.idx", branch_table, 0, expect_table},
        {"call through a pointer", pointers, 0, expect_pointers},
        {"vector registers", vector_registers, 5, expect_vectors},
        {"8-bit parts of registers", bytes_of_registers, 5, expect_bytes},
        {"register parameters", register_parameters, 13, expect_register_parameters},
        {"instructions that the parser adds", parser_added, 5, expect_added},
        {"guarded call", guarded_call, 13, expect_guarded_call},
        {"bar.arrive", producer, 9, expect_producer},
        {"match.all", match_all, 5, expect_seven},
        {"barriers of one warp", own_barriers, 0, expect_two},
        {"barrier.sync", unaligned, 4, expect_unaligned},
        {"guarded barrier.sync", guarded_barrier, 0, expect_two},
        {"a trap on a path around a barrier", trap_behind, 0, expect_upper},
        {"a counted barrier after exits", counted_after_exits, 0, expect_two},
        {"bar.red", reduced, 21, expect_reduced},
        {"shuffle of half a warp", partial, 3, expect_partial},
        {"members that have exited", left_members, 8, expect_left},
        {"two member masks of bar.warp.sync", groups, 11, expect_groups},
        {"two member masks of a vote", ballots, 0, expect_ballots},
        {"atomics of f16 and bf16", half_atomics, 0, expect_half_atomics},
        {"atomics of f16x2", half_atomics, 1, expect_half_atomics},
        {"atomics of bf16x2", half_atomics, 2, expect_half_atomics},
        {"groups of copies", arrivals, -1, expect_arrivals},
        {"waits for copies", waits, 100000, expect_waits},
        {"guards", predicated, 8, expect_predicated},
        {"unused vector elements", sinks, 5, expect_sinks},
        {"narrow elements", narrow, 0, expect_narrow},
        {"wrapped address", wrapped, 0, expect_two},
        {"mixed spaces", spaces, 31, expect_spaces},
        {"generic atomics", generic_atomics, 0, expect_generic_atomics},
        {"every atomic", every_atomic, 0, expect_every_atomic},
        {"exit in a function", leavers, 6, expect_leavers},
        {"clocks and vectors", specials, 0, expect_specials},
        {"unsupported instructions that are not executed", unreached, 0, expect_two},
    };
    for (size_t i = 0; i < sizeof table_of_good / sizeof *table_of_good; i++)
        run_good(table_of_good[i].name, table_of_good[i].text, table_of_good[i].n,
                 table_of_good[i].expect);
    assert_int_equal(hand.out[256], 0);
    run_good("unused vector elements", sinks, 5, expect_sinks);
    assert_int_equal(hand.out[256], 64);
}

/* At a barrier with a thread count, a warp with fewer than 32 threads counts as 32 threads. */
static void test_partial_warp(void **state)
{
    (void)state;
    static const char text[] = HEAD ENTRY "bar.sync 1, 64;\nmov.u32 %r10, 2;\n" RESULT;
    run_text(text, strlen(text), 0, 0);
    bench_arrays(&hand, 64, 64, 1000);
    struct bench_launch launch = {.kernel = "k", .block = {40, 1, 1}, .device = &h200};
    bench_expect_good(&hand, bench_run(&hand, &launch), "a partial warp");
    for (int t = 0; t < 40; t++)
        assert_int_equal(hand.out[t], 2);
}

static void test_stale_local(void **state)
{
    (void)state;
    run_text(stale_local, strlen(stale_local), 0, 0);
    for (unsigned workers = 1; workers <= 3; workers += 2) {
        bench_arrays(&hand, 64 * 40, 64, 1000);
        memset(hand.out, 0xff, hand.out_count * sizeof *hand.out);
        struct bench_launch launch = {
            .kernel = "k",
            .grid = {40, 1, 1},
            .device = &h200,
            .workers = workers,
            .mode = LAUNCH_COUNT /* LAUNCH_CHECK reports the uninitialized value. */};
        bench_expect_good(&hand, bench_run(&hand, &launch), "stale_local");
        for (size_t i = 0; i < hand.out_count; i++)
            assert_int_equal(hand.out[i], 0);
    }
}

#define FAULT(text, n, status, ...)                                                                \
    {                                                                                              \
        text, n, STATUS_##status,                                                                  \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }

static const struct hand_fault {
    const char *text;
    int n;
    enum status status;
    const char *parts[4];
} hand_faults[] = {
    FAULT(HEAD ENTRY "trap;\n" RESULT, 0, LAUNCH_ERROR, "thread (0, 0, 0)", "executes a trap"),
    FAULT(HEAD ENTRY "frobnicate.u32 %r1, %r2;\n" RESULT, 0, UNSUPPORTED, "line 19 of the PTX",
          "frobnicate.u32"),
    FAULT(HEAD ENTRY "add.frob.u32 %r1, %r2, %r3;\n" RESULT, 0, UNSUPPORTED, "line 19 of the PTX",
          "add.frob.u32"),
    FAULT(HEAD ".extern .func missing;\n" ENTRY "call missing;\n" RESULT, 0, UNSUPPORTED,
          "calls missing, which the emulator does not provide"),
    /* Threads 0 to 31 have the valid indices 0 and 1. Thread 32 has the invalid index 2. */
    FAULT(HEAD ENTRY "ts: .branchtargets L0, END;\nmax.u32 %r2, %r0, 30;\nsub.u32 %r2, %r2, 30;\n"
                     "brx.idx %r2, ts;\nL0: END:\n" RESULT,
          0, LAUNCH_ERROR, "thread (32, 0, 0)", "entry 2 of a branch table of 2"),
    FAULT(HEAD FUNCTIONS ENTRY POINTER "mov.u64 %d6, 0x1234;\n" CALL_R4("", "%d6, (a0), pt") RESULT,
          0, LAUNCH_ERROR, "calls address 0x1234, which is not a function"),
    FAULT(HEAD FUNCTIONS ENTRY POINTER
          "mov.u64 %d6, fa;\nadd.s64 %d6, %d6, 8;\n" CALL_R4("", "%d6, (a0), pt") RESULT,
          0, LAUNCH_ERROR, "which is not a function"),
    FAULT(HEAD FUNCTIONS ENTRY POINTER "mov.u64 %d6, fc;\n" CALL_R4("", "%d6, (a0), pt") RESULT, 0,
          LAUNCH_ERROR, "calls fc with parameters that do not match its declaration"),
    FAULT(HEAD ".func f(.param .b32 a)\n{\n{\n.param .b32 b;\ncall f, (b);\n}\nret;\n}\n" ENTRY
               "{\n.param .b32 a0;\ncall f, (a0);\n}\n" RESULT,
          0, OUT_OF_BOUNDS, "stack", "nested"),
    FAULT(HEAD ENTRY "bar.sync 16;\n" RESULT, 0, LAUNCH_ERROR, "barrier 16"),
    FAULT(HEAD ENTRY "bar.sync 1, 33;\n" RESULT, 0, LAUNCH_ERROR, "33 threads"),
    FAULT(HEAD ENTRY "setp.lt.u32 %p1, %r0, 32;\n@%p1 bra A;\nbar.sync 1;\nret;\nA: bar.sync 1, "
                     "64;\n" RESULT,
          0, DEADLOCK, "differs from the number"),
    FAULT(HEAD ENTRY "and.b32 %r2, %r0, 1;\nsetp.eq.u32 %p1, %r2, 1;\n@%p1 bra A;\nbar.sync 0;\n"
                     "bra END;\nA: bar.sync 0;\nEND:\n" RESULT,
          0, DEADLOCK, "16 of its warp's 32 threads"),
    FAULT(HEAD ENTRY "setp.lt.u32 %p1, %r0, 32;\n@%p1 bar.sync 1, 64;\nbar.sync 0;\n" RESULT, 0,
          DEADLOCK, "barrier", "32 of the block's 64 threads"),
    /* The lower half waits for the upper half, which has continued to the end of the branch. */
    FAULT(HEAD ENTRY "and.b32 %r2, %r0, 31;\nsetp.ge.u32 %p1, %r2, 16;\n@%p1 bra END;\n"
                     "shfl.sync.bfly.b32 %r10, %r0, 1, 31, 0xffffffff;\nEND:\n" RESULT,
          0, DEADLOCK, "waits for lanes 0xffffffff", "only lanes 0x0000ffff"),
    FAULT(HEAD ENTRY "shfl.sync.bfly.b32 %r10, %r0, 1, 31, 0xfffffffe;\n" RESULT, 0, DEADLOCK,
          "thread (0, 0, 0)", "member mask 0xfffffffe does not name this lane"),
    FAULT(HEAD ENTRY "setp.eq.u32 %p1, %r0, 5;\nL: @%p1 bra L;\n" RESULT, 0, TIMEOUT,
          "thread (5, 0, 0)", "endless"),
    FAULT(HEAD ".const .align 4 .b8 c[64];\n" ENTRY
               "mov.u64 %d4, c;\nld.const.u32 %r10, [%d4+64];\n" RESULT,
          0, OUT_OF_BOUNDS, "reads 4 bytes", "constant memory, byte 64 of the 64 bytes"),
    FAULT(HEAD ".const .align 4 .b8 c[64];\n" ENTRY
               "mov.u64 %d4, c;\nld.const.u8 %r10, [%d4+64];\n" RESULT,
          0, OUT_OF_BOUNDS, "reads 1 byte out", "constant memory, byte 64 of the 64 bytes"),
    FAULT(HEAD ".const .align 4 .b8 c[64];\n" ENTRY
               "mov.u64 %d4, c;\ncvta.const.u64 %d4, %d4;\nst.u32 [%d4], %r0;\n" RESULT,
          0, OUT_OF_BOUNDS, "writes 4 bytes", "constant memory"),
    FAULT(HEAD ENTRY "mov.u64 %d4, pn;\ncvta.param.u64 %d4, %d4;\nld.u64 %d5, [%d4];\n" RESULT, 0,
          OUT_OF_BOUNDS, "the kernel's parameters, byte 16 of the 20 bytes"),
    FAULT(HEAD ENTRY ".local .align 8 .b8 own[64];\nmov.u64 %d4, own;\nld.local.u64 %d5, "
                     "[%d4+64];\n" RESULT,
          0, OUT_OF_BOUNDS, "local memory, byte 64 of the 64 bytes"),
    FAULT(HEAD ENTRY ".shared .align 8 .b8 box[64];\nmad.lo.u32 %r2, %r0, 4, 0;\nld.shared.u32 "
                     "%r10, [%r2];\n" RESULT,
          0, OUT_OF_BOUNDS, "thread (16, 0, 0)", "shared memory, past the end of box"),
    FAULT(HEAD ENTRY "ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%d3];\n" RESULT, 0, MISALIGNED,
          "thread (1, 0, 0)", "reads 16 bytes", "in[1]"),
    FAULT(HEAD ENTRY ".local .align 8 .b8 own[64];\nld.local.u64 %d5, [own+4];\n" RESULT, 0,
          MISALIGNED, "local memory"),
    FAULT(HEAD ENTRY "mov.u64 %d4, 16;\nld.global.u32 %r10, [%d4];\n" RESULT, 0, OUT_OF_BOUNDS,
          "address 0x10 (a null pointer)"),
    FAULT(HEAD FUNCTIONS ENTRY "mov.u64 %d4, fa;\nld.u32 %r10, [%d4];\n" RESULT, 0, OUT_OF_BOUNDS,
          "does not belong to any array"),
    FAULT(HEAD ENTRY "ld.global.u32 %r10, [%d0+-4];\n" RESULT, 0, OUT_OF_BOUNDS,
          "out, 1 element before its beginning"),
    FAULT(HEAD ENTRY
          "ld.global.v2.u32 {%r10, %r11}, [%d0+2040];\nst.global.u64 [%d0+2048], %d0;\n" RESULT,
          0, OUT_OF_BOUNDS, "writes 8 bytes", "out, 1 element past its end"),
    FAULT(HEAD ENTRY ".local .align 4 .b8 own[4];\nmov.u64 %d4, own;\ncvta.local.u64 %d4, %d4;\n"
                     "atom.add.u32 %r2, [%d4], 1;\n" RESULT,
          0, LAUNCH_ERROR, "atomic operation"),
    /* Modules that require memory, functions or labels that are not available. */
    FAULT(HEAD ".shared .align 4 .b8 huge[200000000];\n" ENTRY RESULT, 0, UNSUPPORTED,
          "shared memory"),
    FAULT(HEAD ENTRY ".shared .align 4 .b8 huge[200000000];\n" RESULT, 0, UNSUPPORTED,
          "shared memory"),
    FAULT(HEAD ENTRY ".local .align 4 .b8 huge[600000];\n" RESULT, 0, UNSUPPORTED, "local"),
    FAULT(HEAD ".const .align 4 .b8 huge[50000000];\n" ENTRY RESULT, 0, UNSUPPORTED, "constant"),
    FAULT(HEAD FUNCTIONS ENTRY
          "{\n.param .b64 a0;\n.param .b32 r0;\ncall (r0), fa, (a0);\n}\n" RESULT,
          0, UNSUPPORTED, "calls fa"),
    FAULT(HEAD ENTRY "bra NOWHERE;\n" RESULT, 0, COMPILE_ERROR, "hand.ptx:19:", "NOWHERE"),
    FAULT(HEAD ENTRY "ts: .branchtargets L0, NOWHERE;\nL0: brx.idx %r0, ts;\n" RESULT, 0,
          COMPILE_ERROR, "hand.ptx:19:", "NOWHERE"),
};

static void test_hand_written_faults(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof hand_faults / sizeof *hand_faults; i++) {
        const struct hand_fault *fault = &hand_faults[i];
        bool good = run_text(fault->text, strlen(fault->text), fault->n, 400000);
        bench_expect_failure(&hand, good, fault->status, fault->parts);
    }
}

struct text {
    char *bytes;
    size_t length, capacity;
};

static void __attribute__((format(printf, 2, 3)))
text_add(struct text *text, const char *format, ...)
{
    if (text->capacity - text->length < 4096) {
        text->capacity = 2 * text->capacity + 65536;
        text->bytes = realloc(text->bytes, text->capacity);
        assert_non_null(text->bytes);
    }
    va_list arguments;
    va_start(arguments, format);
    int added =
        vsnprintf(text->bytes + text->length, text->capacity - text->length, format, arguments);
    va_end(arguments);
    assert_in_range(added, 0, 4095);
    text->length += (size_t)added;
}

static void test_wide_recursion(void **state)
{
    (void)state;
    enum { REGISTERS = 8000 };
    struct text text = {0};
    text_add(&text, HEAD ".func f(.param .b32 a)\n{\n.reg .b64 %%x<%d>;\n", REGISTERS);
    for (int i = 0; i < REGISTERS; i++)
        text_add(&text, "mov.u64 %%x%d, %d;\n", i, i);
    text_add(&text, "{\n.param .b32 b;\ncall f, (b);\n}\n");
    for (int i = 1; i < REGISTERS; i++)
        text_add(&text, "add.s64 %%x0, %%x0, %%x%d;\n", i);
    text_add(&text, "ret;\n}\n%s", ENTRY "{\n.param .b32 a0;\ncall f, (a0);\n}\n" RESULT);
    bool good = run_text(text.bytes, text.length, 0, 0);
    free(text.bytes);
    bench_expect_failure(&hand, good, STATUS_OUT_OF_BOUNDS, (const char *[]){"its stack", NULL});
}

static void test_copies_without_end(void **state)
{
    (void)state;
    static const char text[] =
        HEAD ENTRY ".shared .align 4 .b8 box[4];\nmov.u32 %r2, box;\n"
                   "L: cp.async.ca.shared.global [%r2], [%d3], 4;\nbra L;\n" RESULT;
    bool good = run_text(text, strlen(text), 0, 0);
    bench_expect_failure(&hand, good, STATUS_UNSUPPORTED, (const char *[]){"cp.async", NULL});
}

static void test_unknown_forms(void **state)
{
    (void)state;
    static const char before[] =
        HEAD ENTRY "mov.u32 %r10, 2;\nsetp.eq.u32 %p1, %r1, 3;\n@!%p1 bra OVER;\n";
    static const char *const forms[] = {
        "frobnicate.sync.u32 %r3, <%r4>, \"a string\"",
        "mov.u32 %r3, %newspecial.q",
        "mov.u32 %r3, %pm3",
        "add.s32 %r3, -%r4, %r5",
        "add.u32 %r3, %r4 -> %r5",
        "ld.global.u32 %r3, [%d0 + %d1]",
        "ld.global.u32 %r3, [%d0, %d0, %d0, %d0, %d0, %d0, %d0]",
        "mov.u32 %r3, %tid",
        "mov.b64 {%r3, %r3, %r3, %r3, %r3, %r3, %r3, %r3, %r3}, %d0",
        "wgmma.fence.sync.aligned",
        "tcgen05.mma.cta_group::1.kind::f16 [%r3], %d0, %d1, %r4, {%r3, %r4}, %p1",
        "cp.async.bulk.tensor.2d.shared::cluster.global [%r3], [%d0, {%r3, %r4}], [%r5]",
        "ld.global.v8.f32 {%r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9}, [%d0]",
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        char text[4096], name[64];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(forms[i], " "), forms[i]);
        snprintf(text, sizeof text, "%s%s;\n%s", before, forms[i], "OVER:\n" RESULT);
        run_good(forms[i], text, 0, expect_two);
        bool good = run_text(text, strlen(text), 3, 0);
        bench_expect_failure(&hand, good, STATUS_UNSUPPORTED,
                             (const char *[]){"needs the PTX instruction", name, NULL});
    }
}

static void test_large_module(void **state)
{
    (void)state;
    struct text text = {0};
    text_add(&text, HEAD);
    for (int i = 0; i < 20000; i++)
        text_add(&text, ".func f%d()\n{\nret;\n}\n.global .b64 g%d = f%d;\n", i, i, i);
    text_add(&text, "%s",
             ENTRY "ld.global.u64 %d4, [g7];\nmov.u64 %d5, f7;\nsub.s64 %d4, %d4, %d5;\n"
                   "cvt.u32.u64 %r10, %d4;\nadd.u32 %r10, %r10, 2;\n" RESULT);
    bool good = run_text(text.bytes, text.length, 0, 0);
    free(text.bytes);
    bench_expect_good(&hand, good, "large module");
    assert_int_equal(hand.out[3], 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hand_written),   cmocka_unit_test(test_stale_local),
        cmocka_unit_test(test_partial_warp),   cmocka_unit_test(test_hand_written_faults),
        cmocka_unit_test(test_wide_recursion), cmocka_unit_test(test_copies_without_end),
        cmocka_unit_test(test_large_module),   cmocka_unit_test(test_unknown_forms),
    };
    return cmocka_run_group_tests(tests, open_device, close_module);
}
