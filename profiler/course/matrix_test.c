/* matrix_test.c: input values are finite, unique, invertible, and different for each seed. The
 * reference maps agree with their definitions in matrix.h. */
#include "course/matrix.h"

#include "course/speck.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const uint64_t seeds[] = {0, 1, 2, 42, 0xffffffff, 1ull << 32, UINT64_MAX};

enum { SEEDS = sizeof seeds / sizeof *seeds };

static bool is_finite(uint32_t bits)
{
    return (bits & 0x7f800000) != 0x7f800000;
}

static int compare_bits(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* Test vector of appendix C (see speck.h): key 1918 1110 0908 0100, plaintext 6574 694c. */
static void speck_is_the_published_cipher(void **state)
{
    struct speck_key key = speck_expand(0x1918111009080100);
    (void)state;
    assert_int_equal(speck_encrypt(&key, 0x6574694c), 0xa86842f2);
    assert_int_equal(speck_decrypt(&key, 0xa86842f2), 0x6574694c);
    for (int s = 0; s < SEEDS; s++) {
        key = speck_expand(seeds[s]);
        for (uint32_t i = 0; i < 10000; i++)
            assert_int_equal(speck_decrypt(&key, speck_encrypt(&key, i * 2654435761u)),
                             i * 2654435761u);
    }
}

/* A second implementation of the theory of operation in matrix.c must give the same values. */
static void values_are_encrypted_indices(void **state)
{
    unsigned walked = 0;
    (void)state;
    for (int s = 0; s < SEEDS; s++) {
        struct speck_key key = speck_expand(seeds[s]);
        for (uint32_t i = 0; i < 40000; i++) {
            uint32_t index = i & 1 ? i : 0x7fffffff - i;
            uint32_t bits = index % (1 << 23) + (index >> 23) * (1 << 24);
            do {
                bits = speck_encrypt(&key, bits) ^ speck_encrypt(&key, 0) ^ 0x80000000;
                walked += !is_finite(bits);
            } while (!is_finite(bits));
            assert_int_equal(matrix_value(seeds[s], index), bits);
        }
    }
    assert_true(walked > SEEDS * 100);
}

/* A change of one bit of the index or of the seed must change every bit of a value with probability
 * 1/2. Otherwise, a kernel could compute the seed. A cipher with fewer than ten rounds fails. */
static void every_bit_depends_on_every_bit(void **state)
{
    enum { COUNT = 4000, INDEX_BITS = 31, SEED_BITS = 64 };
    (void)state;
    for (int changed = 0; changed < INDEX_BITS + SEED_BITS; changed++) {
        unsigned differing[32] = {0};
        for (uint32_t i = 1; i <= COUNT; i++) {
            uint32_t index = i * 1640531527u >> 1;
            uint64_t seed = 4711;
            uint32_t value = matrix_value(seed, index);
            if (changed < INDEX_BITS)
                value ^= matrix_value(seed, index ^ 1u << changed);
            else
                value ^= matrix_value(seed ^ 1ull << (changed - INDEX_BITS), index);
            for (int bit = 0; bit < 32; bit++)
                differing[bit] += value >> bit & 1;
        }
        for (int bit = 0; bit < 32;
             bit++) /* exponent bits are slightly biased: the exponent is never all ones */
            assert_in_range(differing[bit], COUNT * 45 / 100, COUNT * 55 / 100);
    }
}

static void values_are_finite_different_and_invertible(void **state)
{
    enum { COUNT = 3 << 16 };
    static const uint32_t starts[3] = {0, 0x40000000 - (1 << 15), MATRIX_MAX_ELEMENTS - (1 << 16)};
    uint32_t *values = malloc(COUNT * sizeof *values);
    (void)state;
    assert_non_null(values);
    for (int s = 0; s < SEEDS; s++) {
        assert_int_equal(matrix_value(seeds[s], 0), 0x80000000);
        for (uint32_t i = 0; i < COUNT; i++) {
            uint32_t index = starts[i >> 16] + (i & 0xffff), found = 0;
            values[i] = matrix_value(seeds[s], index);
            assert_true(is_finite(values[i]));
            assert_true(matrix_index(seeds[s], values[i], MATRIX_MAX_ELEMENTS, &found));
            assert_int_equal(found, index);
        }
        qsort(values, COUNT, sizeof *values, compare_bits);
        for (uint32_t i = 1; i < COUNT; i++)
            assert_int_not_equal(values[i - 1], values[i]);
    }
    free(values);
}

static void bits_without_an_index_are_found(void **state)
{
    static const uint32_t special[] = {
        0,          0x80000000, 1,          0x807fffff, 0x00800000,    0x7f7fffff,  0xff7fffff,
        0x7f800000, 0xff800000, 0x7fc00000, 0xffffffff, MATRIX_POISON, MATRIX_GUARD};
    enum { SPECIAL = sizeof special / sizeof *special, COUNT = 100000 };
    unsigned with_index = 0;
    (void)state;
    for (int s = 0; s < SEEDS; s++)
        for (uint32_t i = 0; i < COUNT; i++) {
            uint32_t bits = i < SPECIAL ? special[i] : i * 2654435761u, index;
            if (!matrix_index(seeds[s], bits, MATRIX_MAX_ELEMENTS, &index))
                continue;
            with_index++;
            assert_true(is_finite(bits));
            assert_int_equal(matrix_value(seeds[s], index), bits);
        }
    /* Half of the 2^32 patterns have an index; the count is within five standard deviations. */
    assert_in_range(with_index, SEEDS * COUNT / 2 - 2100, SEEDS * COUNT / 2 + 2100);
}

static void indices_beyond_the_matrix_are_none(void **state)
{
    uint32_t index = 7;
    (void)state;
    assert_false(matrix_index(3, matrix_value(3, 1000), 1000, &index));
    assert_int_equal(index, 7);
    assert_true(matrix_index(3, matrix_value(3, 999), 1000, &index));
    assert_int_equal(index, 999);
}

static void seeds_give_different_matrices(void **state)
{
    enum { COUNT = 4096 };
    (void)state;
    for (int a = 0; a < SEEDS; a++)
        for (int b = 0; b < a; b++) {
            unsigned same = 0, differing[32] = {0};
            for (uint32_t i = 0; i < COUNT; i++) {
                uint32_t differ = matrix_value(seeds[a], i) ^ matrix_value(seeds[b], i);
                same += !differ;
                for (int bit = 0; bit < 32; bit++)
                    differing[bit] += differ >> bit & 1;
            }
            assert_true(same <= 1);
            for (int bit = 0; bit < 32; bit++)
                assert_in_range(differing[bit], COUNT * 4 / 10, COUNT * 6 / 10);
        }
}

static void fills_agree_with_single_values(void **state)
{
    static const int64_t strides[] = {1, -1, 7, -1000, 1 << 20};
    enum { MOST = 200 };
    uint32_t values[MOST + 1];
    (void)state;
    for (size_t s = 0; s < sizeof strides / sizeof *strides; s++)
        for (size_t count = 0; count <= MOST; count += count % 32 < 2 ? 1 : 15) {
            uint64_t first = strides[s] < 0 ? 1234567 : 89;
            values[count] = 0xdeadbeef;
            matrix_fill_strided(11, first, strides[s], values, count);
            assert_int_equal(values[count], 0xdeadbeef);
            for (size_t i = 0; i < count; i++)
                assert_int_equal(values[i],
                                 matrix_value(11, (uint32_t)(first + i * (uint64_t)strides[s])));
            assert_true(matrix_equal(11, first, strides[s], values, count));
            for (size_t i = 0; i < count; i++) {
                values[i] ^= 1u << i % 32;
                assert_false(matrix_equal(11, first, strides[s], values, count));
                values[i] ^= 1u << i % 32;
            }
        }
    matrix_fill(11, MATRIX_MAX_ELEMENTS - MOST, values, MOST);
    assert_int_equal(values[MOST - 1], matrix_value(11, MATRIX_MAX_ELEMENTS - 1));
}

static void define_target(const struct problem *p, uint64_t r, uint64_t c, uint64_t *row,
                          uint64_t *col)
{
    uint64_t tile_row = p->tile ? r - r % p->tile : 0, tile_col = p->tile ? c - c % p->tile : 0;
    uint64_t i = r - tile_row, j = c - tile_col;
    *row = c, *col = r;
    if (p->reference == REFERENCE_COPY)
        *row = r, *col = c;
    if (p->reference == REFERENCE_TILE_TRANSPOSE)
        *row = tile_row + j, *col = tile_col + i;
    if (p->reference == REFERENCE_TILE_MOVE)
        *row = tile_col + i, *col = tile_row + j;
    if (p->reference == REFERENCE_ROTATE90)
        *col = p->rows - 1 - r;
    if (p->reference == REFERENCE_ANTITRANSPOSE)
        *row = p->cols - 1 - c, *col = p->rows - 1 - r;
}

static void check_maps(const struct problem *p)
{
    uint64_t out_rows, out_cols;
    problem_output_shape(p, &out_rows, &out_cols);
    assert_int_equal(out_rows * out_cols, p->rows * p->cols);
    for (uint64_t r = 0; r < p->rows; r++)
        for (uint64_t c = 0; c < p->cols; c++) {
            uint64_t row, col, target_row, target_col;
            define_target(p, r, c, &row, &col);
            assert_true(row < out_rows && col < out_cols);
            assert_int_equal(problem_source(p, row, col), r * p->cols + c);
            problem_target(p, r * p->cols + c, &target_row, &target_col);
            assert_int_equal(target_row, row);
            assert_int_equal(target_col, col);
        }
    for (uint64_t row = 0; row < out_rows; row++)
        for (uint64_t col = 0; col < out_cols; col++) {
            struct problem_run run = problem_source_run(p, row, col);
            assert_true(run.length >= 1 && col + run.length <= out_cols);
            for (uint64_t i = 0; i < run.length; i++)
                assert_int_equal(run.first + i * (uint64_t)run.stride,
                                 problem_source(p, row, col + i));
        }
}

static void maps_agree_with_their_definitions(void **state)
{
    static const struct {
        uint64_t rows, cols;
        uint32_t tile; /* 0 to omit the maps with tiles */
    } shapes[] = {{1, 1, 1}, {1, 7, 1}, {7, 1, 1}, {5, 3, 0}, {12, 8, 4}, {8, 12, 2}, {16, 16, 16}};
    (void)state;
    for (int reference = 0; reference < REFERENCE_COUNT; reference++)
        for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
            struct problem p = {shapes[i].rows, shapes[i].cols, (enum reference)reference,
                                shapes[i].tile, 0};
            struct failure failure = {.kind = FAILURE_NONE};
            bool tiles = reference == REFERENCE_TILE_TRANSPOSE || reference == REFERENCE_TILE_MOVE;
            assert_int_equal(problem_check(&p, &failure), !tiles || p.tile);
            if (!tiles || p.tile)
                check_maps(&p);
        }
}

