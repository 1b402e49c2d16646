/* verify_test.c: correct outputs pass, every flipped bit is found, and every known mistake is
 * recognized. A host function computes the output of each wrong kernel. check: whole */
#include "diagnose/verify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/sanitized.h"

enum { T = 32, GUARD_ELEMENTS = 16 };

/* A run: matrices between guard bands, and a launch of 32x8 threads per tile of 32x32. */
struct run {
    uint64_t h, w; /* rows and columns of the input (`height` and `width` in a kernel) */
    uint64_t total;
    uint32_t *in, *out;
    uint32_t *storage[2];
    struct verify_input input;
};

static void guard_fill(uint32_t *guard)
{
    for (int i = 0; i < GUARD_ELEMENTS; i++)
        guard[i] = MATRIX_GUARD;
}

static void run_open(struct run *run, enum reference reference, uint64_t rows, uint64_t cols)
{
    *run = (struct run){.h = rows, .w = cols, .total = rows * cols};
    struct verify_input *input = &run->input;
    for (int i = 0; i < 2; i++) {
        run->storage[i] = malloc((run->total + 2 * GUARD_ELEMENTS) * sizeof(uint32_t));
        assert_non_null(run->storage[i]);
        guard_fill(run->storage[i]);
        guard_fill(run->storage[i] + GUARD_ELEMENTS + run->total);
    }
    run->out = run->storage[0] + GUARD_ELEMENTS;
    run->in = run->storage[1] + GUARD_ELEMENTS;
    input->problem = (struct problem){rows, cols, reference, T, rows * 1000 + cols};
    input->input = run->in;
    input->output = run->out;
    input->guard_elements = GUARD_ELEMENTS;
    input->block_x = T;
    input->block_y = 8;
    input->grid_x = (uint32_t)(cols + T - 1) / T;
    input->grid_y = (uint32_t)(rows + T - 1) / T;
    input->threads = 1;
    input->output_name = "odata";
    input->input_name = "idata";
    matrix_fill(input->problem.seed, 0, run->in, run->total);
    for (uint64_t i = 0; i < run->total; i++)
        run->out[i] = MATRIX_POISON;
}

static void run_close(struct run *run)
{
    free(run->storage[0]);
    free(run->storage[1]);
}

/* ---- Correct and wrong kernels as loops over elements or tiles ---- */

static void put(struct run *run, uint64_t index, uint32_t value)
{
    if (index < run->total)
        run->out[index] = value;
}

#define EACH_ELEMENT                                                                               \
    for (uint64_t y = 0; y < run->h; y++)                                                          \
        for (uint64_t x = 0; x < run->w; x++)

static uint32_t in_at(const struct run *run, uint64_t y, uint64_t x)
{
    return run->in[y * run->w + x];
}

static void right_copy(struct run *run)
{
    memcpy(run->out, run->in, run->total * sizeof *run->in);
}

static void right_transpose(struct run *run)
{
    EACH_ELEMENT
    run->out[x * run->h + y] = in_at(run, y, x);
}

static void right_rotate90(struct run *run)
{
    EACH_ELEMENT
    run->out[x * run->h + run->h - 1 - y] = in_at(run, y, x);
}

static void right_antitranspose(struct run *run)
{
    EACH_ELEMENT
    run->out[(run->w - 1 - x) * run->h + run->h - 1 - y] = in_at(run, y, x);
}

static void right_tile_transpose(struct run *run)
{
    EACH_ELEMENT
    run->out[(y / T * T + x % T) * run->w + x / T * T + y % T] = in_at(run, y, x);
}

static void right_tile_move(struct run *run)
{
    EACH_ELEMENT
    run->out[(x / T * T + y % T) * run->h + y / T * T + x % T] = in_at(run, y, x);
}

/* The mistakes of a tiled kernel. Shared memory is initially zero. */
struct tiled {
    bool not_turned, not_moved, skip_edges, one_step, swizzle_store;
    unsigned store_pitch, load_pitch;    /* 0 means 32 */
    unsigned only_block_x, only_block_y; /* the only block that runs, from 1; x = 0: all */
    bool exchange;                       /* exchange the outputs of blocks (3, 1) and (2, 4) */
};

