/* attempt_test.c: test of outputs in which the last row and column may be wrong. */
#include "run/attempt.h"

#include "course/matrix.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { ROWS = 5, COLS = 7, GUARD = 1024, COUNT = ROWS * COLS };

/* Returns true if a transpose of a ROWS x COLS matrix is accepted with one wrong element. */
static bool is_accepted(bool spares_margin, uint64_t row, uint64_t col)
{
    static uint32_t storage[2][COUNT + 2 * GUARD];
    static struct ptx_module module;
    static struct program_function function;
    static struct ptx_function empty;
    static struct source source;
    static struct run_options options;
    static struct program program = {.module = &module, .functions = &function};
    static struct attempt attempt;
    uint32_t *out = storage[0] + GUARD, *in = storage[1] + GUARD;
    struct failure failure = {0};
    function.source = &empty;
    for (unsigned i = 0; i < 2; i++)
        for (unsigned k = 0; k < COUNT + 2 * GUARD; k++)
            storage[i][k] = MATRIX_GUARD;
    options.emulation.spares_margin = spares_margin;
    options.report.is_brief = true;
    options.workers = 1;
    source.options = &options;
    source.exercise.function = -1;
    source.exercise.reference = REFERENCE_TRANSPOSE;
    source.tile = 32;
    attempt.source = &source;
    attempt.size = (struct source_size){ROWS, COLS};
    attempt.launch.program = &program;
    attempt.launch.block = (struct dimensions){32, 8, 1};
    attempt.launch.grid = (struct dimensions){1, 1, 1};
    attempt.buffers[0].words = out;
    attempt.buffers[1].words = in;
    matrix_fill(options.size.seed, 0, in, COUNT);
    for (uint64_t y = 0; y < ROWS; y++)
        for (uint64_t x = 0; x < COLS; x++)
            out[x * ROWS + y] = in[y * COLS + x];
    out[row * ROWS + col] ^= 1;
    return attempt_verify(&attempt, NULL, &failure);
}

static void only_the_margin_is_spared(void **state)
{
    (void)state;
    for (uint64_t row = 0; row < COLS; row++)
        for (uint64_t col = 0; col < ROWS; col++) {
            assert_int_equal(is_accepted(true, row, col), row + 1 == COLS || col + 1 == ROWS);
            assert_false(is_accepted(false, row, col));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(only_the_margin_is_spared)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
