/* Tests of timing_code.c: rounds of loads and issue slots of small kernels that execute each
 * instruction once, and of launches of the transposes of testdata/kernels.cu. */
#include "emulator/launch_test.h"
#include "emulator/time/timing_code.h"

static struct device h200, gtx280;

static int read_devices(void **state)
{
    (void)state;
    bench_device("h200", &h200);
    bench_device("gtx280", &gtx280);
    return 0;
}

static enum combining combined;
static unsigned crowded; /* Number of loads in crowded rounds of the last body. */

/* Returns the counts of a kernel with this body, for which registers and `tile` are declared. */
static struct code_counts count_body(const char *body, const struct device *device)
{
    static const char frame[] = ".version 7.8\n.target sm_80\n.address_size 64\n"
                                ".func callee()\n{\nret;\n}\n"
                                ".visible .entry k(.param .u64 k_param_0)\n{\n"
                                ".reg .pred %%p<9>;\n.reg .b32 %%r<19>;\n.reg .b64 %%rd<19>;\n"
                                ".reg .f32 %%f<19>;\n.shared .b32 tile[32];\n%s\nret;\n}\n";
    char text[4096];
    snprintf(text, sizeof text, frame, body);
    struct ptx_module module;
    struct guest_memory memory;
    struct program program;
    struct failure failure = {0};
    memory_init(&memory);
    if (!ptx_parse(text, strlen(text), "body.ptx", &module, &failure) ||
        !program_create(&module, &memory, &program, &failure))
        fail_msg("%s", failure.text);
    struct instruction_stats *stats = calloc(program.instruction_count, sizeof *stats);
    assert_non_null(stats);
    for (uint32_t i = program.functions[1].stats_base; i < program.instruction_count; i++)
        stats[i].executed = 1;
    struct code code;
    assert_true(code_read(&program, device, &code));
    struct code_counts counts = code_count(&code, stats);
    combined = COMBINES_NEVER;
    crowded = 0;
    for (uint32_t i = 0; i < code.count; i++)
        combined |= code.traits[i].combines, crowded += code.traits[i].is_crowded;
    code_free(&code);
    free(stats);
    program_free(&program);
    memory_free(&memory);
    ptx_module_free(&module);
    return counts;
}

#define LOAD(n) "ld.global.f32 %f" #n ", [%rd1+" #n "000];\n"
#define LOAD_NC(n) "ld.global.nc.f32 %f" #n ", [%rd1+" #n "00];\n"
#define STORE(n) "st.global.f32 [%rd2+" #n "00], %f" #n ";\n"

/* The assembler does not predicate this forward branch, because it skips another branch. */
#define RETAINED_BRANCH "@%p1 bra A;\n@%p2 bra A;\nadd.u32 %r1, %r1, 1;\nA:\n"
#define FEW                                                                                        \
    "add.u32 %r1, %r1, 1;\nadd.u32 %r2, %r1, 1;\nadd.u32 %r3, %r1, 1;\nadd.u32 %r4, %r1, 1;\n"
#define MANY FEW FEW FEW FEW FEW
#define LOADS4 LOAD(1) LOAD(2) LOAD(3) LOAD(4)
#define LOADS16 LOADS4 LOADS4 LOADS4 LOADS4
/* All lanes load the middle of a tile's row, and two lanes its ends (labs/31_stencil_tiled). */
#define ROW(middle, end, a, b)                                                                     \
    LOAD(middle)                                                                                   \
    "st.shared.f32 [tile], %f" #middle ";\n@%p1 bra " #a ";\n@%p2 bra " #b ";\n" LOAD(end) #b      \
        ":\nst.shared.f32 [tile+4], %f" #end ";\n" #a ":\n"

