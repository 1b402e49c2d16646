/* Compare the widths of fused shared loads with those in the code of ptxas (CUDA 13.0, sm_90). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "emulator/decode/simt_decode.h"

#include <stdio.h>
#include <string.h>

#define BASE "mov.u32 %r2, box; mul.lo.s32 %r3, %r1, 16; add.s32 %r4, %r2, %r3;"
#define LOAD(n, at) "ld.shared.f32 %f" #n ", [%r4+" #at "];"
#define QUAD LOAD(0, 0) LOAD(1, 4) LOAD(2, 8) LOAD(3, 12)

static const struct sample {
    const char *name, *code, *widths;
} samples[] = {
    {"quad", BASE QUAD, "16"},
    {"any order", BASE LOAD(0, 12) LOAD(1, 4) LOAD(2, 8) LOAD(3, 0), "16"},
    {"pair", BASE LOAD(0, 0) LOAD(1, 4), "8"},
    {"second pair", BASE LOAD(0, 8) LOAD(1, 12), "8"},
    {"across pairs", BASE LOAD(0, 4) LOAD(1, 8), "4 4"},
    {"first and last", BASE LOAD(0, 0) LOAD(1, 12), "4 4"},
    {"three", BASE LOAD(0, 4) LOAD(1, 8) LOAD(2, 12), "16"},
    {"three with a gap", BASE LOAD(0, 0) LOAD(1, 4) LOAD(2, 12), "16"},
    {"into the next quad", BASE LOAD(0, 4) LOAD(1, 8) LOAD(2, 12) LOAD(3, 16), "16 4"},
    {"two pairs", BASE LOAD(0, 8) LOAD(1, 12) LOAD(2, 16) LOAD(3, 20), "8 8"},
    {"below the base", BASE "add.s32 %r4, %r4, 16;" LOAD(0, -16) LOAD(1, -12), "8"},
    {"vectors", BASE "ld.shared.v2.f32 {%f0, %f1}, [%r4];" LOAD(2, 8), "16"},
    {"doubles", BASE "ld.shared.f64 %fd0, [%r4]; ld.shared.f64 %fd1, [%r4+8];", "16"},
    {"halves", BASE "ld.shared.u16 %h0, [%r4]; ld.shared.u16 %h1, [%r4+2];", "4"},
    {"bytes", BASE "ld.shared.u8 %h0, [%r4]; ld.shared.u8 %h1, [%r4+1];", "1 1"},
    {"two sizes", BASE "ld.shared.u16 %h0, [%r4];" LOAD(1, 4), "2 4"},
    {"multiples of 24", "mov.u32 %r2, box; mad.lo.s32 %r4, %r1, 24, %r2;" QUAD, "8 8"},
    {"multiples of 12", "mov.u32 %r2, box; mad.lo.s32 %r4, %r1, 12, %r2;" QUAD, "4 4 4 4"},
    {"shift", "mov.u32 %r2, box; shl.b32 %r3, %r1, 4; add.s32 %r4, %r3, %r2;" QUAD, "16"},
    {"mask", "mov.u32 %r2, box; and.b32 %r3, %r1, 4080; add.s32 %r4, %r3, %r2;" QUAD, "16"},
    {"or",
     "mov.u32 %r2, box; shl.b32 %r5, %r1, 5; or.b32 %r3, %r5, 4; add.s32 %r4, %r3, %r2;" LOAD(0, -4)
         LOAD(1, 0) LOAD(2, 4) LOAD(3, 8),
     "16"},
    {"unknown base", "ld.param.u32 %r4, [p];" QUAD, "4 4 4 4"},
    {"variable", "ld.shared.f32 %f0, [box]; ld.shared.f32 %f1, [box+4];", "8"},
    {"odd variable", "mov.u32 %r2, odd; mad.lo.s32 %r4, %r1, 16, %r2;" QUAD, "4 4 4 4"},
    {"base changes", BASE LOAD(0, 0) "add.s32 %r4, %r4, 16;" LOAD(1, 4), "4 4"},
    {"in a loop",
     BASE "LOOP:" QUAD "add.s32 %r4, %r4, 16; setp.lt.u32 %p1, %r4, %r1; @%p1 bra LOOP;", "16"},
    {"in a loop, steps of a word",
     BASE "LOOP:" QUAD "add.s32 %r4, %r4, 4; setp.lt.u32 %p1, %r4, %r1; @%p1 bra LOOP;", "4 4 4 4"},
    {"barrier between", BASE LOAD(0, 0) LOAD(1, 4) "bar.sync 0;" LOAD(2, 8) LOAD(3, 12), "8 8"},
    {"fence between", BASE LOAD(0, 0) LOAD(1, 4) "membar.cta;" LOAD(2, 8) LOAD(3, 12), "8 8"},
    {"store between",
     BASE LOAD(0, 0) LOAD(1, 4) "st.shared.f32 [%r4+64], %f0;" LOAD(2, 8) LOAD(3, 12), "8 8"},
    {"global store between",
     BASE LOAD(0, 0) LOAD(1, 4) "st.global.f32 [%rd1], %f0;" LOAD(2, 8) LOAD(3, 12), "16"},
    {"volatile", BASE "ld.volatile.shared.f32 %f0, [%r4]; ld.volatile.shared.f32 %f1, [%r4+4];",
     "4 4"},
    {"predicated", BASE "@%p1 ld.shared.f32 %f0, [%r4]; @%p1 ld.shared.f32 %f1, [%r4+4];", "4 4"},
    {"global", "ld.global.f32 %f0, [%rd1]; ld.global.f32 %f1, [%rd1+4];", ""},
};

static void widths_of(const struct program_function *function, char *text, size_t size)
{
    size_t length = 0;
    text[0] = 0;
    for (size_t i = 0; i < function->code_count; i++) {
        const struct instruction *load = &function->code[i];
        if (load->kind != SIMT_LOAD || load->space != PTX_SHARED || load->fused == SIMT_FUSED_AWAY)
            continue;
        unsigned width = load->fused ? load->fused : (unsigned)load->bytes * load->vector;
        length += (size_t)snprintf(text + length, size - length, "%s%u", length ? " " : "", width);
    }
}

struct kernel {
    struct ptx_module module;
    struct guest_memory memory;
    struct program program;
};

static void kernel_open(struct kernel *kernel, const char *name, const char *code)
{
    static char ptx[4096];
    int length = snprintf(ptx, sizeof ptx,
                          ".version 8.0\n.target sm_80\n.address_size 64\n"
                          ".visible .entry k(.param .u64 o, .param .u32 p)\n{\n"
                          ".reg .pred %%p<4>; .reg .b16 %%h<8>; .reg .b32 %%r<16>;\n"
                          ".reg .b64 %%rd<4>; .reg .f32 %%f<8>; .reg .f64 %%fd<4>;\n"
                          ".shared .align 16 .b8 box[4096]; .shared .align 4 .b8 little[20];\n"
                          ".shared .align 4 .b8 odd[4096];\n"
                          "ld.param.u64 %%rd1, [o]; mov.u32 %%r1, %%tid.x;\n"
                          "setp.lt.u32 %%p1, %%r1, 7;\n%s\nret;\n}\n",
                          code);
    assert_in_range(length, 1, sizeof ptx - 1);
    struct failure failure = {0};
    *kernel = (struct kernel){0};
    memory_init(&kernel->memory);
    if (!ptx_parse(ptx, (size_t)length, name, &kernel->module, &failure) ||
        !program_create(&kernel->module, &kernel->memory, &kernel->program, &failure))
        fail_msg("%s: %s", name, failure.text);
}

static void kernel_close(struct kernel *kernel)
{
    program_free(&kernel->program);
    memory_free(&kernel->memory);
    ptx_module_free(&kernel->module);
}

static void test_widths(void **state)
{
    (void)state;
    unsigned wrong = 0;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        char widths[128];
        struct kernel kernel;
        kernel_open(&kernel, samples[i].name, samples[i].code);
        widths_of(&kernel.program.functions[0], widths, sizeof widths);
        if (strcmp(widths, samples[i].widths) != 0) {
            print_error("%s: ptxas \"%s\", here \"%s\"\n", samples[i].name, samples[i].widths,
                        widths);
            wrong++;
        }
        kernel_close(&kernel);
    }
    assert_int_equal(wrong, 0);
}

/* If no instruction reads the result of an atomic operation, blocks run in any order. */
static void test_unread_results(void **state)
{
    (void)state;
    static const struct {
        const char *code;
        enum communication communication;
    } cases[] = {
        {"atom.global.add.u32 %r2, [%rd1], 1;", COMMUNICATES_NOT},
        {"atom.shared.max.s32 %r2, [box], %r1;", COMMUNICATES_NOT},
        {"red.global.add.u32 [%rd1], 1;", COMMUNICATES_NOT},
        {"atom.global.add.u32 %r2, [%rd1], 1; st.global.u32 [%rd1+4], %r2;",
         COMMUNICATES_ACROSS_BLOCKS},
        {"atom.shared.add.u32 %r2, [box], 1; setp.eq.u32 %p1, %r2, 5;", COMMUNICATES_IN_BLOCK},
        {"LOOP: @%p1 atom.global.add.u32 %r2, [%rd1], 1; @%p1 bra LOOP; st.global.u32 [%rd1], %r2;",
         COMMUNICATES_ACROSS_BLOCKS},
        {"atom.global.add.f32 %f0, [%rd1], %f1;", COMMUNICATES_ACROSS_BLOCKS},
        {"atom.global.exch.b32 %r2, [%rd1], 0;", COMMUNICATES_ACROSS_BLOCKS},
        {"atom.global.cas.b32 %r2, [%rd1], 0, 1;", COMMUNICATES_ACROSS_BLOCKS},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct kernel kernel;
        kernel_open(&kernel, "an atomic operation", cases[i].code);
        if (program_communicates(&kernel.program, 0) != cases[i].communication)
            fail_msg("%s", cases[i].code);
        kernel_close(&kernel);
    }
}

