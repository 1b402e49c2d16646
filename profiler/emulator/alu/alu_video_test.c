/* Tests of the video instructions. The results are computed by hand from the ISA's pseudocode. */
#include "emulator/launch_test.h"

static struct device h200;
static struct bench bench;

static const struct row {
    const char *code;
    uint32_t a, b, c, d;
} rows[] = {
    {"vadd.s32.s32.s32 %d, %a, %b;", 0x7fffffff, 1, 0, 0x80000000},
    {"vadd.s32.s32.s32.sat %d, %a, %b;", 0x7fffffff, 1, 0, 0x7fffffff},
    {"vadd.u32.u32.s32.sat %d, %a, %b;", 3, 0xfffffffb, 0, 0},
    {"vadd.s32.s32.u32 %d, %a.b3, %b.h1;", 0x80000000, 0x00050000, 0, 0xffffff85},
    {"vadd.u32.u32.u32.add %d, %a.b1, %b.b0, %c;", 0x0000ff00, 0x02, 1000, 1257},
    {"vadd.s32.s32.s32.max %d, %a, %b, %c;", 0xfffffff0, 0, 0xfffffff8, 0xfffffff8},
    {"vadd.u32.u32.u32.sat %d.b2, %a, %b, %c;", 200, 100, 0x11223344, 0x11ff3344},
    {"vsub.s32.u32.u32 %d, %a, %b;", 5, 7, 0, 0xfffffffe},
    {"vsub.u32.u32.u32.sat %d, %a, %b;", 5, 7, 0, 0},
    {"vsub.s32.s32.s32.min %d, %a.h0, %b.h0, %c;", 0x8000, 1, 5, 0xffff7fff},
    {"vabsdiff.u32.s32.s32 %d, %a, %b;", 0x80000000, 0x7fffffff, 0, 0xffffffff},
    {"vabsdiff.u32.u32.u32.add %d, %a.b0, %b.b0, %c;", 3, 250, 1, 248},
    {"vmin.s32.s32.s32 %d, %a, %b;", 0xffffffff, 1, 0, 0xffffffff},
    {"vmin.u32.u32.u32 %d, %a, %b;", 0xffffffff, 1, 0, 1},
    {"vmax.s32.s32.s32 %d.h1, %a, %b, %c;", 0xffffffff, 0x1234, 0xaaaabbbb, 0x1234bbbb},
    {"vshl.u32.u32.u32.clamp %d, %a, %b;", 1, 33, 0, 0},
    {"vshl.u32.u32.u32.wrap %d, %a, %b;", 1, 33, 0, 2},
    {"vshr.s32.s32.u32.clamp %d, %a, %b;", 0x80000000, 40, 0, 0xffffffff},
    {"vshr.u32.u32.u32.wrap.add %d, %a, %b, %c;", 0x80000000, 31, 41, 42},
    {"vset.s32.u32.lt %d, %a, %b;", 0xffffffff, 0, 0, 1},
    {"vset.u32.u32.ge.add %d, %a.b0, %b.b1, %c;", 7, 0x0700, 9, 10},
    {"vset.u32.u32.ne %d, %a, %b;", 7, 7, 0, 0},
    {"vadd2.u32.u32.u32 %d, %a, %b, %c;", 0xffff0001, 0x00020003, 0, 0x00010004},
    {"vadd2.s32.s32.s32.sat %d, %a, %b, %c;", 0x7fff8000, 0x0001ffff, 0, 0x7fff8000},
    {"vsub2.u32.u32.u32.sat %d.h1, %a, %b, %c;", 0x00050005, 0x00090001, 0x11112222, 0x00002222},
    {"vavrg2.u32.u32.u32 %d, %a, %b, %c;", 0xffff0001, 0xffff0002, 0, 0xffff0002},
    {"vavrg4.s32.s32.s32 %d, %a, %b, %c;", 0xff03fe01, 0xfe04ff02, 0, 0xfe04fe02},
    {"vabsdiff2.s32.s32.s32 %d, %a, %b, %c;", 0xfffe0005, 0x0003fffb, 0, 0x0005000a},
    {"vabsdiff4.u32.u32.u32 %d, %a, %b, %c;", 0x00ff1020, 0xff002010, 0, 0xffff1010},
    {"vabsdiff4.u32.u32.u32.add %d, %a, %b, %c;", 0x00ff1020, 0xff002010, 7, 7 + 2 * 255 + 32},
    {"vabsdiff4.u32.u32.u32.add %d.b30, %a, %b, %c;", 0x01020304, 0, 0, 5},
    {"vadd4.u32.u32.u32.sat %d, %a, %b, %c;", 0xfe01807f, 0x05018001, 0, 0xff02ff80},
    {"vadd4.u32.u32.u32 %d.b20, %a, %b, %c;", 0x01010101, 0x01010101, 0x99887766, 0x99027702},
    {"vsub4.s32.s32.s32.sat %d, %a, %b, %c;", 0x80007f05, 0x0100ff03, 0, 0x80007f02},
    {"vmin4.s32.s32.s32 %d, %a, %b, %c;", 0x80ff0001, 0x7f00ff02, 0, 0x80ffff01},
    {"vmin2.u32.u32.u32 %d, %a, %b, %c;", 0x8000ffff, 0x7fff0000, 0, 0x7fff0000},
    {"vmax4.u32.u32.u32 %d, %a, %b, %c;", 0x80ff0001, 0x7f00ff02, 0, 0x80ffff02},
    {"vmax2.s32.s32.s32.add %d, %a, %b, %c;", 0xffff0001, 0xfffe0005, 10, 14},
    {"vadd4.u32.u32.u32 %d, %a.b0123, %b, %c;", 0x01020304, 0x10203040, 0, 0x14233241},
    {"vadd4.u32.u32.u32 %d, %a.b7654, %b.b3333, %c;", 0x01020304, 0x10203040, 0, 0x11213141},
    {"vavrg4.s32.s32.s32 %d, %a.b7777, %b.b0000, %c;", 0x000000fe, 0x80000000, 0, 0xbfbfbfbf},
    {"vsub4.u32.u32.u32 %d.b10, %a.b5040, %b.b1606, %c;", 0x00090807, 0x00030201, 0x12345678,
     0x1234fa04},
    {"vsub2.s32.s32.s32 %d, %a.h10, %b.h01, %c;", 0x00050003, 0x12345678, 0, 0x0002fffe},
    {"vmax2.u32.u32.u32 %d, %a.h32, %b.h10, %c;", 0x00070003, 0x00050009, 0, 0x00070009},
    {"vmad.u32.u32.u32 %d, %a, %b, %c;", 0xffffffff, 0xffffffff, 5, 6},
    {"vmad.u32.u32.u32.sat %d, %a, %b, %c;", 0x10000, 0x10000, 5, 0xffffffff},
    {"vmad.s32.s32.u32 %d, %a.b0, -%b.h1, %c;", 0x000000fe, 0x00030000, 1, 7},
    {"vmad.s32.s32.s32 %d, -%a, -%b, %c;", 3, 4, 1, 13},
    {"vmad.s32.u32.u32 %d, %a, %b, -%c;", 3, 4, 20, 0xfffffff8},
    {"vmad.u32.u32.u32.po %d, %a, %b, %c;", 3, 4, 20, 33},
    {"vmad.s32.s32.s32.shr7 %d, %a, %b, %c;", 0xffffff00, 3, 0, 0xfffffffa},
    {"vmad.u32.u32.u32.shr15 %d, %a, %b, %c;", 0xffffffff, 0xffffffff, 0, 0xfffc0000},
    {"vmad.s32.s32.s32.sat %d, %a, %b, %c;", 0x80000000, 0x7fffffff, 0, 0x80000000},
    {"vset4.u32.u32.eq %d, %a, %b, %c;", 0x01020304, 0x01000300, 0, 0x01000100},
    {"vset2.s32.s32.gt.add %d, %a, %b, %c;", 0x0001ffff, 0xffff0000, 8, 9},
};