static void tiled_block(struct run *run, const struct tiled *kernel, uint64_t bx, uint64_t by)
{
    uint32_t tile[T * (T + 1) + T] = {0};
    unsigned store = kernel->store_pitch ? kernel->store_pitch : T,
             load = kernel->load_pitch ? kernel->load_pitch : T;
    for (uint64_t ty = 0; ty < T; ty++)
        for (uint64_t tx = 0; tx < T; tx++)
            if (by * T + ty < run->h && bx * T + tx < run->w)
                tile[ty * store + (kernel->swizzle_store ? tx ^ ty : tx)] =
                    in_at(run, by * T + ty, bx * T + tx);
    uint64_t ox = kernel->not_moved ? bx : by, oy = kernel->not_moved ? by : bx;
    if (kernel->exchange && bx == 3 && by == 1)
        ox = 4, oy = 2;
    else if (kernel->exchange && bx == 2 && by == 4)
        ox = 1, oy = 3;
    uint64_t out_h = kernel->not_moved ? run->h : run->w,
             out_w = kernel->not_moved ? run->w : run->h;
    for (uint64_t ty = 0; ty < (kernel->one_step ? 8 : T); ty++)
        for (uint64_t tx = 0; tx < T; tx++) {
            uint64_t x = ox * T + tx, y = oy * T + ty;
            if (x < out_w && y < out_h)
                put(run, y * out_w + x,
                    kernel->not_turned ? tile[ty * load + tx] : tile[tx * load + ty]);
        }
}

static void tiled_run(struct run *run, const struct tiled *kernel)
{
    uint64_t grid_x = kernel->skip_edges ? run->w / T : (run->w + T - 1) / T,
             grid_y = kernel->skip_edges ? run->h / T : (run->h + T - 1) / T;
    for (uint64_t by = 0; by < grid_y; by++)
        for (uint64_t bx = 0; bx < grid_x; bx++)
            if (!kernel->only_block_x ||
                (bx + 1 == kernel->only_block_x && by + 1 == kernel->only_block_y))
                tiled_block(run, kernel, bx, by);
}

#define TILED(function, ...)                                                                       \
    static void function(struct run *run)                                                          \
    {                                                                                              \
        tiled_run(run, &(struct tiled){__VA_ARGS__});                                              \
    }

TILED(tiled_right, .not_turned = false)
TILED(wrong_not_turned, .not_turned = true)
TILED(wrong_not_moved, .not_moved = true)
TILED(wrong_skip_edges, .skip_edges = true)
TILED(wrong_one_step, .one_step = true)
TILED(wrong_swizzle, .swizzle_store = true)
TILED(wrong_padded_store, .store_pitch = T + 1)
TILED(wrong_padded_load, .load_pitch = T + 1)
TILED(wrong_first_block, .only_block_x = 1, .only_block_y = 1)
TILED(wrong_other_block, .only_block_x = 2, .only_block_y = 1)
TILED(wrong_exchange, .exchange = true)

static void wrong_nothing(struct run *run)
{
    (void)run;
}

static void wrong_write_pitch(struct run *run)
{
    EACH_ELEMENT
    put(run, x * run->w + y, in_at(run, y, x));
}

static void wrong_copy_write_pitch(struct run *run)
{
    EACH_ELEMENT
    put(run, y * run->h + x, in_at(run, y, x));
}

static void wrong_read_pitch(struct run *run)
{
    EACH_ELEMENT
    if (y * run->h + x < run->total)
        put(run, x * run->h + y, run->in[y * run->h + x]);
}

static void wrong_both_pitches(struct run *run)
{
    for (uint64_t y = 0; y < run->w; y++)
        for (uint64_t x = 0; x < run->h; x++)
            put(run, x * run->w + y, run->in[y * run->h + x]);
}

static void wrong_bounds(struct run *run)
{
    for (uint64_t y = 0; y < run->w; y++)
        for (uint64_t x = 0; x < run->h; x++)
            if (x < run->w && y < run->h)
                run->out[x * run->h + y] = in_at(run, y, x);
}

static void wrong_prefix(struct run *run)
{
    right_transpose(run);
    for (uint64_t i = run->total / 2 + 1; i < run->total; i++)
        run->out[i] = MATRIX_POISON;
}