static const struct rounds_case {
    const char *name, *body;
    unsigned rounds;
} rounds_cases[] = {
    {"no load", STORE(1), 0},
    {"one load", LOAD(1) STORE(1), 1},
    {"loads first", LOAD(1) LOAD(2) LOAD(3) STORE(1) STORE(2) STORE(3), 1},
    {"a store between", LOAD(1) STORE(1) LOAD(2) STORE(2) LOAD(3) STORE(3), 3},
    {"a store between, read-only loads",
     LOAD_NC(1) STORE(1) LOAD_NC(2) STORE(2) LOAD_NC(3) STORE(3), 1},
    {"a plain load after read-only loads", LOAD_NC(1) STORE(1) LOAD_NC(2) LOAD(3), 2},
    {"a store before the loads", STORE(1) LOAD(1) LOAD(2), 1},
    {"a store to shared memory between",
     LOAD(1) "st.shared.f32 [tile], %f1;\n" LOAD(2) "st.shared.f32 [tile+4], %f2;\n", 1},
    {"a generic store between", LOAD(1) "st.f32 [%rd2], %f1;\n" LOAD(2), 2},
    {"a generic load", "ld.f32 %f1, [%rd1];\n" LOAD(2), 1},
    {"loads of other state spaces", "ld.param.u64 %rd1, [k_param_0];\nld.shared.f32 %f1, [tile];\n",
     0},
    {"a barrier between", LOAD(1) "bar.sync 0;\n" LOAD(2), 2},
    {"a fence between", LOAD(1) "membar.gl;\n" LOAD(2), 2},
    {"a call between", LOAD(1) "call callee;\n" LOAD(2), 2},
    {"an atomic with a result is a round",
     LOAD(1) "atom.global.add.u32 %r1, [%rd1], 1;\nadd.u32 %r2, %r1, 1;\n" LOAD(2), 3},
    {"an atomic whose result is not read", LOAD(1) "atom.global.add.u32 %r1, [%rd1], 1;\n" LOAD(2),
     2},
    {"an atomic in shared memory", LOAD(1) "atom.shared.add.u32 %r1, [tile], 1;\n" LOAD(2), 2},
    {"a reduction between", LOAD(1) "red.global.add.u32 [%rd1], 1;\n" LOAD(2), 2},
    {"a pointer chase",
     "ld.global.u64 %rd3, [%rd1];\nadd.s64 %rd4, %rd3, 8;\nld.global.u64 %rd5, [%rd4];\n", 2},
    {"an index that was loaded before a barrier",
     "ld.global.u64 %rd3, [%rd1];\nbar.sync 0;\n" LOAD(1) "ld.global.u64 %rd5, [%rd3];\n", 2},
    {"a register written again",
     "ld.global.u64 %rd3, [%rd1];\nmov.u64 %rd3, %rd2;\nld.global.u64 %rd5, [%rd3];\n", 1},
    {"vectors", "ld.global.v2.u64 {%rd3, %rd4}, [%rd1];\nld.global.u64 %rd5, [%rd4];\n", 2},
    {"a loaded guard",
     LOAD(1) "setp.gt.f32 %p1, %f1, 0f00000000;\n@%p1 ld.global.f32 %f2, [%rd1];\n", 2},
    {"a branch on a loaded value",
     LOAD(1) "setp.gt.f32 %p1, %f1, 0f00000000;\n@%p1 bra L;\n" LOAD(2) "L:\n", 2},
    {"guarded loads and stores, as at edges",
     "@%p1 bra A;\n" LOAD(1) "st.shared.f32 [tile], %f1;\nA:\n@%p2 bra B;\n" LOAD(
         2) "st.shared.f32 [tile+4], %f2;\nB:\n",
     1},
    {"a use before a branch that is not predicated",
     LOAD(1) "st.shared.f32 [tile], %f1;\n" RETAINED_BRANCH LOAD(2), 2},
    {"a use in the branch",
     LOAD(1) "@%p1 bra A;\nadd.f32 %f3, %f1, %f1;\n@%p2 bra A;\nA:\n" LOAD(2), 2},
    {"a load in the branch", LOAD(1) "@%p1 bra A;\n@%p2 bra A;\n" LOAD(2) "A:\n" LOAD(3), 1},
    {"no use before the branch", LOAD(1) RETAINED_BRANCH LOAD(2) STORE(1), 1},
    {"a register copy is no use", LOAD(1) "mov.f32 %f3, %f1;\n" RETAINED_BRANCH LOAD(2), 1},
    {"a use after the branch, of a value of the same round",
     LOAD(1) RETAINED_BRANCH LOAD(2) "add.f32 %f3, %f1, %f2;\n" LOAD(3), 1},
    {"a use of an earlier round",
     LOAD(1) "bar.sync 0;\n" LOAD(2) "add.f32 %f3, %f1, %f1;\n" RETAINED_BRANCH LOAD(3), 2},
    {"a branch around many instructions",
     LOAD(1) "st.shared.f32 [tile], %f1;\n@%p1 bra A;\n" MANY "A:\n" LOAD(2), 2},
    {"two rows of a tile with its ends", ROW(1, 2, A, B) ROW(3, 4, C, D), 4},
    {"a loop", "L:\n" LOAD(1) LOAD(2) "@%p1 bra L;\n" LOAD(3), 2},
    {"a loop after a load", LOAD(1) "L:\n" LOAD(2) "@%p1 bra L;\n", 2},
    {"16 loads in a loop", "L:\n" LOADS16 "@%p1 bra L;\n", 1},
    {"17 loads in a loop", "L:\n" LOADS16 LOAD(1) "@%p1 bra L;\n", 2},
    {"17 loads in an outer loop", "L:\nM:\n@%p2 bra M;\n" LOADS16 LOAD(1) "@%p1 bra L;\n", 2},
    {"17 loads after a loop", "L:\n@%p1 bra L;\n" LOADS16 LOAD(1), 1},
    {"asynchronous copies",
     "mov.u32 %r1, tile;\ncp.async.ca.shared.global [%r1], [%rd1], 4;\n"
     "cp.async.ca.shared.global [%r1+4], [%rd1+4], 4;\ncp.async.commit_group;\n" LOAD(
         1) "cp.async.wait_group 0;\n" LOAD(2),
     2},
};