static void run_code(const char *code, uint32_t a, uint32_t b, uint32_t c, enum status status)
{
    char text[1024];
    struct bench_launch launch = {.kernel = "k", .device = &h200};
    snprintf(
        text, sizeof text,
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 o, .param "
        ".u64 i, .param .u32 n)\n{\n.reg .b64 %%out; .reg .b32 %%a, %%b, %%c, %%d, %%t;\n"
        "ld.param.u64 %%out, [o];\nmov.u32 %%t, %%tid.x;\nmad.wide.u32 %%out, %%t, 4, %%out;\n"
        "mov.u32 %%a, %u;\nmov.u32 %%b, %u;\nmov.u32 %%c, %u;\n%s\nst.global.u32 [%%out], %%d;\n"
        "ret;\n}\n",
        a, b, c, code);
    bench_close(&bench);
    bench_parse(&bench, text, strlen(text), code);
    bench_arrays(&bench, 64, 16, 2);
    bool good = bench_run(&bench, &launch);
    if (status == STATUS_OK)
        bench_expect_good(&bench, good, code);
    else
        bench_expect_failure(&bench, good, status, (const char *[]){NULL});
}

static void test_results(void **state)
{
    (void)state;
    bench_device("h200", &h200);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        run_code(rows[i].code, rows[i].a, rows[i].b, rows[i].c, STATUS_OK);
        for (int t = 0; t < 64; t++)
            if ((uint32_t)bench.out[t] != rows[i].d)
                fail_msg("%s: %08x, not %08x", rows[i].code, (uint32_t)bench.out[t], rows[i].d);
    }
}

static void test_refused(void **state)
{
    (void)state;
    static const char *const codes[] = {
        "vmad.u32.u32.u32 %d, -%a, %b, -%c;",
        "vmad.u32.u32.u32.po %d, %a, %b, -%c;",
        "vadd4.u32.u32.u32 %d, %a.b10, %b, %c;",
        "vadd2.u32.u32.u32 %d, %a.b10, %b, %c;",
        "vadd4.u32.u32.u32 %d.b7000, %a, %b, %c;",
        "vadd.u64.u32.u32 %d, %a, %b;",
        "vadd.u32.u32.u32.add %d, %a, %b;",
        "vadd2.u32.u32.u32.min %d, %a, %b, %c;",
        "vadd2.u32.u32.u32 %d.b0, %a, %b, %c;",
        "vadd4.u32.u32.u32 %d.h1, %a, %b, %c;",
        "vadd4.u32.u32.u32 %d, %a.b1, %b, %c;",
        "vshl.u32.u32.u32 %d, %a, %b;",
        "vset.u32.u32 %d, %a, %b;",
        "vadd.u32.u32.u32 %d.b0, %a, %b;",
    };
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        run_code(codes[i], 1, 2, 3, STATUS_UNSUPPORTED);
    bench_close(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_results),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