static void wrong_every_second_row(struct run *run)
{
    for (uint64_t x = 0; x < run->w; x += 2)
        for (uint64_t y = 0; y < run->h; y++)
            run->out[x * run->h + y] = in_at(run, y, x);
}

static void wrong_mirrored_rows(struct run *run)
{
    EACH_ELEMENT
    run->out[(run->w - 1 - x) * run->h + y] = in_at(run, y, x);
}

static void wrong_mirrored_copy(struct run *run)
{
    EACH_ELEMENT
    run->out[y * run->w + run->w - 1 - x] = in_at(run, y, x);
}

static void wrong_shift_column(struct run *run)
{
    EACH_ELEMENT
    if (y + 1 < run->h)
        run->out[x * run->h + y + 1] = in_at(run, y, x);
}

static void wrong_shift_row_wrapped(struct run *run)
{
    EACH_ELEMENT
    run->out[(x + 1) % run->w * run->h + y] = in_at(run, y, x);
}

static void wrong_shift_linear(struct run *run)
{
    EACH_ELEMENT
    put(run, x * run->h + y + 3, in_at(run, y, x));
}

/* Every 37th element has the value from the same place in the tile of the previous block. */
static void wrong_race_stale(struct run *run)
{
    right_transpose(run);
    EACH_ELEMENT
    if ((y * 1009 + x * 917) % 37 == 5 && x >= T)
        run->out[x * run->h + y] = in_at(run, y, x - T);
}

static void wrong_race_same_tile(struct run *run)
{
    right_transpose(run);
    EACH_ELEMENT
    if ((y * 1009 + x * 917) % 37 == 5 && x % T)
        run->out[x * run->h + y] = in_at(run, y, x - 1);
}

static void wrong_random(struct run *run)
{
    uint64_t state = 88172645463325252u;
    right_transpose(run);
    for (uint64_t i = run->total - 1; i; i--) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        uint64_t j = state % (i + 1);
        uint32_t swap = run->out[i];
        run->out[i] = run->out[j], run->out[j] = swap;
    }
}

static void wrong_splat(struct run *run)
{
    for (uint64_t x = 0; x < run->w; x++)
        for (uint64_t y = 0; y < run->h; y++)
            run->out[x * run->h + y] = in_at(run, y - y % 4, x);
}

static void wrong_constant(struct run *run)
{
    for (uint64_t i = 0; i < run->total; i++)
        run->out[i] = in_at(run, run->h - 1, 0);
}

static void wrong_first_row(struct run *run)
{
    EACH_ELEMENT
    run->out[x * run->h + y] = in_at(run, y, 0);
}

static void wrong_triangle(struct run *run)
{
    EACH_ELEMENT
    if (x <= y)
        run->out[x * run->h + y] = in_at(run, y, x);
}

static void wrong_tile_triangle(struct run *run)
{
    EACH_ELEMENT
    if (x / T <= y / T)
        run->out[x * run->h + y] = in_at(run, y, x);
}

static void wrong_checkerboard(struct run *run)
{
    EACH_ELEMENT
    if ((x / T + y / T) % 2 == 0)
        run->out[x * run->h + y] = in_at(run, y, x);
}

static void wrong_copy_without_edge(struct run *run)
{
    memcpy(run->out, run->in, (run->total - 9) * sizeof *run->in);
}

static void wrong_tile_order(struct run *run)
{
    EACH_ELEMENT
    {
        uint64_t height = run->h - y / T * T < T ? run->h - y / T * T : T;
        run->out[x * run->h + y / T * T + height - 1 - y % T] = in_at(run, y, x);
    }
}

/* Block (1, 1) stores the elements that belong seven columns further right. */
static void wrong_block_shifted(struct run *run)
{
    right_transpose(run);
    for (uint64_t row = T; row < 2 * T; row++)
        memmove(run->out + row * run->h + T, run->out + row * run->h + T + 7, T * sizeof *run->out);
}

static void wrong_few(struct run *run)
{
    memcpy(run->out, run->in, 9 * sizeof *run->in);
}