static void test_barrier_waits(void **state)
{
    (void)state;
    static const struct {
        const char *name, *body;
        unsigned waits;
    } cases[] = {
        {"a barrier alone", "bar.sync 0;\n", 0},
        {"after a load", LOAD(1) "bar.sync 0;\n", 1},
        {"after a store", LOAD(1) STORE(1) "barrier.sync 0;\n", 1},
        {"a second barrier does not wait for loads", LOAD(1) "bar.sync 0;\nbar.sync 0;\n", 1},
        {"a barrier of a warp", LOAD(1) "bar.warp.sync -1;\n", 0},
        {"tiles in a loop", "L:\n" LOAD(1) "bar.sync 0;\nbar.sync 1;\n@%p1 bra L;\n", 1},
        {"a loop after a load", LOAD(1) "L:\nbar.sync 0;\n@%p1 bra L;\n", 0},
        {"after a loop with a load", "L:\n" LOAD(1) "@%p1 bra L;\nbar.sync 0;\n", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct code_counts counts = count_body(cases[i].body, &h200);
        if (counts.barrier_waits != cases[i].waits)
            fail_msg("%s: %llu waits, not %u", cases[i].name,
                     (unsigned long long)counts.barrier_waits, cases[i].waits);
    }
}

static void test_rounds(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rounds_cases / sizeof *rounds_cases; i++) {
        struct code_counts counts = count_body(rounds_cases[i].body, &h200);
        if (counts.load_rounds != rounds_cases[i].rounds)
            fail_msg("%s: %llu rounds, not %u", rounds_cases[i].name,
                     (unsigned long long)counts.load_rounds, rounds_cases[i].rounds);
    }
}

