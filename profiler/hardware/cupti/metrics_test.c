/* metrics_test.c (`make check-metrics`): check every metric name and the number of passes on every
 * chip of a list with CUPTI's Host API. The test requires CUPTI, but no GPU. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/vectorised.h"
#include "hardware/cupti/metric_plan.h"

#if defined(HAVE_CUPTI) && !SANITIZED

enum { CORE_PASSES = 1, ALL_PASSES = 4 };

static const struct cupti *cupti;

static const char *const chips[] = {"TU102", "TU104", "GA100", "GA102", "GA104", "GA107",
                                    "AD102", "AD104", "AD107", "GH100", "GB100", "GB202"};

static const char *plan_name(const struct metric_plan *plan, enum column column)
{
    for (size_t i = 0; i < plan->count; i++)
        if (metrics[plan->rows[i]].column == column)
            return plan->names[i];
    return NULL;
}

static void check_chip(const char *chip)
{
    struct metric_plan plan;
    struct failure failure = {0};
    if (!metric_plan_make(cupti, chip, NULL, 0, &plan, &failure))
        fail_msg("%s: %s", chip, failure.text);
    unsigned passes = plan.passes;
    for (size_t row = 0; row < metrics_count; row++)
        if (!plan_name(&plan, metrics[row].column))
            fail_msg("%s has no %s", chip, metrics[row].names[0]);
    /* NVIDIA renamed these metrics on consumer Blackwell, and on no other chip of the list. */
    bool renamed = !strcmp(chip, "GB202");
    assert_string_equal(plan_name(&plan, COLUMN_dram_read_bytes),
                        renamed ? "dram__bytes_op_read.sum" : "dram__bytes_read.sum");
    assert_string_equal(plan_name(&plan, COLUMN_dram_write_bytes),
                        renamed ? "dram__bytes_op_write.sum" : "dram__bytes_write.sum");
    metric_plan_free(&plan);
    if (!metric_plan_make(cupti, chip, NULL, 1, &plan, &failure))
        fail_msg("%s: %s", chip, failure.text);
    printf("%s: %zu metrics in %u passes; %zu core metrics in %u\n", chip, metrics_count, passes,
           plan.count, plan.passes);
    assert_int_equal(passes, ALL_PASSES);
    assert_int_equal(plan.passes, CORE_PASSES);
    assert_null(plan_name(&plan, COLUMN_global_load_sectors));
    assert_non_null(plan_name(&plan, COLUMN_l2_read_bytes));
    metric_plan_free(&plan);
}

static void every_chip_has_every_metric(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof chips / sizeof *chips; i++)
        check_chip(chips[i]);
}

static void a_limit_on_passes_leaves_the_core(void **unused)
{
    (void)unused;
    struct metric_plan plan;
    struct failure failure = {0};
    assert_true(metric_plan_make(cupti, "GH100", NULL, ALL_PASSES - 1, &plan, &failure));
    assert_int_equal(plan.passes, CORE_PASSES);
    metric_plan_free(&plan);
    assert_true(metric_plan_make(cupti, "GH100", NULL, ALL_PASSES, &plan, &failure));
    assert_int_equal(plan.passes, ALL_PASSES);
    metric_plan_free(&plan);
}

static void an_unknown_chip_is_a_failure(void **unused)
{
    (void)unused;
    struct metric_plan plan;
    struct failure failure = {0};
    assert_false(metric_plan_make(cupti, "XX999", NULL, 0, &plan, &failure));
    metric_plan_free(&plan);
    assert_int_equal(failure.kind, FAILURE_HARNESS);
    assert_non_null(strstr(failure.text, "does not support this chip"));
    assert_non_null(strstr(failure.text, "Install a newer CUDA Toolkit"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_chip_has_every_metric),
        cmocka_unit_test(a_limit_on_passes_leaves_the_core),
        cmocka_unit_test(an_unknown_chip_is_a_failure),
    };
    struct failure failure = {0};
    CUPTI_PARAMETERS(Profiler_Initialize, .pPriv = NULL);
    cupti = cupti_open(&failure);
    if (!cupti) {
        printf("1..0 # SKIP %s\n", failure.text);
        return 0;
    }
    cupti->ProfilerInitialize(&parameters); /* The call fails without a GPU, which the test
                                               ignores. */
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
#ifdef HAVE_CUPTI
    puts("1..0 # SKIP CUPTI cannot open its libraries under AddressSanitizer");
#else
    puts("1..0 # SKIP no CUPTI: its headers (CUDA Toolkit 12.6 or newer) were not available "
         "at build time");
#endif
    return 0;
}

#endif