static void wrong_corner_quarter(struct run *run)
{
    EACH_ELEMENT
    if (x % T < 8 && y % T < 16)
        run->out[x * run->h + y] = in_at(run, y, x);
}

static float as_float(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void put_float(struct run *run, uint64_t index, float value)
{
    memcpy(&run->out[index], &value, sizeof value);
}

#define ALTERED(function, expression)                                                              \
    static void function(struct run *run)                                                          \
    {                                                                                              \
        EACH_ELEMENT                                                                               \
        {                                                                                          \
            float v = as_float(in_at(run, y, x));                                                  \
            put_float(run, x * run->h + y, expression);                                            \
        }                                                                                          \
    }

ALTERED(altered_negate, -v)
ALTERED(altered_double, 2 * v)
ALTERED(altered_scale, v * 0.75f)
ALTERED(altered_add, v + 1.5f)
ALTERED(altered_absolute, v < 0 ? -v : v)
ALTERED(altered_integer, v >= 0x1p31f ? 0x1p31f : v <= -0x1p31f ? -0x1p31f : (float)(int)v)
ALTERED(altered_zero, v != v)
ALTERED(altered_nan, v - v + __builtin_nanf(""))
ALTERED(altered_flush, v<1.17549435e-38f && v> - 1.17549435e-38f ? v * 0.0f : v)

/* ---- The table of mistakes ---- */

static const struct size {
    uint64_t rows, cols;
} oblong[] = {{96, 64}, {64, 96}, {100, 70}, {70, 100}, {33, 65}, {65, 33}, {0, 0}},
  any[] = {{64, 64}, {160, 160}, {96, 64}, {64, 96}, {100, 70}, {33, 65}, {0, 0}},
  ragged[] = {{100, 70}, {70, 100}, {100, 100}, {0, 0}},
  whole[] = {{64, 64}, {96, 64}, {64, 160}, {0, 0}},
  small[] = {{1, 7}, {7, 1}, {3, 5}, {1, 1}, {0, 0}}, larger[] = {{160, 160}, {0, 0}},
  tall[] = {{41, 100}, {0, 0}}, several[] = {{160, 96}, {96, 96}, {0, 0}};

static const struct mistake {
    const char *name;
    enum reference reference;
    void (*make)(struct run *run);
    const struct size *sizes;
    const char *phrase;
} mistakes[] = {
    {"nothing", REFERENCE_TRANSPOSE, wrong_nothing, any, "nothing was written to odata\n"},
    {"nothing, small", REFERENCE_COPY, wrong_nothing, small, "nothing was written to odata\n"},
    {"copy", REFERENCE_TRANSPOSE, right_copy, any, "this is a copy, not the transpose\n"},
    {"copy", REFERENCE_ROTATE90, right_copy, any, "this is a copy, not the matrix turned"},
    {"transpose", REFERENCE_ROTATE90, right_transpose, any,
     "this is the transpose, not the matrix"},
    {"transpose", REFERENCE_ANTITRANSPOSE, right_transpose, any,
     "this is the transpose, not the t"},
    {"transpose", REFERENCE_COPY, right_transpose, any, "this is the transpose, not a copy\n"},
    {"transpose", REFERENCE_TILE_MOVE, right_transpose, whole, "this is the transpose, not tiles"},
    {"transpose", REFERENCE_TILE_TRANSPOSE, right_transpose, whole,
     "this is the transpose, not ti"},
    {"copy", REFERENCE_TILE_MOVE, right_copy, whole, "this is a copy, not tiles that are moved"},
    {"copy", REFERENCE_TILE_TRANSPOSE, right_copy, whole, "this is a copy, not tiles that"},
    {"moved", REFERENCE_TILE_TRANSPOSE, right_tile_move, whole, "are moved but not transposed"},
    {"rotate90", REFERENCE_TRANSPOSE, right_rotate90, any, "turned by 90 degrees clockwise, not"},
    {"antitranspose", REFERENCE_TRANSPOSE, right_antitranspose, any, "about the anti-diagonal, no"},
    {"mirrored rows", REFERENCE_TRANSPOSE, wrong_mirrored_rows, any,
     "90 degrees anticlockwise; the exercise requires"},
    {"mirrored copy", REFERENCE_COPY, wrong_mirrored_copy, any,
     "the columns of odata are in rever"},
    {"not turned", REFERENCE_TRANSPOSE, wrong_not_turned, any,
     "transposed (tiles of 32x32); the exercise requires the transpose\n"},
    {"not moved", REFERENCE_TRANSPOSE, wrong_not_moved, any,
     "place, but not moved (tiles of 32x32); the exercise requires the transpose\n"},
    {"write pitch", REFERENCE_TRANSPOSE, wrong_write_pitch, oblong,
     "width and height are exchanged: rows of odata are written width ("},
    {"write pitch", REFERENCE_COPY, wrong_copy_write_pitch, oblong,
     "width and height are exchanged: rows of odata are written height ("},
    /* A transpose with exchanged row and column in the output index, and the same pitch. */
    {"copy, pitch", REFERENCE_TRANSPOSE, wrong_copy_write_pitch, oblong,
     "row and column are exchanged in the index of "},
    {"read pitch", REFERENCE_TRANSPOSE, wrong_read_pitch, oblong,
     "width and height are exchanged: rows of idata are read height ("},
    {"both pitches", REFERENCE_TRANSPOSE, wrong_both_pitches, oblong,
     "width and height are exchanged: idata is read as"},
    {"bounds", REFERENCE_TRANSPOSE, wrong_bounds, oblong,
     "width and height are exchanged in the bounds check of "},
    {"edges", REFERENCE_TRANSPOSE, wrong_skip_edges, ragged, "odata were never written\n"},
    {"last columns", REFERENCE_TRANSPOSE, wrong_skip_edges, tall,
     "the last 4 rows and the last 9 columns of odata were never written"},
    {"prefix", REFERENCE_TRANSPOSE, wrong_prefix, ragged, "everything after the first"},
    {"first block", REFERENCE_TRANSPOSE, wrong_first_block, larger,
     "everything except odata[0..31][0..31] was never written"},
    {"other block", REFERENCE_TRANSPOSE, wrong_other_block, several,
     "everything except odata[32..63][0..31] was never written"},
    {"one step", REFERENCE_TRANSPOSE, wrong_one_step, any, "never written"},
    {"one step", REFERENCE_TRANSPOSE, wrong_one_step, whole, "rows 8..31 of every 32 of odata"},
    {"every second", REFERENCE_TRANSPOSE, wrong_every_second_row, any,
     "every second row (from row 1) of odata was never written"},
    {"exchange", REFERENCE_TRANSPOSE, wrong_exchange, larger,
     "the output of block (2, 4) equals the correct output of block (3, 1) (2 of 25 tiles"},
    {"shift", REFERENCE_TRANSPOSE, wrong_shift_column, any,
     "odata is shifted by 1 column to the ri"},
    {"shift", REFERENCE_TRANSPOSE, wrong_shift_row_wrapped, any,
     "odata is shifted by 1 row down\n"},
    {"shift", REFERENCE_TRANSPOSE, wrong_shift_linear, any,
     "odata is shifted by 3 elements forward in memory"},
    {"stale tile", REFERENCE_TRANSPOSE, wrong_race_stale, several,
     "this looks like a race on the ti"},
    {"race", REFERENCE_TRANSPOSE, wrong_race_same_tile, several,
     "this looks like a race on the tile"},
    {"random", REFERENCE_TRANSPOSE, wrong_random, any, "* elements of odata are incorrect: "},
    {"padded store", REFERENCE_TRANSPOSE, wrong_padded_store, whole,
     "padded tile is misread: its rows are written 33 elements apart and read 32 elements"},
    {"padded load", REFERENCE_TRANSPOSE, wrong_padded_load, whole,
     "padded tile is misread: its rows are written 32 elements apart and read 33 elements"},
    {"swizzle", REFERENCE_TRANSPOSE, wrong_swizzle, whole,
     "the store or the load of the tile (32x32) is swizzled, but not both\n"},
    {"splat", REFERENCE_TRANSPOSE, wrong_splat, any,
     "in each group of 4 columns of odata, columns 1, 2, 3 hold the elements that belong in "
     "columns 0, 0, 0: elements are repeated"},
    {"constant", REFERENCE_TRANSPOSE, wrong_constant, any, "every element of odata holds idata["},
    {"first row", REFERENCE_TRANSPOSE, wrong_first_row, any,
     "every row of odata holds the elements"},
    {"triangle", REFERENCE_TRANSPOSE, wrong_triangle, any,
     "the elements below the diagonal were nev"},
    {"tile triangle", REFERENCE_TRANSPOSE, wrong_tile_triangle, larger,
     "the tiles (32x32) below the diagonal were never written"},
    {"checkerboard", REFERENCE_TRANSPOSE, wrong_checkerboard, larger,
     "12 of the 25 tiles of 32x32 elements were never written; the first tile: block (0, 1)"},
    {"copy, cut", REFERENCE_TRANSPOSE, wrong_copy_without_edge, any,
     "this is a copy, not the transp"},
    {"tile order", REFERENCE_TRANSPOSE, wrong_tile_order, whole,
     "is in the correct place, but its elements"},
    {"tile corner", REFERENCE_TRANSPOSE, wrong_corner_quarter, whole,
     "everything except rows 0..7 of every 32 in columns 0..15 of every 32 was never written"},
    {"block shifted", REFERENCE_TRANSPOSE, wrong_block_shifted, larger,
     "odata[32..63][32..63] hold other elements of the input\n"},
    {"few", REFERENCE_TRANSPOSE, wrong_few, any, "* elements of odata are incorrect: "},
    {"negate", REFERENCE_TRANSPOSE, altered_negate, any, "the elements are negated\n"},
    {"double", REFERENCE_TRANSPOSE, altered_double, any, "the elements are multiplied by 2\n"},
    {"scale", REFERENCE_TRANSPOSE, altered_scale, any, "the elements are multiplied by 0.75\n"},
    {"add", REFERENCE_TRANSPOSE, altered_add, any, "1.5 is added to the elements\n"},
    {"absolute", REFERENCE_TRANSPOSE, altered_absolute, any,
     "the elements have lost their signs\n"},
    {"integer", REFERENCE_TRANSPOSE, altered_integer, any, "the elements were converted to int\n"},
    {"zero", REFERENCE_TRANSPOSE, altered_zero, any, "every element of odata holds the value 0\n"},
    {"NaN", REFERENCE_TRANSPOSE, altered_nan, any, "every element of odata is a NaN\n"},
    {"flush", REFERENCE_TRANSPOSE, altered_flush, several, "denormal elements became 0"},
};

static unsigned line_count(const char *text)
{
    unsigned lines = 1;
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

/* Returns true if the text contains the phrase. Phrase "* X" requires a number before X. */
static bool phrase_fits(const char *text, const char *phrase)
{
    if (*phrase != '*')
        return strstr(text, phrase) != NULL;
    return strspn(text, "0123456789 of") == (size_t)(strstr(text, phrase + 2) - text);
}

static void mistake_check(const struct mistake *mistake, const struct size *size)
{
    struct run run;
    struct failure failure = {.kind = FAILURE_NONE};
    run_open(&run, mistake->reference, size->rows, size->cols);
    mistake->make(&run);
    assert_false(verify_output(&run.input, &failure));
    if (getenv("VERIFY_TEST_SHOW"))
        print_message("%s %dx%d:\n%s\n\n", mistake->name, (int)size->rows, (int)size->cols,
                      failure.text);
    if (!phrase_fits(failure.text, mistake->phrase))
        fail_msg("%s, %dx%d: expected \"%s\" in:\n%s", mistake->name, (int)size->rows,
                 (int)size->cols, mistake->phrase, failure.text);
    assert_int_equal(failure.kind, FAILURE_STUDENT);
    assert_int_equal(failure.status, STATUS_WRONG_RESULT);
    assert_true(line_count(failure.text) <= 5);
    run_close(&run);
}

static void mistakes_are_named(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++)
        for (const struct size *size = mistakes[i].sizes; size->rows; size++)
            mistake_check(&mistakes[i], size);
}

/* ---- Correct outputs, and outputs with one wrong bit ---- */

static const struct {
    enum reference reference;
    void (*make)(struct run *run);
    bool tiles;
} rights[] = {
    {REFERENCE_COPY, right_copy, false},
    {REFERENCE_TRANSPOSE, right_transpose, false},
    {REFERENCE_TRANSPOSE, tiled_right, false},
    {REFERENCE_TILE_TRANSPOSE, right_tile_transpose, true},
    {REFERENCE_TILE_MOVE, right_tile_move, true},
    {REFERENCE_ROTATE90, right_rotate90, false},
    {REFERENCE_ANTITRANSPOSE, right_antitranspose, false},
};

static const struct size *const all_sizes[] = {any, oblong, small, whole, several};

static void right_check(struct run *run, bool expected)
{
    struct failure failure = {.kind = FAILURE_NONE};
    assert_int_equal(verify_output(&run->input, &failure), expected);
    assert_int_equal(failure.kind, expected ? FAILURE_NONE : FAILURE_STUDENT);
}

static void right_and_flipped(enum reference reference, void (*make)(struct run *run),
                              const struct size *size)
{
    struct run run;
    run_open(&run, reference, size->rows, size->cols);
    make(&run);
    right_check(&run, true);
    for (uint64_t i = 0; i < 12; i++) {
        uint64_t at = i == 0 ? 0 : i == 1 ? run.total - 1 : i * 7919 * 104729 % run.total;
        run.out[at] ^= 1u << (i * 5 % 32);
        right_check(&run, false);
        run.out[at] ^= 1u << (i * 5 % 32);
    }
    run_close(&run);
}

static void right_outputs_pass_and_flips_do_not(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rights / sizeof *rights; i++)
        for (size_t k = 0; k < sizeof all_sizes / sizeof *all_sizes; k++)
            for (const struct size *size = all_sizes[k]; size->rows; size++)
                if (!rights[i].tiles || (size->rows % T == 0 && size->cols % T == 0))
                    right_and_flipped(rights[i].reference, rights[i].make, size);
}

