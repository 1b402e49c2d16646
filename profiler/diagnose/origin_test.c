/* origin_test.c: tests of the findings for results that are a multiple of the correct result, or
 * the correct results of other elements. The test itself computes the wrong outputs. */
#include "diagnose/origin.h"

#include "course/matrix.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SIDE = 40, COUNT = SIDE * SIDE };

static struct form form;
static uint32_t input[COUNT], output[COUNT];
static float right[COUNT];
static struct arrays arrays;

static int setup(void **state)
{
    struct failure failure = {0};
    (void)state;
    if (!form_parse("kernel",
                    "out float out[height][width], in float in[height][width], width, height",
                    &form, &failure))
        return -1;
    arrays = (struct arrays){.form = &form,
                             .function = function_find("laplace"),
                             .rows = SIDE,
                             .cols = SIDE,
                             .seed = 5,
                             .words = {output, input}};
    arrays_fill(&arrays, 1, 0, COUNT);
    for (int i = 0; i < COUNT; i++) {
        double sum = -4 * matrix_float(input[i]);
        sum += i >= SIDE ? matrix_float(input[i - SIDE]) : 0;
        sum += i + SIDE < COUNT ? matrix_float(input[i + SIDE]) : 0;
        sum += i % SIDE ? matrix_float(input[i - 1]) : 0;
        sum += (i + 1) % SIDE ? matrix_float(input[i + 1]) : 0;
        right[i] = (float)sum;
    }
    return 0;
}

static void put(int at, float value)
{
    memcpy(&output[at], &value, sizeof value);
}

/* Check the finding for the output. FINDING_NONE expects no finding of this test. */
static void expect(enum finding_id id)
{
    struct failure failure = {0};
    assert_false(arrays_verify(&arrays, origin_explain, &failure));
    assert_int_equal(failure.status, STATUS_WRONG_RESULT);
    assert_int_equal(failure_has(&failure, FINDING_RESULT_SCALED), id == FINDING_RESULT_SCALED);
    assert_int_equal(failure_has(&failure, FINDING_RESULT_MOVED), id == FINDING_RESULT_MOVED);
}

/* All elements have the same ratio. The ratio 1/3 is not exact. */
static void multiples_are_found(void **state)
{
    static const float ratios[] = {0.25F, -0.75F, 1.0F / 3};
    (void)state;
    for (size_t r = 0; r < sizeof ratios / sizeof *ratios; r++) {
        for (int i = 0; i < COUNT; i++)
            put(i, right[i] * ratios[r]);
        expect(FINDING_RESULT_SCALED);
        put(COUNT - 1, right[COUNT - 1] * ratios[r] + 1000);
        expect(FINDING_NONE);
        put(COUNT - 1, right[COUNT - 1] * ratios[r]);
        put(0, right[0]);
        expect(FINDING_NONE);
    }
}

static void moved_elements_are_found(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT; i++)
        put(i, right[i % SIDE * SIDE + i / SIDE]);
    expect(FINDING_RESULT_MOVED);
    for (int i = 0; i < COUNT; i++)
        put(i, right[(i + 3 * SIDE + 7) % COUNT]);
    expect(FINDING_RESULT_MOVED);
    for (int i = 0; i < COUNT; i++) /* the distances differ */
        put(i, right[(i * 7 + i / 3) % COUNT]);
    expect(FINDING_NONE);
    for (int i = 0; i < COUNT; i++)
        put(i, right[i]);
    struct failure failure = {0};
    assert_true(arrays_verify(&arrays, origin_explain, &failure));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(multiples_are_found),
        cmocka_unit_test(moved_elements_are_found),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
