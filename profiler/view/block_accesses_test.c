/* block_accesses_test.c: tests of the recorded accesses of a block, and of their source lines. */
#include "emulator/launch_test.h"

#include "view/block_accesses.h"
#include "view/line_counters.h"

/* Each thread t of block b copies in[64 b + t] through shared memory to out[64 b + t]. File 1 is
 * the student's file. Line 3 loads from shared memory and stores to it (columns 20 and 5). Line 4
 * is an unrolled loop that stores to an element of `out`, and to the element 256 elements later.
 * Line 5 contains inlined code of line 9 of file 2, once with and once without `inlined_at`. Line 6
 * calls `helper` (line 30 of file 2). Line 7 loads twice in one statement. */
static const char text[] =
    ".version 7.8\n.target sm_80\n.address_size 64\n"
    ".func helper(.param .b64 h0)\n{\n.reg .b64 %rd<3>;\n.reg .b32 %r<3>;\n"
    ".loc 2 30 3\n"
    "ld.param.u64 %rd1, [h0];\nld.global.u32 %r1, [%rd1];\nret;\n}\n"
    ".visible .entry k(.param .u64 k0, .param .u64 k1, .param .u32 k2)\n{\n"
    ".reg .b64 %rd<12>;\n.reg .b32 %r<12>;\n"
    ".shared .align 4 .b8 _ZZ1kE4tile[256];\n"
    ".loc 1 2 1\n"
    "ld.param.u64 %rd1, [k0];\nld.param.u64 %rd2, [k1];\n"
    "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %tid.x;\n"
    "mad.lo.u32 %r3, %r1, 64, %r2;\n"
    "mul.wide.u32 %rd3, %r3, 4;\nadd.u64 %rd4, %rd1, %rd3;\nadd.u64 %rd5, %rd2, %rd3;\n"
    "shl.b32 %r4, %r2, 2;\nmov.u32 %r5, _ZZ1kE4tile;\nadd.u32 %r6, %r5, %r4;\n"
    ".loc 1 3 20\n"
    "ld.global.u32 %r7, [%rd5];\n"
    ".loc 1 3 5\n"
    "st.shared.u32 [%r6], %r7;\n"
    "ld.shared.u32 %r8, [%r6];\n"
    ".loc 1 4 7\n"
    "st.global.u32 [%rd4], %r8;\n"
    ".loc 1 4 2\n"
    "add.u64 %rd6, %rd4, 1024;\n"
    ".loc 1 4 7\n"
    "st.global.u32 [%rd6], %r8;\n"
    ".loc 2 9 1, function_name $L_name, inlined_at 1 5 8\n"
    "ld.global.u32 %r9, [%rd5];\n"
    ".loc 1 5 1\n"
    "add.u32 %r9, %r9, 1;\n"
    ".loc 2 9 1\n"
    "ld.global.u32 %r9, [%rd5];\n"
    ".loc 1 7 1\n"
    "ld.global.u32 %r9, [%rd5];\nadd.u64 %rd7, %rd5, 8;\nld.global.u32 %r9, [%rd7];\n"
    ".loc 1 6 1\n"
    "{\n.param .b64 p0;\nst.param.b64 [p0], %rd5;\ncall.uni helper, (p0);\n}\n"
    "ret;\n}\n"
    ".file 1 \"student.cu\"\n.file 2 \"header.h\"\n"
    ".section .debug_str\n{\n$L_name:\n.b8 104,0\n}\n";

static struct device h200;
static struct bench bench;
static struct block_accesses accesses;

static int run_kernel(void **state)
{
    (void)state;
    bench_device("h200", &h200);
    bench_parse(&bench, text, sizeof text - 1, "text");
    bench_arrays(&bench, 1024, 1024, 1 << 20);
    block_accesses_begin(&accesses, 2, 0, 0);
    struct bench_launch launch = {.kernel = "k",
                                  .grid = {4, 1, 1},
                                  .device = &h200,
                                  .workers = 2,
                                  .observer = &accesses.observer};
    bench_expect_good(&bench, bench_run(&bench, &launch), "k");
    block_accesses_arrange(&accesses, &bench.module, "student.cu");
    return 0;
}

static int forget_kernel(void **state)
{
    (void)state;
    block_accesses_free(&accesses);
    bench_close(&bench);
    return 0;
}

static const struct block_access *find_access(unsigned warp, unsigned index)
{
    for (size_t i = 0; i < accesses.count; i++)
        if (accesses.list[i].access.warp == warp && index-- == 0)
            return &accesses.list[i];
    fail_msg("warp %u made fewer accesses", warp);
    return NULL;
}

static const struct {
    uint32_t line;
    bool is_shared, is_store;
    unsigned time, times;
} expected[] = {{3, false, false, 1, 1}, {3, true, true, 1, 1},   {3, true, false, 1, 1},
                {4, false, true, 1, 2},  {4, false, true, 2, 2},  {5, false, false, 1, 1},
                {5, false, false, 1, 1}, {7, false, false, 1, 1}, {7, false, false, 1, 1},
                {6, false, false, 1, 1}};
enum { EXPECTED = sizeof expected / sizeof *expected };

static void test_accesses(void **state)
{
    (void)state;
    assert_int_equal(accesses.count, 2 * EXPECTED);
    for (unsigned warp = 0; warp < 2; warp++)
        for (unsigned i = 0; i < EXPECTED; i++) {
            const struct block_access *one = find_access(warp, i);
            assert_int_equal(one->line, expected[i].line);
            assert_int_equal(one->access.is_shared, expected[i].is_shared);
            assert_int_equal(one->access.is_store, expected[i].is_store);
            assert_int_equal(one->time, expected[i].time);
            assert_int_equal(one->times, expected[i].times);
            assert_int_equal(one->access.mask, 0xffffffffu);
            assert_int_equal(one->access.bytes, 4);
        }
}

