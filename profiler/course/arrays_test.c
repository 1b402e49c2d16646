/* arrays_test.c: tests of exercises with a reference function, and of the diagnosis of incorrect
 * results. The test itself computes the outputs of the wrong kernels. */
#include "course/arrays.h"

#include "diagnose/origin.h"

#include "course/matrix.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SEED = 5, MATRICES = 3 };

struct run {
    struct form form;
    struct arrays arrays;
    uint32_t *output, *input;
    uint64_t count;
};

static void run_open(struct run *run, const char *reference, const char *parameters, uint64_t rows,
                     uint64_t cols)
{
    struct failure failure = {0};
    memset(run, 0, sizeof *run);
    assert_true(form_parse("kernel", parameters, &run->form, &failure));
    run->form.matrices = MATRICES;
    run->arrays = (struct arrays){.form = &run->form,
                                  .function = function_find(reference),
                                  .rows = rows,
                                  .cols = cols,
                                  .seed = SEED};
    assert_true(run->arrays.function >= 0);
    for (unsigned i = 0; i < 2 && run->form.parameters[i].role != FORM_SCALAR; i++) {
        uint64_t elements = form_elements(&run->form, &run->form.parameters[i], rows, cols);
        run->arrays.words[i] = malloc(elements * sizeof(uint32_t));
        assert_non_null(run->arrays.words[i]);
        arrays_fill(&run->arrays, i, 0, elements);
        run->count = elements;
    }
    run->output = run->arrays.words[0];
    run->input = run->arrays.words[1];
}

static void run_close(struct run *run)
{
    for (unsigned i = 0; i < 2; i++)
        free(run->arrays.words[i]);
}

/* Check for a student failure that contains `phrase`, or, if `phrase` is NULL, for no failure. */
static void expect(struct run *run, enum status status, const char *phrase)
{
    struct failure failure = {0};
    bool right = arrays_verify(&run->arrays, origin_explain, &failure);
    if (!phrase) {
        if (!right)
            fail_msg("not right: %s", failure.text);
        return;
    }
    assert_false(right);
    assert_int_equal(failure.kind, FAILURE_STUDENT);
    assert_int_equal(failure.status, status);
    if (!strstr(failure.text, phrase))
        fail_msg("'%s' is not in: %s", phrase, failure.text);
}

static const char sum_form[] = "out unsigned sum[1] zeroed, in unsigned values[count], count";

static uint32_t add(const struct run *run, uint64_t first, uint64_t end, uint64_t step)
{
    uint32_t sum = 0;
    for (uint64_t i = first; i < end; i += step)
        sum += run->input[i];
    return sum;
}

static void unsigned_inputs_are_encrypted_indices(void **state)
{
    struct run run;
    (void)state;
    run_open(&run, "sum", sum_form, 3, 700);
    assert_int_equal(run.count, 2100);
    assert_int_equal(*run.output, 0);
    assert_true(arrays_untouched(&run.arrays));
    for (uint32_t i = 0; i < run.count; i++)
        assert_int_equal(run.input[i], matrix_value(SEED, i));
    run_close(&run);
}