/* Each special register that the program reads, except for a clock, has one place in the frame. */
static void test_specials(void **state)
{
    (void)state;
    static const struct {
        const char *code;
        bool reads_reserved;
        unsigned count;
    } cases[] = {
        {"", false, 1},
        {"mov.u32 %r2, %tid.x;", false, 1},
        {"mov.u32 %r2, %tid.y;", false, 2},
        {"mov.u32 %r2, %tid.y; mov.u32 %r3, %tid.y;", false, 2},
        {"mov.v4.u32 {%r2, %r3, %r4, %r5}, %tid;", false, 3},
        {"mov.v4.u32 {%r2, %r3, %r4, %r5}, %ctaid;", false, 4},
        {"mov.u32 %r2, %laneid;", false, 2},
        {"mov.u32 %r2, %clock;", false, 1},
        {"mov.u64 %rd2, %clock64;", false, 1},
        {"mov.u32 %r2, %dynamic_smem_size;", false, 2},
        {"mov.u32 %r2, %total_smem_size;", false, 2},
        {"mov.u32 %r2, %reserved_smem_offset_begin;", true, 2},
        {"mov.u32 %r2, %reserved_smem_offset_end;", true, 2},
        {"mov.u32 %r2, %reserved_smem_offset_cap;", true, 2},
        {"mov.u32 %r2, %reserved_smem_offset_0;", true, 2},
        {"mov.u32 %r2, %reserved_smem_offset_1;", true, 2},
        {"mov.u32 %r2, %envreg1;", false, 2},
        {"mov.u32 %r2, %envreg2;", false, 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct kernel kernel;
        kernel_open(&kernel, "specials", cases[i].code);
        const struct program_function *function = &kernel.program.functions[0];
        if (program_has(&kernel.program, 0, PROGRAM_READS_RESERVED) != cases[i].reads_reserved ||
            function->special_count != cases[i].count)
            fail_msg("%s: %u special registers", cases[i].code, (unsigned)function->special_count);
        for (unsigned a = 0; a < function->special_count; a++)
            for (unsigned b = 0; b < a; b++)
                assert_true(function->specials[a].special != function->specials[b].special &&
                            function->specials[a].offset != function->specials[b].offset);
        kernel_close(&kernel);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_widths),
                                       cmocka_unit_test(test_unread_results),
                                       cmocka_unit_test(test_specials)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
