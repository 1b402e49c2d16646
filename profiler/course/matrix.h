/* matrix.h: a lab's matrices: unique input values from a seed, poison, guard bands, reference maps.
 *
 * The input element with row-major index i is matrix_value(seed, i), which is i encrypted with the
 * key `seed`. Therefore, all elements differ, and matrix_index() finds the index of a value. No
 * value is NaN or infinite; denormals occur; element 0 is -0.0. All functions are thread-safe.
 *
 * The values are encrypted because a kernel that could compute the values could store each element
 * without loads. It must be impossible to compute the key from the elements that a launch can read,
 * which are at most 2^31 chosen pairs. With 2^31 pairs, attacks on Speck32/64 (speck.h) reach 14 of
 * 22 rounds in about 2^63 trials (Dinur, SAC 2014). Later attacks reach 15 rounds. A graded seed
 * has 64 bits from the class's secret, and a launch executes at most 10^11 instructions. */
#ifndef MATRIX_H
#define MATRIX_H

#include "base/failure.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Maximum number of elements of a matrix, which is also the limit of an `int` index. */
#define MATRIX_MAX_ELEMENTS (1ull << 31)

/* Bits that fill the output before a launch (poison), and the guard bands: NaNs with two distinct
 * payloads, which are never input values. MATRIX_SPELLED(MATRIX_POISON) is the number as text. */
#define MATRIX_POISON 0x7fb0a5ed
#define MATRIX_GUARD 0x7fb9a4d0
#define MATRIX_SPELLED(bits) MATRIX_SPELLED_(bits)
#define MATRIX_SPELLED_(bits) #bits

/* Returns the bits of the element with a row-major index below MATRIX_MAX_ELEMENTS. */
uint32_t matrix_value(uint64_t seed, uint32_t index);
/* The inverse of matrix_value. Returns false if no index below `count` has the value `bits`. */
bool matrix_index(uint64_t seed, uint32_t bits, uint64_t count, uint32_t *index);

float matrix_float(uint32_t bits);

/* Fill out[0..count) with the values of indices first, first+1, ... A value takes 1–2 ns. */
void matrix_fill(uint64_t seed, uint64_t first, uint32_t *out, size_t count);
/* Like matrix_fill, for valid indices first, first+stride, ... The stride may be negative. */
void matrix_fill_strided(uint64_t seed, uint64_t first, int64_t stride, uint32_t *out,
                         size_t count);
/* Returns true if data[0..count) equals the values of matrix_fill_strided; 1–2 ns per value. */
bool matrix_equal(uint64_t seed, uint64_t first, int64_t stride, const uint32_t *data,
                  size_t count);

/* X(ID, name, has_tiles, keeps_shape, meaning): the reference maps. Manifests use `name`. If
 * `keeps_shape` is true, the output has the shape of the input. `meaning` follows "this is". */
#define REFERENCE_LIST(X)                                                                          \
    X(COPY, copy, false, true, "a copy")                                                           \
    X(TRANSPOSE, transpose, false, false, "the transpose")                                         \
    X(TILE_TRANSPOSE, tile_transpose, true, true, "tiles that are transposed, but not moved")      \
    X(TILE_MOVE, tile_move, true, false, "tiles that are moved, but not transposed")               \
    X(ROTATE90, rotate90, false, false, "the matrix turned by 90 degrees clockwise")               \
    X(ANTITRANSPOSE, antitranspose, false, false, "the transpose about the anti-diagonal")

enum reference {
#define X(id, ...) REFERENCE_##id,
    REFERENCE_LIST(X)
#undef X
        REFERENCE_COUNT
};

struct reference_info {
    const char *name;
    bool has_tiles, keeps_shape;
    const char *meaning;
};
extern const struct reference_info references[REFERENCE_COUNT];
int reference_find(const char *name);

/* A reference map of an input of rows x cols elements. The output has the same shape if the map
 * keeps the shape, otherwise cols x rows elements. Both arrays are row-major. */
struct problem {
    uint64_t rows, cols;
    enum reference reference;
    uint32_t tile;
    uint64_t seed;
};

/* Check that a problem has 1 to MATRIX_MAX_ELEMENTS elements, and whole tiles if the reference has
 * tiles. Returns false for a harness failure. */
bool problem_check(const struct problem *problem, struct failure *failure);

void problem_output_shape(const struct problem *problem, uint64_t *out_rows, uint64_t *out_cols);

/* Returns the row-major index of the input element for output (row, col). */
uint64_t problem_source(const struct problem *problem, uint64_t out_row, uint64_t out_col);
/* The inverse of problem_source: computes the output (row, col) for the input index `source`. */
void problem_target(const struct problem *problem, uint64_t source, uint64_t *out_row,
                    uint64_t *out_col);

/* A part of an output row with the elements of input indices first, first+stride, ... */
struct problem_run {
    uint64_t first, length;
    int64_t stride;
};
/* Returns the longest run from output (row, col): the rest of the row, or of the tile. */
struct problem_run problem_source_run(const struct problem *problem, uint64_t out_row,
                                      uint64_t out_col);

#endif