static void wrong_sums_are_explained(void **state)
{
    struct run run;
    (void)state;
    for (uint64_t count = 1000; count <= 5000; count += 1333) {
        run_open(&run, "sum", sum_form, 1, count);
        uint32_t all = add(&run, 0, count, 1);
        char phrase[100];
        *run.output = all;
        expect(&run, STATUS_OK, NULL);
        *run.output = all - run.input[count / 3];
        snprintf(phrase, sizeof phrase, "all elements except values[%u]", (unsigned)(count / 3));
        expect(&run, STATUS_WRONG_RESULT, phrase);
        *run.output = all + run.input[7];
        expect(&run, STATUS_WRONG_RESULT, "sum[0] contains values[7] twice");
        *run.output = add(&run, 0, 256, 1);
        snprintf(phrase, sizeof phrase, "the sum of the first 256 of %u elements", (unsigned)count);
        expect(&run, STATUS_WRONG_RESULT, phrase);
        *run.output = 32 * all;
        expect(&run, STATUS_WRONG_RESULT, "contains every element 32 times");
        *run.output = add(&run, 0, count, 128);
        expect(&run, STATUS_WRONG_RESULT, "only one of every 128 elements");
        *run.output = add(&run, 0, count, 32);
        expect(&run, STATUS_WRONG_RESULT, "only the first element of each warp");
        *run.output = add(&run, 0, count - 1, 1);
        expect(&run, STATUS_WRONG_RESULT, "the last element is missing");
        *run.output = 12345;
        expect(&run, STATUS_WRONG_RESULT, "sum[0] should be ");
        *run.output = 0;
        expect(&run, STATUS_WRONG_RESULT, "but is 0");
        run_close(&run);
    }
}

static void one_element_is_a_sum(void **state)
{
    struct run run;
    (void)state;
    run_open(&run, "sum", sum_form, 1, 1);
    *run.output = run.input[0];
    expect(&run, STATUS_OK, NULL);
    *run.output = 0;
    expect(&run, STATUS_WRONG_RESULT, "should be");
    *run.output = MATRIX_POISON;
    expect(&run, STATUS_WRONG_RESULT, "its initial value");
    run_close(&run);
}

static void changed_inputs_are_found_and_restored(void **state)
{
    struct run run;
    (void)state;
    run_open(&run, "sum", sum_form, 1, 3000);
    uint32_t all = add(&run, 0, 3000, 1), *values = run.input;
    *run.output = all;
    values[1500]++, values[20] = 0, values[2999] = 0;
    expect(&run, STATUS_WRONG_RESULT, "values was modified: values[20] and other elements");
    expect(&run, STATUS_OK, NULL);
    run_close(&run);
}

static const char stencil_form[] =
    "out float out[height][width], in float in[height][width], width, height";

static double at(const struct run *run, int64_t r, int64_t c, double outside)
{
    int64_t rows = (int64_t)run->arrays.rows, cols = (int64_t)run->arrays.cols;
    return r < 0 || r >= rows || c < 0 || c >= cols ? outside
                                                    : matrix_float(run->input[r * cols + c]);
}

struct terms {
    double up, down, left, right, self;
    bool outside_is_self;
};
static const struct terms right_terms = {1, 1, 1, 1, -4, false};

static void make_wrapped(struct run *run)
{
    int64_t cols = (int64_t)run->arrays.cols, count = (int64_t)run->count;
    for (int64_t i = 0; i < count; i++) {
        double value = at(run, i / cols - 1, i % cols, 0) + at(run, i / cols + 1, i % cols, 0) -
                       4 * matrix_float(run->input[i]);
        value += i > 0 ? matrix_float(run->input[i - 1]) : 0;
        value += i + 1 < count ? matrix_float(run->input[i + 1]) : 0;
        float rounded = (float)value;
        memcpy(&run->output[i], &rounded, sizeof rounded);
    }
}

static void make_output(struct run *run, struct terms t)
{
    int64_t cols = (int64_t)run->arrays.cols;
    for (int64_t i = 0; i < (int64_t)run->count; i++) {
        int64_t r = i / cols, c = i % cols;
        double self = at(run, r, c, 0), outside = t.outside_is_self ? self : 0;
        double value = t.up * at(run, r - 1, c, outside) + t.down * at(run, r + 1, c, outside) +
                       t.left * at(run, r, c - 1, outside) + t.right * at(run, r, c + 1, outside) +
                       t.self * self;
        float rounded = (float)value;
        memcpy(&run->output[i], &rounded, sizeof rounded);
    }
}

