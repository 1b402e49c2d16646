/* measured_test.c: tests of the work of a launch and its cost, with given statistics. */
#include "emulator/launch_test.h"

#include "goals/measured.h"

/* Only accesses to global and shared memory are work. The comments are instruction indices. */
static const char text[] =
    ".version 7.8\n.target sm_80\n.address_size 64\n.const .align 4 .b8 c[4];\n"
    ".visible .entry k(.param .u64 k0)\n{\n"
    ".reg .b64 %rd<3>;\n.reg .b32 %r<3>;\n.local .align 4 .b8 l[4];\n"
    ".shared .align 4 .b8 s[4];\n"
    "ld.param.u64 %rd1, [k0];\n"   /* 0 */
    "ld.global.u32 %r1, [%rd1];\n" /* 1 */
    "ld.const.u32 %r2, [c];\n"     /* 2 */
    "st.local.u32 [l], %r2;\n"     /* 3 */
    "st.shared.u32 [s], %r1;\n"    /* 4 */
    "add.u32 %r1, %r1, 1;\n"       /* 5 */
    "ret;\n}\n"                    /* 6 */
    ".visible .entry other(.param .u64 k0)\n{\n"
    ".reg .b64 %rd<3>;\n.reg .b32 %r<3>;\n"
    "ld.param.u64 %rd1, [k0];\n"      /* 7 */
    "red.global.add.u32 [%rd1], 1;\n" /* 8 */
    "ret;\n}\n";                      /* 9 */
enum { LOAD = 1, SHARED_STORE_AT = 4, REDUCTION = 8, INSTRUCTIONS = 10 };

static struct bench bench;
static struct program_function functions[2] = {{.stats_base = 0}, {.stats_base = 7}};
static struct program program;
static struct emulator_launch launch = {.program = &program};
static struct instruction_stats stats[INSTRUCTIONS];
static struct emulator_result result = {.stats = stats};

static int setup(void **state)
{
    (void)state;
    bench_parse(&bench, text, sizeof text - 1, "text");
    program.module = &bench.module;
    program.functions = functions;
    program.instruction_count = INSTRUCTIONS;
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    ptx_module_free(&bench.module);
    return 0;
}

/* Instructions that are not work have 1000 sectors, which must not count. */
static void fill(uint64_t executed)
{
    for (unsigned i = 0; i < INSTRUCTIONS; i++)
        stats[i] = (struct instruction_stats){.executed = executed, .sectors = 1000};
    stats[LOAD].sectors = 8, stats[LOAD].wavefronts = 3;
    stats[SHARED_STORE_AT].sectors = 0, stats[SHARED_STORE_AT].wavefronts = 5;
    stats[REDUCTION].sectors = 4, stats[REDUCTION].wavefronts = 4;
}

static void work_is_noted(void **state)
{
    struct measured_work work = {0};
    (void)state;
    fill(2);
    assert_true(measured_work_note(&launch, &result, &work));
    assert_int_equal(work.count, INSTRUCTIONS);
    for (unsigned i = 0; i < INSTRUCTIONS; i++)
        assert_int_equal(work.executed[i],
                         i == LOAD || i == SHARED_STORE_AT || i == REDUCTION ? 2 : 0);
    assert_true(work.cost == (11 + 5 + 8) / 6.0);
    stats[REDUCTION].executed = 0;
    assert_true(measured_work_note(&launch, &result, &work));
    assert_int_equal(work.executed[REDUCTION], 0);
    assert_true(work.cost == (11 + 5) / 4.0);
    fill(0);
    assert_true(measured_work_note(&launch, &result, &work));
    assert_true(work.cost == 0);
    assert_true(measured_other_work(&launch, &result, &work) == 0);
    free(work.executed);
}

static void other_work_is_found(void **state)
{
    struct measured_work work = {0};
    (void)state;
    fill(2);
    stats[REDUCTION].executed = 0;
    assert_true(measured_work_note(&launch, &result, &work)); /* The cost is 16 / 4. */
    assert_true(measured_other_work(&launch, &result, &work) == 0);
    stats[REDUCTION].executed = 4; /* The cost is (16 + 8) / 8; 4 of 8 executions are new. */
    assert_true(measured_other_work(&launch, &result, &work) == 0.5);
    stats[REDUCTION].executed = 0;
    stats[LOAD].wavefronts = 7; /* The cost is 20 / 4, which is 1.25 times the saved cost. */
    assert_true(measured_other_work(&launch, &result, &work) == 0);
    stats[LOAD].wavefronts = 8;
    assert_true(measured_other_work(&launch, &result, &work) == 1);
    free(work.executed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_is_noted),
        cmocka_unit_test(other_work_is_found),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