static void test_crowded_rounds(void **state)
{
    (void)state;
    static const struct {
        const char *name, *body;
        unsigned loads;
    } cases[] = {
        {"two sectors of a line", LOAD(1) "ld.global.u32 %r2, [%rd1+1032];\n" LOAD(3), 3},
        {"one sector", LOAD(1) "ld.global.u32 %r2, [%rd1+1028];\n" LOAD(3), 0},
        {"two lines", LOAD(1) "ld.global.u32 %r2, [%rd1+1128];\n", 0},
        {"distant offsets",
         "ld.global.u32 %r1, [%rd1+-9223372036854775808];\n"
         "ld.global.u32 %r2, [%rd1+9223372036854775807];\n",
         0},
        {"11 loads", LOADS4 LOADS4 LOAD(1) LOAD(2) LOAD(3), 0},
        {"12 loads", LOADS4 LOADS4 LOADS4, 12},
        {"14 loads", LOADS4 LOADS4 LOADS4 LOAD(1) LOAD(2), 14},
        {"16 loads and one in a loop", "L:\n" LOADS16 LOAD(1) "@%p1 bra L;\n", 16},
        {"a use in the middle", LOADS4 LOADS4 MANY "bar.sync 0;\n" LOADS4 LOADS4, 0},
        {"an atomic after 12 loads",
         LOADS4 LOADS4 LOADS4 "atom.global.add.u32 %r1, [%rd1], 1;\nst.u32 [%rd2], %r1;\n", 12},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        count_body(cases[i].body, &h200);
        if (crowded != cases[i].loads)
            fail_msg("%s: %u crowded loads, not %u", cases[i].name, crowded, cases[i].loads);
    }
}

static const struct {
    const char *name, *body;
    enum combining combines;
} combines_cases[] = {
    {"a parameter's address", "ld.param.u64 %rd1, [k_param_0];\nred.global.add.u32 [%rd1], %r3;",
     COMBINES_ALWAYS},
    {"a result that is not read",
     "ld.param.u64 %rd1, [k_param_0];\natom.global.add.u32 %r1, [%rd1], 1;", COMBINES_ALWAYS},
    {"a result", "atom.global.add.u32 %r1, [%rd1], 1;\nmov.u32 %r2, %r1;", COMBINES_ALWAYS},
    {"a result, numbers of the block",
     "mov.u32 %r3, %ctaid.x;\natom.global.add.u32 %r1, [%rd1], %r3;\nmov.u32 %r2, %r1;",
     COMBINES_ALWAYS},
    {"a result, numbers of the threads",
     "mov.u32 %r3, %tid.x;\natom.global.add.u32 %r1, [%rd1], %r3;\nmov.u32 %r2, %r1;",
     COMBINES_FULL_WARPS},
    {"numbers of the threads", "mov.u32 %r3, %tid.x;\nred.global.add.u32 [%rd1], %r3;",
     COMBINES_ALWAYS},
    {"a result of a maximum", "atom.global.max.u32 %r1, [%rd1], 1;\nmov.u32 %r2, %r1;",
     COMBINES_NEVER},
    {"a result of an exchange", "atom.global.exch.b32 %r1, [%rd1], 1;\nmov.u32 %r2, %r1;",
     COMBINES_NEVER},
    {"an index of the block",
     "mov.u32 %r1, %ctaid.x;\nmul.wide.u32 %rd1, %r1, 4;\nred.global.max.u32 [%rd1], 1;",
     COMBINES_ALWAYS},
    {"an index of the thread",
     "mov.u32 %r1, %tid.x;\nmul.wide.u32 %rd1, %r1, 4;\nred.global.add.u32 [%rd1], 1;",
     COMBINES_NEVER},
    {"a loaded index", "ld.global.u64 %rd1, [%rd2];\nred.global.add.u32 [%rd1], 1;",
     COMBINES_NEVER},
    {"an index of the thread from the previous iteration",
     "L:\nadd.s64 %rd1, %rd2, 4;\n@%p1 red.global.add.u32 [%rd1], 1;\n"
     "mov.u32 %r1, %tid.x;\ncvt.u64.u32 %rd2, %r1;\n@%p2 bra L;",
     COMBINES_NEVER},
    {"floats", "red.global.add.f32 [%rd1], %f1;", COMBINES_NEVER},
    {"64 bits, one number", "atom.global.add.u64 %rd3, [%rd1], 1;\nmov.u64 %rd4, %rd3;",
     COMBINES_ALWAYS},
    {"64 bits, numbers of the threads",
     "mov.u32 %r1, %tid.x;\ncvt.u64.u32 %rd3, %r1;\nred.global.add.u64 [%rd1], %rd3;",
     COMBINES_NEVER},
    {"shared memory", "red.shared.add.u32 [tile], 1;", COMBINES_NEVER},
};