static void float_inputs_are_whole(void **state)
{
    struct run run;
    double sum = 0;
    unsigned negative = 0;
    (void)state;
    run_open(&run, "laplace", stencil_form, 100, 100);
    assert_true(arrays_untouched(&run.arrays));
    assert_int_equal(run.output[4711], MATRIX_POISON);
    for (uint64_t i = 0; i < run.count; i++) {
        double value = matrix_float(run.input[i]);
        assert_true(value >= -262144 && value < 262144 && value == (double)(int64_t)value);
        sum += value;
        negative += value < 0;
    }
    assert_in_range(negative, 4700, 5300);
    assert_true(sum != 0);
    run_close(&run);
}

static void stencils_are_judged(void **state)
{
    static const struct {
        struct terms terms;
        const char *phrase;
    } cases[] = {
        {{1, 1, 1, 1, -4, false}, NULL},
        {{0, 1, 1, 1, -4, false}, "the upper neighbour is missing"},
        {{1, 0, 1, 1, -4, false}, "the lower neighbour is missing"},
        {{1, 1, 0, 1, -4, false}, "the left neighbour is missing"},
        {{1, 1, 1, 0, -4, false}, "the right neighbour is missing"},
        {{1, 1, 1, 1, 0, false}, "the element itself is not subtracted"},
        {{1, 1, 1, 1, -1, false}, "subtracted once instead of four times"},
        {{1, 1, 1, 1, -4, true}, "count as the element itself, not as 0"},
        {{1, 1, 1, 1, 4, false}, "all elements of out were incorrect"},
    };
    struct run run;
    (void)state;
    for (unsigned size = 0; size < 3; size++) {
        run_open(&run, "laplace", stencil_form, size ? 33 : 64, size == 1 ? 65 : 40);
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            make_output(&run, cases[i].terms);
            expect(&run, STATUS_WRONG_RESULT, cases[i].phrase);
        }
        make_wrapped(&run);
        expect(&run, STATUS_WRONG_RESULT, "taken from another row");
        run_close(&run);
    }
}

static void parts_are_described(void **state)
{
    struct run run;
    (void)state;
    run_open(&run, "laplace", stencil_form, 40, 70);
    make_output(&run, right_terms);
    for (uint64_t i = 0; i < run.count; i++)
        if (i % 70 >= 64)
            run.output[i] = MATRIX_POISON;
    expect(&run, STATUS_WRONG_RESULT, "the last 6 columns of out were never written");
    make_output(&run, (struct terms){1, 0, 1, 1, -4, false});
    for (uint64_t i = 0; i < run.count; i++)
        if (i / 70 >= 32)
            run.output[i] = MATRIX_POISON;
    expect(&run, STATUS_WRONG_RESULT, "the lower neighbour is missing");
    make_output(&run, right_terms);
    run.output[70 * 3 + 9] = 0;
    expect(&run, STATUS_WRONG_RESULT, "out[3][9] should be ");
    run_close(&run);
}

static void zeros_are_equal(void **state)
{
    struct run run;
    (void)state;
    run_open(&run, "laplace", stencil_form, 1000, 1000);
    make_output(&run, right_terms);
    unsigned zeros = 0;
    for (uint64_t i = 0; i < run.count; i++)
        if (!(run.output[i] << 1)) {
            run.output[i] ^= 0x80000000;
            zeros++;
        }
    assert_true(zeros > 0);
    expect(&run, STATUS_OK, NULL);
    run_close(&run);
}

static void impossible_sizes_are_refused(void **state)
{
    struct run run;
    struct failure failure = {0};
    (void)state;
    run_open(&run, "sum", sum_form, 1, 10);
    run.arrays.cols = (1ull << 31) + 1;
    assert_false(arrays_check(&run.arrays, &failure));
    assert_int_equal(failure.kind, FAILURE_HARNESS);
    run_close(&run);
}

static const char batch_form[] =
    "out float odata[matrices][width][height], in float idata[matrices][height][width], width, "
    "height, matrices";