static void test_addresses_and_words(void **state)
{
    (void)state;
    uint64_t first = find_access(0, 0)->access.address[0];
    for (unsigned warp = 0; warp < 2; warp++)
        for (unsigned lane = 0; lane < LANES; lane++) {
            unsigned thread = warp * LANES + lane;
            uint32_t word = (uint32_t)bench.in[2 * 64 + thread];
            assert_int_equal(find_access(warp, 0)->access.address[lane], first + 4 * thread);
            assert_int_equal(find_access(warp, 1)->access.address[lane], 4 * thread);
            for (unsigned i = 0; i < 5; i++)
                assert_int_equal(find_access(warp, i)->access.words[lane][0], word);
        }
}

static void test_callers(void **state)
{
    (void)state;
    const struct observed_access *access = &find_access(1, EXPECTED - 1)->access;
    const struct ptx_function *helper = ptx_find_function(&bench.module, "helper");
    const struct ptx_function *kernel = ptx_find_function(&bench.module, "k");
    assert_int_equal(access->place.function, helper - bench.module.functions);
    assert_int_equal(access->caller_count, 1);
    assert_int_equal(access->callers[0].function, kernel - bench.module.functions);
    assert_int_equal(kernel->instructions[access->callers[0].instruction].opcode, PTX_OP_CALL);
}

static void test_no_such_block(void **state)
{
    struct block_accesses nothing;
    struct counters before = bench.result.counters;
    (void)state;
    block_accesses_begin(&nothing, 4, 0, 0);
    struct bench_launch launch = {
        .kernel = "k", .grid = {4, 1, 1}, .device = &h200, .observer = &nothing.observer};
    bench_expect_good(&bench, bench_run(&bench, &launch), "k");
    assert_int_equal(nothing.count, 0);
    assert_memory_equal(&before, &bench.result.counters, sizeof before);
    block_accesses_free(&nothing);
}

static void test_other_file(void **state)
{
    (void)state;
    for (size_t i = 0; i < accesses.count; i++)
        assert_int_equal(source_line_of_access(&bench.module, &accesses.list[i].access, "other.cu"),
                         0);
}

static void test_list_of_lines(void **state)
{
    (void)state;
    struct line_counters lines[5] = {0};
    const struct access_sums sums = {
        .requests = 3, .bytes = 64, .used = 9, .ideal = 7, .share = 0.25};
    lines[0].accesses[GLOBAL_LOAD] = sums;
    lines[1].accesses[SHARED_STORE] = lines[1].accesses[GLOBAL_STORE] = sums;
    lines[3].accesses[GLOBAL_ATOMIC] = lines[3].accesses[SHARED_ATOMIC] = sums;
    lines[3].accesses[GLOBAL_LOAD] = sums;
    lines[3].accesses[GLOBAL_LOAD].bytes = 65;
    lines[4].accesses[GLOBAL_STORE] = lines[4].accesses[SHARED_LOAD] = sums;
    lines[4].accesses[GLOBAL_STORE].bytes = 1;
    lines[4].accesses[GLOBAL_STORE].requests = 0.5;
    const struct {
        uint32_t line;
        bool shared, store;
        uint64_t ideal;
    } expected_lines[] = {{1, false, true, 2},
                          {1, true, true, 7},
                          {3, false, false, 3},
                          {4, false, true, 1},
                          {4, true, false, 7}};
    enum { LISTED = sizeof expected_lines / sizeof *expected_lines };
    assert_int_equal(h200.sector_bytes, 32);
    struct measured_line list[8] = {0};
    assert_int_equal(line_counters_list(lines, 5, &h200, list, 8), LISTED);
    for (unsigned i = 0; i < LISTED; i++) {
        assert_int_equal(list[i].line, expected_lines[i].line);
        assert_int_equal(list[i].shared, expected_lines[i].shared);
        assert_int_equal(list[i].store, expected_lines[i].store);
        assert_int_equal(list[i].ideal, expected_lines[i].ideal);
        assert_int_equal(list[i].used, 9);
        assert_int_equal(list[i].requests, i == 3 ? 0 : 3);
        assert_true(list[i].time_share == 0.25);
    }
    assert_int_equal(line_counters_list(lines, 4, &h200, list, 8), 3);
    memset(list, 0, sizeof list);
    assert_int_equal(line_counters_list(lines, 5, &h200, list, 2), 2);
    assert_int_equal(list[1].line, 1);
    assert_int_equal(list[2].line, 0);
    assert_int_equal(line_counters_list(lines, 5, &h200, list, LISTED), LISTED);
    assert_int_equal(line_counters_list(lines, 1, &h200, list, 8), 0);
    struct device wide = h200;
    wide.sector_bytes = 64;
    assert_int_equal(line_counters_list(lines, 5, &wide, list, 8), LISTED);
    assert_int_equal(list[0].ideal, 1);
    assert_int_equal(list[2].ideal, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accesses),      cmocka_unit_test(test_addresses_and_words),
        cmocka_unit_test(test_callers),       cmocka_unit_test(test_other_file),
        cmocka_unit_test(test_no_such_block), cmocka_unit_test(test_list_of_lines),
    };
    return cmocka_run_group_tests(tests, run_kernel, forget_kernel);
}