/* Each thread compares a part of the output. The test inserts an error in each part in turn. */
static void threads_do_not_change_the_verdict(void **state)
{
    static const unsigned thread_counts[] = {1, 2, 5, 1000};
    static const uint64_t places[] = {0, 99999, 300007, 384 * 1024 - 1};
    struct run run;
    (void)state;
    run_open(&run, REFERENCE_TRANSPOSE, 384, 1024);
    right_transpose(&run);
    for (size_t p = 0; p < sizeof places / sizeof *places; p++) {
        struct failure verdicts[4] = {{.kind = FAILURE_NONE}};
        run.out[places[p]] ^= 0x00400000;
        for (int i = 0; i < 4; i++) {
            run.input.threads = thread_counts[i];
            assert_false(verify_output(&run.input, &verdicts[i]));
            assert_string_equal(verdicts[i].text, verdicts[0].text);
        }
        run.out[places[p]] ^= 0x00400000;
    }
    for (int i = 0; i < 4; i++) {
        run.input.threads = thread_counts[i];
        right_check(&run, true);
    }
    run_close(&run);
}

/* ---- Guards and the input ---- */

static void verdict_check(struct run *run, enum status status, const char *phrase)
{
    struct failure failure = {.kind = FAILURE_NONE};
    assert_false(verify_output(&run->input, &failure));
    assert_int_equal(failure.status, status);
    if (!strstr(failure.text, phrase))
        fail_msg("expected \"%s\" in:\n%s", phrase, failure.text);
    assert_true(line_count(failure.text) <= 5);
}