/* Store a result: matrix to[m] (unless negative) is matrix from[m], transposed if `turned`. */
static void make_batch(struct run *run, const int from[MATRICES], const int to[MATRICES],
                       bool turned)
{
    uint64_t rows = run->arrays.rows, cols = run->arrays.cols, size = rows * cols;
    arrays_fill(&run->arrays, 0, 0, run->count);
    for (unsigned m = 0; m < MATRICES; m++)
        for (uint64_t i = 0; i < size && to[m] >= 0; i++)
            run->output[(uint64_t)to[m] * size + (turned ? i % cols * rows + i / cols : i)] =
                run->input[(uint64_t)from[m] * size + i];
}

static void wrong_batches_are_named(void **state)
{
    static const struct {
        int from[MATRICES], to[MATRICES];
        bool turned;
        const char *phrase;
    } cases[] = {
        {{0, 1, 2}, {0, 1, 2}, true, NULL},
        {{0, 1, 2}, {0, -1, -1}, true, "correct, but no other matrix was written"},
        {{0, 0, 0}, {0, 1, 2}, true, "every result is the transpose of the first matrix"},
        {{0, 1, 2}, {0, 0, 0}, true, "the transpose of the last matrix"},
        {{0, 1, 2}, {0, 1, -1}, true, "the last matrix is missing"},
        {{0, 1, 2}, {0, 1, 2}, false, "each matrix is copied"},
        {{0, 2, 1}, {0, 1, 2}, true, "odata[1][0][0] should be"},
        {{0, 1, 2}, {-1, 1, 2}, true, "odata[0][0][0] should be"},
    };
    struct run run;
    (void)state;
    run_open(&run, "batched", batch_form, 5, 4);
    assert_int_equal(run.count, MATRICES * 20);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        make_batch(&run, cases[i].from, cases[i].to, cases[i].turned);
        expect(&run, cases[i].phrase ? STATUS_WRONG_RESULT : STATUS_OK, cases[i].phrase);
    }
    for (uint64_t r = 0; r < 15; r++)
        for (uint64_t c = 0; c < 4; c++)
            run.output[c * 15 + r] = run.input[r * 4 + c];
    expect(&run, STATUS_WRONG_RESULT, "as if it were one tall matrix");
    make_batch(&run, cases[0].from, cases[0].to, true);
    run.output[2 * 20 + 3 * 5 + 1] = 0;
    expect(&run, STATUS_WRONG_RESULT, "odata[2][3][1] should be");
    run_close(&run);
}

static const char in_place_form[] = "inout float data[height][width], width, height";

