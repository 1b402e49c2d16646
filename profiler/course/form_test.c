/* form_test.c: tests of valid and invalid `kernel` and `parameters` of manifests. */
#include "course/form.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static const struct {
    const char *kernel, *parameters, *prototype;
    uint64_t compulsory; /* expected bytes for 3 rows of 5 elements; a batch has 7 matrices */
} good[] = {
    {"transpose", "out float odata[width][height], in float idata[height][width], width, height",
     "extern \"C\" __global__ void transpose(float *odata, const float *idata, int width, int "
     "height)",
     2 * 15 * 4},
    {"reduce", "out unsigned sum[1] zeroed, in unsigned values[count], count",
     "extern \"C\" __global__ void reduce(unsigned *sum, const unsigned *values, int count)",
     4 + 15 * 4},
    {"scale_rows",
     "in float x [ height ] [width],in int by[height] ,  out float y[height][width] , height",
     "extern \"C\" __global__ void scale_rows(const float *x, const int *by, float *y, int height)",
     (15 + 3 + 15) * 4},
    {"k", "out int zeroed[width]", "extern \"C\" __global__ void k(int *zeroed)", 5 * 4},
    {"turn", "inout float data[height][width], width, height",
     "extern \"C\" __global__ void turn(float *data, int width, int height)", 2 * 15 * 4},
    {"turn", "inout int in[count], out int out[1]",
     "extern \"C\" __global__ void turn(int *in, int *out)", (2 * 15 + 1) * 4},
    {"batch",
     "out float y[matrices][width][height], in float x[matrices] [height][width], matrices",
     "extern \"C\" __global__ void batch(float *y, const float *x, int matrices)", 2 * 7 * 15 * 4},
    {"sums", "out float sum[matrices] zeroed, in float x[matrices][count], height",
     "extern \"C\" __global__ void sums(float *sum, const float *x, int height)", (7 + 7 * 15) * 4},
    {"k", "inout unsigned state[1][matrices][1], matrices",
     "extern \"C\" __global__ void k(unsigned *state, int matrices)", 2 * 7 * 4},
};

static void good_forms_are_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        struct form form;
        struct failure failure = {0};
        char text[FORM_PROTOTYPE];
        assert_true(form_parse(good[i].kernel, good[i].parameters, &form, &failure));
        form_prototype(&form, text);
        assert_string_equal(text, good[i].prototype);
        assert_int_equal(form.matrices, 1);
        assert_true(form_is_batch(&form) == !!strstr(good[i].parameters, "matrices"));
        form.matrices = 7;
        assert_int_equal(form_compulsory_bytes(&form, 3, 5), good[i].compulsory);
    }
}

static void parameters_have_their_roles(void **state)
{
    struct form form;
    struct failure failure = {0};
    (void)state;
    assert_true(form_parse(good[1].kernel, good[1].parameters, &form, &failure));
    assert_int_equal(form.count, 3);
    assert_true(form.parameters[0].role == FORM_OUTPUT && form.parameters[0].zeroed);
    assert_true(form.parameters[1].role == FORM_INPUT && !form.parameters[1].zeroed);
    assert_int_equal(form.parameters[1].type, FORM_UNSIGNED);
    assert_true(form.parameters[2].role == FORM_SCALAR);
    assert_int_equal(form_extent(&form, form.parameters[2].cols, 3, 5), 15);
    assert_int_equal(form_elements(&form, &form.parameters[0], 3, 5), 1);
}

static void sizes_are_numbers(void **state)
{
    struct form form;
    struct failure failure = {0};
    (void)state;
    assert_true(form_parse("histogram",
                           "out unsigned bins[256] zeroed, in float taps[3][3], in int v[count][2]",
                           &form, &failure));
    assert_int_equal(form_elements(&form, &form.parameters[0], 64, 96), 256);
    assert_int_equal(form_elements(&form, &form.parameters[1], 64, 96), 9);
    assert_int_equal(form_elements(&form, &form.parameters[2], 64, 96), 2 * 64 * 96);
    assert_int_equal(form_compulsory_bytes(&form, 1, 1), 4 * (256 + 9 + 2));
    assert_false(form_parse("k", "out int a[0]", &form, &failure));
    assert_false(form_parse("k", "out int a[100000]", &form, &failure));
    assert_false(form_parse("k", "out int a[25b]", &form, &failure));
}

static void broken_forms_are_refused(void **state)
{
    static const struct {
        const char *kernel, *parameters, *phrase;
    } broken[] = {
        {"re duce", "out int a[1]", "not a kernel's name"},
        {"", "out int a[1]", "not a kernel's name"},
        {"9k", "out int a[1]", "not a kernel's name"},
        {"k", "", "a parameter must be"},
        {"k", "in int a[count]", "array of results"},
        {"k", "out double a[count]", "float, unsigned or int, not double"},
        {"k", "out int [count]", "needs a name"},
        {"k", "out int 3[count]", "needs a name"},
        {"k", "out int a", "a needs a size"},
        {"k", "out int a[rows]", "height, count, matrices or a number"},
        {"k", "out int a[count", "height, count, matrices or a number"},
        {"k", "out int a[]", "height, count, matrices or a number"},
        {"k", "out int a[1][1][1][1]", "one to three sizes"},
        {"k", "inout int a[1] zeroed", "commas"},
        {"k", "inout double a[1]", "float, unsigned or int"},
        {"k", "inout", "an array holds"},
        {"k", "out int a[1] in int b[1]", "commas"},
        {"k", "out int a[1],", "a parameter must be"},
        {"k", "out int a[1], depth", "a parameter must be"},
        {"k", "out int a[1], 1", "a parameter must be"},
        {"k", "in int b[1] zeroed, out int a[1]", "commas"},
        {"k", "out int a[1], width, width, width, width, width, width, width, width", "at most 8"},
        {"a_name_that_is_longer_than_any_name_may_be", "out int a[1]", "not a kernel's name"},
        {"k", "out int a_name_that_is_longer_than_any_name_may_be[1]", "needs a size"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        struct form form;
        struct failure failure = {0};
        assert_false(form_parse(broken[i].kernel, broken[i].parameters, &form, &failure));
        assert_int_equal(failure.kind, FAILURE_HARNESS);
        if (!strstr(failure.text, broken[i].phrase))
            fail_msg("%s: %s", broken[i].parameters, failure.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_forms_are_read),
        cmocka_unit_test(parameters_have_their_roles),
        cmocka_unit_test(sizes_are_numbers),
        cmocka_unit_test(broken_forms_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