static void damaged_guards_are_found(void **state)
{
    struct run run;
    (void)state;
    run_open(&run, REFERENCE_TRANSPOSE, 40, 33);
    right_transpose(&run);
    run.out[run.total + 2] = in_at(&run, 3, 4);
    verdict_check(&run, STATUS_OUT_OF_BOUNDS,
                  "element 3 past the end of odata was overwritten with idata[3][4]");
    run.out[run.total + 5] = 0;
    verdict_check(&run, STATUS_OUT_OF_BOUNDS,
                  "element 3 past the end of odata was overwritten with "
                  "idata[3][4]; 2 elements are overwritten in total");
    guard_fill(run.out + run.total);
    run.in[-1] = 0x3fc00000;
    verdict_check(&run, STATUS_OUT_OF_BOUNDS,
                  "element 1 before the start of idata was overwritten with 1.5");
    right_copy(&run); /* the output has two mistakes; the guard is reported first */
    verdict_check(&run, STATUS_OUT_OF_BOUNDS,
                  "before the start of idata was overwritten with 1.5\nthis is a c");
    guard_fill(run.in - GUARD_ELEMENTS);
    right_transpose(&run);
    run.out[-GUARD_ELEMENTS] = MATRIX_POISON;
    verdict_check(&run, STATUS_OUT_OF_BOUNDS,
                  "element 16 before the start of odata was overwritten with the initial ");
    run.input.guard_elements = 0;
    right_check(&run, true);
    run_close(&run);
}