static void test_combined_atomics(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof combines_cases / sizeof *combines_cases; i++) {
        struct device old = h200;
        old.compute_capability = 75;
        count_body(combines_cases[i].body, &old);
        enum combining never = combined;
        count_body(combines_cases[i].body, &h200);
        if (never || combined != combines_cases[i].combines)
            fail_msg("%s: %d on CC 9.0, %d on CC 7.5", combines_cases[i].name, combined, never);
    }
}

/* The `ret` at the end takes one slot. */
static const struct slots_case {
    const char *name, *body;
    unsigned modern, cc1;
} slots_cases[] = {
    {"nothing", "", 1, 1},
    {"a sum", "add.s32 %r1, %r2, %r3;", 2, 2},
    {"a wide sum", "add.s64 %rd1, %rd2, %rd3;", 3, 2},
    {"a widening product", "mul.wide.s32 %rd1, %r2, %r3;", 2, 2},
    {"register copies", "mov.u32 %r1, %tid.x;\nmov.u32 %r2, tile;\ncvta.to.global.u64 %rd1, %rd2;",
     1, 1},
    {"a parameter", "ld.param.u64 %rd1, [k_param_0];", 1, 1},
    {"integer conversions", "cvt.s64.s32 %rd1, %r1;\ncvt.u32.u64 %r2, %rd3;", 1, 1},
    {"a conversion to floating point", "cvt.rn.f32.s32 %f1, %r1;", 2, 2},
    {"a guarded branch forward", "@%p1 bra L;\nL:", 1, 1},
    {"a branch forward", "bra L;\nL:", 2, 2},
    {"a loop", "L:\n@%p1 bra L;", 2, 2},
    {"memory", LOAD(1) STORE(1), 3, 3},
};

static void test_slots(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof slots_cases / sizeof *slots_cases; i++) {
        const struct slots_case *c = &slots_cases[i];
        uint64_t modern = count_body(c->body, &h200).issue_slots,
                 cc1 = count_body(c->body, &gtx280).issue_slots;
        if (modern != c->modern || cc1 != c->cc1)
            fail_msg("%s: %llu and %llu slots, not %u and %u", c->name, (unsigned long long)modern,
                     (unsigned long long)cc1, c->modern, c->cc1);
    }
}