static void tiles_that_stay_in_place_are_named(void **state)
{
    static const struct {
        unsigned side, tile;
        const char *message;
    } cases[] = {
        {40, 16, "the tiles (16x16) on the diagonal were not changed"},
        {78, 32, "the tiles (32x32) on the diagonal were not changed"},
        {129, 64, "the tiles (64x64) on the diagonal were not changed"},
        {40, 13, " elements of data are incorrect, all of them not changed"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const unsigned n = cases[i].side, tile = cases[i].tile;
        struct run run;
        run_open(&run, "in_place", in_place_form, n, n);
        for (unsigned r = 0; r < n; r++)
            for (unsigned c = 0; c < r / tile * tile; c++) {
                uint32_t below = run.output[r * n + c];
                run.output[r * n + c] = run.output[c * n + r];
                run.output[c * n + r] = below;
            }
        expect(&run, STATUS_WRONG_RESULT, cases[i].message);
        run_close(&run);
    }
}

static void results_in_place_are_judged(void **state)
{
    enum { SIDE = 9 };
    struct run run;
    uint32_t before[SIDE * SIDE];
    (void)state;
    run_open(&run, "in_place", in_place_form, SIDE, SIDE);
    memcpy(before, run.output, sizeof before);
    for (uint64_t i = 0; i < SIDE * SIDE; i++)
        assert_true(matrix_float(run.output[i]) == (int)matrix_float(run.output[i]));
    assert_true(arrays_untouched(&run.arrays));
    expect(&run, STATUS_WRONG_RESULT, "not changed");
    for (unsigned r = 0; r < SIDE; r++)
        for (unsigned c = 0; c < SIDE; c++)
            run.output[r * SIDE + c] = before[c * SIDE + r];
    assert_false(arrays_untouched(&run.arrays));
    expect(&run, STATUS_OK, NULL);
    expect(&run, STATUS_OK, NULL); /* arrays_verify does not restore an in-place array */
    run.output[3 * SIDE + 1] = before[3 * SIDE + 1];
    expect(&run, STATUS_WRONG_RESULT, "data[3][1] should be");
    for (unsigned r = 0; r < SIDE; r++)
        for (unsigned c = 0; c < r; c++)
            run.output[r * SIDE + c] = run.output[c * SIDE + r] = before[c * SIDE + r];
    expect(&run, STATUS_WRONG_RESULT, "the upper half was written over the lower");
    for (unsigned r = 0; r < SIDE; r++)
        for (unsigned c = 0; c < r; c++)
            run.output[r * SIDE + c] = run.output[c * SIDE + r] = before[r * SIDE + c];
    expect(&run, STATUS_WRONG_RESULT, "the lower half was written over the upper");
    for (unsigned r = 0; r < SIDE; r++)
        for (unsigned c = 0; c < SIDE; c++)
            run.output[r * SIDE + c] = before[(SIDE - 1 - c) * SIDE + SIDE - 1 - r];
    expect(&run, STATUS_WRONG_RESULT, "about its anti-diagonal");
    run_close(&run);
}

#include "../../include/lab_kernel.h"

__global__ void kernel_columns(unsigned *sums, const unsigned *in, int width, int height,
                               int mistake)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    const unsigned *__restrict__ matrix = in + (size_t)blockIdx.z * width * height;
    if (mistake && blockIdx.z == gridDim.z - 1)
        return;
    atomicAdd(&sums[blockIdx.z * width + col % width],
              matrix[((size_t)row * width + col) % (width * height)]);
}

LAB_KERNEL_REFERENCE(columns, width, height, matrices, (unsigned *)arrays[0],
                     (const unsigned *)arrays[1], (int)width, (int)height, mistake)

#include "../../include/lab_kernel_end.h"

static void kernels_are_references(void **state)
{
    static const struct {
        int width, height, matrices;
    } sizes[] = {{1, 1, 1}, {32, 8, 1}, {33, 9, 2}, {5, 100, 3}, {70, 1, 4}};
    (void)state;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int mistake = 0; mistake < 2; mistake++) {
            const int width = sizes[s].width, height = sizes[s].height,
                      matrices = sizes[s].matrices;
            unsigned in[1500], sums[300] = {0}, wanted[300] = {0};
            void *arrays[] = {sums, in};
            for (int i = 0; i < width * height * matrices; i++) {
                in[i] = (unsigned)i * 2654435761u;
                if (!mistake || i < width * height * (matrices - 1))
                    wanted[i / (width * height) * width + i % width] += in[i];
            }
            reference_columns(arrays, width, height, matrices, mistake);
            assert_memory_equal(sums, wanted, sizeof sums);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_are_references),
        cmocka_unit_test(wrong_batches_are_named),
        cmocka_unit_test(results_in_place_are_judged),
        cmocka_unit_test(tiles_that_stay_in_place_are_named),
        cmocka_unit_test(unsigned_inputs_are_encrypted_indices),
        cmocka_unit_test(wrong_sums_are_explained),
        cmocka_unit_test(one_element_is_a_sum),
        cmocka_unit_test(changed_inputs_are_found_and_restored),
        cmocka_unit_test(float_inputs_are_whole),
        cmocka_unit_test(stencils_are_judged),
        cmocka_unit_test(parts_are_described),
        cmocka_unit_test(zeros_are_equal),
        cmocka_unit_test(impossible_sizes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