static void changed_input_is_found(void **state)
{
    struct run run;
    (void)state;
    run_open(&run, REFERENCE_TRANSPOSE, 40, 33);
    right_transpose(&run);
    for (uint64_t i = 0; i < run.total; i++) {
        uint32_t retained = run.in[i];
        run.in[i] = MATRIX_POISON;
        verdict_check(&run, STATUS_WRONG_RESULT, "idata was modified");
        run.in[i] = retained;
    }
    run.in[3 * 33 + 4] ^= 1;
    verdict_check(&run, STATUS_WRONG_RESULT, "idata was modified: idata[3][4]");
    run.in[39 * 33] ^= 1;
    verdict_check(&run, STATUS_WRONG_RESULT, "idata was modified: idata[3][4] and other elements");
    right_copy(&run);
    verdict_check(&run, STATUS_WRONG_RESULT,
                  "idata[3][4] and other elements\n1318 of 1320 elements");
    run_close(&run);
}

static void outside_values_are_named(void **state)
{
    struct run run;
    (void)state;
    run_open(&run, REFERENCE_TRANSPOSE, 40, 33);
    right_transpose(&run);
    run.out[17] = MATRIX_GUARD;
    verdict_check(&run, STATUS_WRONG_RESULT, "odata[0][17] should hold idata[17][0] (");
    verdict_check(&run, STATUS_WRONG_RESULT, "but holds a value from outside the matrices");
    run.out[17] = 0;
    verdict_check(&run, STATUS_WRONG_RESULT, "but holds 0");
    right_transpose(&run);
    run.out[0] = 0; /* the value of x + 0 */
    verdict_check(&run, STATUS_WRONG_RESULT, "idata[0][0] (-0), but holds 0");
    run_close(&run);
}