#define DOUBLE(text) "{\n.reg .f64 %d<4>;\n" text "\n}"
#define ADD_THIRD "add.f64 %d1, %d2, 0d3FD5555555555555;\n"
static const struct {
    const char *name, *body;
    enum pipe pipe;
    unsigned in_pipe, issue;
} pipes_cases[] = {
    {"a comparison", "setp.lt.s32 %p1, %r1, %r2;", PIPE_ALU, 1, 1},
    {"wide logic", "and.b64 %rd1, %rd2, %rd3;", PIPE_ALU, 2, 2},
    {"a sum in either pipe", "add.s32 %r1, %r2, %r3;", PIPE_ALU, 0, 1},
    {"an integer product", "mad.lo.s32 %r1, %r2, %r3, %r4;", PIPE_MULTIPLY, 1, 1},
    {"a widening product", "mul.wide.s32 %rd1, %r2, %r3;", PIPE_MULTIPLY, 2, 1},
    {"an upper half", "mul.hi.u32 %r1, %r2, %r3;", PIPE_MULTIPLY, 2, 1},
    {"a wide product", "mul.lo.s64 %rd1, %rd2, %rd3;", PIPE_MULTIPLY, 4, 4},
    {"a floating-point product", "mul.f32 %f1, %f2, %f3;", PIPE_MULTIPLY, 0, 1},
    {"a reciprocal root that scales", "rsqrt.approx.f32 %f1, %f2;", PIPE_SPECIAL, 1, 4},
    {"a reciprocal root that does not scale", "rsqrt.approx.ftz.f32 %f1, %f2;", PIPE_SPECIAL, 1, 1},
    {"a logarithm", "lg2.approx.f32 %f1, %f2;", PIPE_SPECIAL, 1, 3},
    {"a sine", "sin.approx.f32 %f1, %f2;", PIPE_SPECIAL, 1, 2},
    {"a division", "div.rn.f32 %f1, %f2, %f3;", PIPE_SPECIAL, 2, 11},
    {"a fast division", "div.approx.ftz.f32 %f1, %f2, %f3;", PIPE_SPECIAL, 1, 2},
    {"a remainder", "rem.s32 %r1, %r2, %r3;", PIPE_SPECIAL, 3, 22},
    {"a wide division", "div.u64 %rd1, %rd2, %rd3;", PIPE_MULTIPLY, 62, 68},
    {"an unsigned division", "div.u32 %r1, %r2, %r3;", PIPE_SPECIAL, 3, 17},
    {"a root", "sqrt.rn.f32 %f1, %f2;", PIPE_SPECIAL, 1, 10},
    {"a conversion to an integer", "cvt.rzi.s32.f32 %r1, %f1;", PIPE_SPECIAL, 1, 1},
    {"a conversion from an integer", "cvt.rn.f32.s32 %f1, %r1;", PIPE_ALU, 1, 1},
    {"a conversion from a short integer", "{\n.reg .b16 %h<4>;\ncvt.rn.f32.u16 %f1, %h1;\n}",
     PIPE_SPECIAL, 1, 1},
    {"a bit count", "popc.b32 %r1, %r2;", PIPE_SPECIAL, 1, 1},
    {"a barrier", "bar.sync 0;", PIPE_BARRIER, 1, 1},
    {"a barrier of a warp", "bar.warp.sync -1;", PIPE_BARRIER, 0, 1},
    {"a shuffle", "shfl.sync.down.b32 %r1, %r2, 1, 31, -1;", PIPE_SHUFFLE, 1, 1},
    {"double precision", DOUBLE("fma.rn.f64 %d1, %d2, %d3, %d1;"), PIPE_DOUBLE, 1, 2},
    {"a double quotient", DOUBLE("div.rn.f64 %d1, %d2, %d3;"), PIPE_DOUBLE, 8, 25},
    {"a double reciprocal", DOUBLE("rcp.rn.f64 %d1, %d2;"), PIPE_DOUBLE, 5, 17},
    {"an approximate double reciprocal", DOUBLE("rcp.approx.ftz.f64 %d1, %d2;"), PIPE_SPECIAL, 1,
     2},
    {"a double minimum", DOUBLE("min.f64 %d1, %d2, %d3;"), PIPE_ALU, 4, 10},
    {"a double selection", DOUBLE("selp.f64 %d1, %d2, %d3, %p1;"), PIPE_ALU, 2, 2},
    {"a double magnitude", DOUBLE("abs.f64 %d1, %d2;"), PIPE_DOUBLE, 0, 0},
    /* A constant with a lower half other than 0 takes two slots, once. */
    {"a short constant", DOUBLE("add.f64 %d1, %d2, 0d3FE8000000000000;"), PIPE_DOUBLE, 1, 2},
    {"a constant", DOUBLE(ADD_THIRD), PIPE_DOUBLE, 1, 4},
    {"the same constant", DOUBLE(ADD_THIRD ADD_THIRD), PIPE_DOUBLE, 2, 6},
    {"a constant before and after a loop", DOUBLE(ADD_THIRD "L:\n@%p1 bra L;\n" ADD_THIRD),
     PIPE_DOUBLE, 2, 9},
    {"the first constant of a loop", DOUBLE("L:\n" ADD_THIRD "@%p1 bra L;\n"), PIPE_DOUBLE, 1, 3},
};

static void test_pipes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof pipes_cases / sizeof *pipes_cases; i++) {
        struct code_counts counts = count_body(pipes_cases[i].body, &h200);
        if (counts.pipe_slots[pipes_cases[i].pipe] != pipes_cases[i].in_pipe ||
            counts.issue_slots != 1 + pipes_cases[i].issue)
            fail_msg("%s: %llu in the pipe, %llu slots", pipes_cases[i].name,
                     (unsigned long long)counts.pipe_slots[pipes_cases[i].pipe],
                     (unsigned long long)counts.issue_slots);
    }
}