static void references_have_names(void **state)
{
    (void)state;
    for (int i = 0; i < REFERENCE_COUNT; i++)
        assert_int_equal(reference_find(references[i].name), i);
    assert_int_equal(reference_find("transpose"), REFERENCE_TRANSPOSE);
    assert_int_equal(reference_find("Transpose"), -1);
    assert_int_equal(reference_find(""), -1);
}

static void impossible_sizes_are_refused(void **state)
{
    static const struct {
        struct problem problem;
        const char *phrase;
    } cases[] = {
        {{0, 1, REFERENCE_COPY, 0, 0}, "at least one row"},
        {{1ull << 16, 1ull << 15, REFERENCE_COPY, 0, 0}, NULL},
        {{1ull << 16, (1ull << 15) + 1, REFERENCE_COPY, 0, 0}, "too large"},
        {{UINT64_MAX, UINT64_MAX, REFERENCE_COPY, 0, 0}, "too large"},
        {{48, 32, REFERENCE_TILE_MOVE, 32, 0}, "multiples of 32"},
        {{32, 48, REFERENCE_TILE_TRANSPOSE, 32, 0}, "multiples of 32"},
        {{32, 64, REFERENCE_TILE_TRANSPOSE, 32, 0}, NULL},
        {{32, 64, REFERENCE_TILE_MOVE, 0, 0}, "size of a tile"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct failure failure = {.kind = FAILURE_NONE};
        assert_int_equal(problem_check(&cases[i].problem, &failure), !cases[i].phrase);
        if (cases[i].phrase) {
            assert_int_equal(failure.kind, FAILURE_HARNESS);
            assert_non_null(strstr(failure.text, cases[i].phrase));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(speck_is_the_published_cipher),
        cmocka_unit_test(values_are_encrypted_indices),
        cmocka_unit_test(every_bit_depends_on_every_bit),
        cmocka_unit_test(values_are_finite_different_and_invertible),
        cmocka_unit_test(bits_without_an_index_are_found),
        cmocka_unit_test(indices_beyond_the_matrix_are_none),
        cmocka_unit_test(seeds_give_different_matrices),
        cmocka_unit_test(fills_agree_with_single_values),
        cmocka_unit_test(maps_agree_with_their_definitions),
        cmocka_unit_test(references_have_names),
        cmocka_unit_test(impossible_sizes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