static void impossible_problems_are_refused(void **state)
{
    static const struct problem problems[] = {
        {0, 5, REFERENCE_COPY, 0, 0},
        {5, 0, REFERENCE_COPY, 0, 0},
        {1ull << 33, 1ull << 33, REFERENCE_COPY, 0, 0},
        {64, 100, REFERENCE_TILE_MOVE, 32, 0},
        {64, 64, REFERENCE_TILE_TRANSPOSE, 0, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
        struct verify_input input = {.problem = problems[i], .threads = 1};
        struct failure failure = {.kind = FAILURE_NONE};
        assert_false(verify_output(&input, &failure));
        assert_int_equal(failure.kind, FAILURE_HARNESS);
    }
}

static void unknown_launch_shape_is_no_obstacle(void **state)
{
    struct run run;
    (void)state;
    run_open(&run, REFERENCE_TRANSPOSE, 160, 160);
    wrong_exchange(&run);
    run.input.grid_x = run.input.grid_y = run.input.block_x = run.input.block_y = 0;
    verdict_check(&run, STATUS_WRONG_RESULT,
                  "the output of the tile at odata[64][128] equals the correct output of the tile "
                  "at odata[96][32]");
    run_close(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(right_outputs_pass_and_flips_do_not),
        cmocka_unit_test(threads_do_not_change_the_verdict),
        cmocka_unit_test(damaged_guards_are_found),
        cmocka_unit_test(changed_input_is_found),
        cmocka_unit_test(outside_values_are_named),
        cmocka_unit_test(impossible_problems_are_refused),
        cmocka_unit_test(unknown_launch_shape_is_no_obstacle),
    };
    if (THREAD_SANITIZED) /* The other tests use one thread. */
        cmocka_set_test_filter("threads_*");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
