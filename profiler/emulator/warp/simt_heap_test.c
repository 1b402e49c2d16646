/* Tests of malloc() and free() in kernels, through decoder and interpreter. */
#include "emulator/launch_test.h"

static struct device h200;
static struct bench bench;

static int open_device(void **state)
{
    (void)state;
    bench_device("h200", &h200);
    return 0;
}

static int close_bench(void **state)
{
    (void)state;
    bench_close(&bench);
    return 0;
}

/* Blocks must be aligned, must not overlap, and must be accessible up to their last byte. */
static void test_blocks(void **state)
{
    (void)state;
    enum { BLOCKS = 64, LIMIT = 16 << 10, STEPS = 4000 };
    uint64_t bytes = device_heap_region_bytes(LIMIT), address[BLOCKS] = {0}, size[BLOCKS] = {0};
    unsigned char *host = calloc(1, bytes);
    assert_non_null(host);
    struct device_heap heap = {host, bytes};
    uint32_t random = 7;
    unsigned refused = 0;
    for (unsigned step = 0; step < STEPS; step++) {
        random = random * 1664525u + 1013904223u;
        unsigned i = random >> 8 & (BLOCKS - 1);
        if (address[i]) {
            assert_true(device_heap_free(heap, address[i]));
            assert_false(device_heap_free(heap, address[i]));
            assert_false(device_heap_allows(heap, address[i], 1));
            address[i] = 0;
            continue;
        }
        size[i] = 1 + (random >> 16) % 700;
        address[i] = device_heap_allocate(heap, size[i]);
        refused += !address[i];
        if (!address[i])
            continue;
        assert_int_equal(address[i] % HEAP_ALIGN, 0);
        assert_true(address[i] + size[i] <= bytes);
        for (unsigned k = 0; k < BLOCKS; k++)
            assert_true(k == i || !address[k] || address[k] + size[k] < address[i] ||
                        address[i] + size[i] < address[k]);
        assert_true(device_heap_allows(heap, address[i], size[i]));
        assert_true(device_heap_allows(heap, address[i] + size[i] - 1, 1));
        assert_false(device_heap_allows(heap, address[i] + size[i] - 1, 2));
        assert_false(device_heap_allows(heap, address[i] - 1, 1));
        assert_false(device_heap_free(heap, address[i] + 1));
    }
    assert_true(refused > 0);
    for (unsigned i = 0; i < BLOCKS; i++)
        assert_true(!address[i] || device_heap_free(heap, address[i]));
    assert_int_equal(device_heap_allocate(heap, LIMIT + 1), 0);
    assert_int_equal(device_heap_allocate(heap, UINT64_MAX), 0);
    assert_int_equal(device_heap_allocate(heap, 0), 0);
    assert_int_not_equal(device_heap_allocate(heap, LIMIT - HEAP_ALIGN), 0);
    free(host);
}

static const char head[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".extern .func (.param .b64 r) malloc(.param .b64 n);\n.extern .func free(.param .b64 p);\n"
    ".visible .entry k(.param .u64 o, .param .u64 i, .param .u32 n)\n{\n"
    ".reg .b64 %out, %p, %q, %n; .reg .b32 %t, %v; .reg .pred %e;\n"
    "ld.param.u64 %out, [o];\nmov.u32 %t, %tid.x;\nmad.wide.u32 %out, %t, 4, %out;\n"
    "mul.wide.u32 %n, %t, 4;\nadd.u64 %n, %n, 20;\n";
#define MALLOC                                                                                     \
    "{ .param .b64 a; .param .b64 b; st.param.b64 [a], %n;\ncall.uni (b), malloc, (a);\n"          \
    "ld.param.b64 %p, [b]; }\n"
#define FREE(p) "{ .param .b64 a; st.param.b64 [a], " p ";\ncall.uni free, (a); }\n"

static bool run_body(const char *body)
{
    char text[4096];
    struct bench_launch launch = {.kernel = "k", .device = &h200, .grid = {2, 1, 1}};
    snprintf(text, sizeof text, "%s%sret;\n}\n", head, body);
    bench_close(&bench);
    bench_parse(&bench, text, strlen(text), "heap");
    bench_arrays(&bench, 64, 16, 2);
    return bench_run(&bench, &launch);
}

static void test_kernel(void **state)
{
    (void)state;
    bool good = run_body(MALLOC "st.u32 [%p], %t;\nst.u32 [%p+16], %t;\nbar.sync 0;\n"
                                "ld.u32 %v, [%p];\n" FREE("%p") FREE("0") "st.u32 [%out], %v;\n");
    bench_expect_good(&bench, good, "malloc");
    for (int t = 0; t < 64; t++)
        assert_int_equal(bench.out[t], t);
    good = run_body("mov.u64 %n, 100000000;\n" MALLOC
                    "setp.eq.u64 %e, %p, 0;\nselp.u32 %v, 5, 6, %e;\nst.u32 [%out], %v;\n");
    bench_expect_good(&bench, good, "too much");
    assert_int_equal(bench.out[0], 5);
}

static void test_mistakes(void **state)
{
    (void)state;
    static const struct {
        const char *body;
        enum status status;
        const char *parts[3];
    } rows[] = {
        {MALLOC "st.u32 [%p+20], %t;\n",
         STATUS_OUT_OF_BOUNDS,
         {"byte 20 of an allocation of 20 bytes"}},
        {MALLOC "ld.u32 %t, [%p+-4];\n", STATUS_OUT_OF_BOUNDS, {"the heap of malloc()"}},
        {MALLOC FREE("%p") "ld.u32 %t, [%p];\n", STATUS_OUT_OF_BOUNDS, {"already freed"}},
        {MALLOC "st.u32 [%p+4], %t;\n" FREE("%p") FREE("%p"),
         STATUS_LAUNCH_ERROR,
         {"calls free()", "already freed"}},
        {MALLOC "add.u64 %q, %p, 16;\n" FREE("%q"),
         STATUS_LAUNCH_ERROR,
         {"calls free()", "byte 16"}},
        {MALLOC FREE("%out"), STATUS_LAUNCH_ERROR, {"calls free()", "out"}},
        {"mov.u64 %n, 100000000;\n" MALLOC "st.u32 [%p], %t;\n",
         STATUS_OUT_OF_BOUNDS,
         {"null pointer"}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        bench_expect_failure(&bench, run_body(rows[i].body), rows[i].status, rows[i].parts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_kernel),
        cmocka_unit_test(test_mistakes),
    };
    return cmocka_run_group_tests(tests, open_device, close_bench);
}