static void test_local_memory(void **state)
{
    (void)state;
    struct code_counts counts = count_body(".local .align 16 .b8 own[64];\n"
                                           "ld.local.v2.f32 {%f1, %f2}, [own];\n"
                                           "st.local.b32 [own+8], %r1;\n"
                                           "st.local.b8 [own+12], %r1;\n"
                                           "ld.global.f32 %f3, [%rd1];\n",
                                           &h200);
    assert_int_equal(counts.local_load_bytes, 32 * 8);
    assert_int_equal(counts.local_store_bytes, 32 * (4 + 1));
}

/* Dependent instructions: arithmetic takes 5 clocks, shared memory 29, special functions 24. */

#define ADD(to, from) "add.f32 %f" #to ", %f" #from ", %f9;\n"
#define SHARED(n) "ld.shared.f32 %f" #n ", [tile];\n"
static const struct chains_case {
    const char *name, *body;
    unsigned clocks; /* Includes the 5 clocks of `ret`, unless a longer chain is parallel. */
} chains_cases[] = {
    {"no instruction", "", 5},
    {"independent", ADD(1, 2) ADD(3, 4) ADD(5, 6), 5},
    {"dependent", ADD(1, 2) ADD(2, 1) ADD(1, 2), 15},
    {"the longer of two chains", ADD(1, 2) ADD(2, 1) ADD(3, 4) ADD(4, 3) ADD(3, 4), 15},
    {"a copy costs nothing", ADD(1, 2) "mov.f32 %f3, %f1;\n" ADD(4, 3), 10},
    {"shared memory", SHARED(1) ADD(2, 1), 34},
    {"a shuffle", "shfl.sync.down.b32 %r1, %r2, 1, 31, -1;\nadd.u32 %r3, %r1, 1;\n", 34},
    {"a special function", "ex2.approx.ftz.f32 %f1, %f2;\n" ADD(3, 1), 29},
    {"loads of global memory count as rounds", LOAD(1) ADD(2, 1), 5},
    {"a barrier ends a block", SHARED(1) "bar.sync 0;\n" SHARED(2) ADD(3, 2), 29 + 15 + 34},
    {"a value of an earlier block is available", SHARED(1) "bar.sync 0;\n" ADD(2, 1), 29 + 15 + 5},
    {"a loop", "L:\n" ADD(1, 1) "@%p1 bra L;\n", 5 + 24 + 5},
};

static void test_chains(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof chains_cases / sizeof *chains_cases; i++) {
        uint64_t clocks = count_body(chains_cases[i].body, &h200).chain;
        if (clocks != chains_cases[i].clocks)
            fail_msg("%s: %llu clocks, expected %u", chains_cases[i].name,
                     (unsigned long long)clocks, chains_cases[i].clocks);
        assert_int_equal(count_body(chains_cases[i].body, &gtx280).chain, 0);
    }
}

/* Returns the waits of a warp in latencies, from the latency bound of four concurrent blocks. */
static double launch_waits(const char *kernel)
{
    struct bench bench;
    struct bench_launch launch = {.kernel = kernel,
                                  .grid = {2, 2, 1},
                                  .block = {32, 8, 1},
                                  .n = 64,
                                  .device = &h200,
                                  .model_memory = true};
    bench_open(&bench, "profiler/emulator/testdata/kernels.ptx");
    bench_arrays(&bench, 64 * 64, 64 * 64, 1000);
    bench_expect_good(&bench, bench_run(&bench, &launch), kernel);
    double ns = bench.result.timing.bound_us[BOUND_LATENCY] * 1e3;
    bench_close(&bench);
    return (ns - h200.block_overhead_ns) / h200.latency_ns;
}

/* With a tile, four loads are in flight together. Without a tile, each load waits for a store. */
static void test_launches(void **state)
{
    (void)state;
    assert_float_equal(launch_waits("k_transpose_padded"), 2, 1e-6);
    assert_float_equal(launch_waits("k_transpose_naive"), 4, 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_crowded_rounds),
        cmocka_unit_test(test_rounds),
        cmocka_unit_test(test_combined_atomics),
        cmocka_unit_test(test_barrier_waits),
        cmocka_unit_test(test_slots),
        cmocka_unit_test(test_pipes),
        cmocka_unit_test(test_local_memory),
        cmocka_unit_test(test_launches),
        cmocka_unit_test(test_chains),
    };
    return cmocka_run_group_tests(tests, read_devices, NULL);
}
