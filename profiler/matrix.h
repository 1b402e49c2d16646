/* matrix.h: the matrices of a lab: seeded unique input, poison, guard bands and reference index
 * maps.
 *
 * The input element with row-major index i is matrix_value(seed, i): a keyed bijection, so that all
 * elements differ, and matrix_index() tells where a value came from. No value is a NaN or infinite.
 */
#ifndef MATRIX_H
#define MATRIX_H

#include "failure.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The most elements a matrix may have: indices below 2^31 - 2^23 stay clear of NaN patterns. */
#define MATRIX_MAX_ELEMENTS ((1ull << 31) - (1ull << 23))

/* Bits that fill the output before a launch, and the guard bands: NaNs with two recognisable
 * payloads, never input values. */
enum { MATRIX_POISON = 0x7fb0a5ed, MATRIX_GUARD = 0x7fb9a4d0 };

/* Bits of the float with row-major index `index` under `seed`. index < MATRIX_MAX_ELEMENTS. */
uint32_t matrix_value(uint64_t seed, uint32_t index);
/* The inverse: true and *index when `bits` is the value of some index < count. */
bool matrix_index(uint64_t seed, uint32_t bits, uint64_t count, uint32_t *index);

/* Fill out[0..count) with the values of indices first, first+1, ... Vectorised: under 1 ns each. */
void matrix_fill(uint64_t seed, uint64_t first, uint32_t *out, size_t count);

/* Reference index maps by name (a lab's manifest chooses one). */
#define REFERENCE_LIST(X)                                                                          \
    X(COPY, copy, "output equals input")                                                           \
    X(TRANSPOSE, transpose, "output[c][r] = input[r][c]")                                          \
    X(TILE_TRANSPOSE, tile_transpose, "each tile transposed in its place")                         \
    X(TILE_MOVE, tile_move, "tiles moved to their transposed place, not transposed inside")        \
    X(ROTATE90, rotate90, "clockwise: output[c][rows-1-r] = input[r][c]")                          \
    X(ANTITRANSPOSE, antitranspose, "output[cols-1-c][rows-1-r] = input[r][c]")

enum reference {
#define X(id, name, meaning) REFERENCE_##id,
    REFERENCE_LIST(X)
#undef X
        REFERENCE_COUNT
};

/* The reference of that name, or -1; and the name. */
int reference_find(const char *name);
const char *reference_name(enum reference reference);

/* A problem: input is rows x cols, row-major; output is out_rows x out_cols. Tile maps need rows
 * and cols divisible by tile; tile_move's output is cols x rows, tile_transpose's rows x cols. */
struct problem {
    uint64_t rows, cols;
    enum reference reference;
    uint32_t tile;
    uint64_t seed;
};
void problem_output_shape(const struct problem *problem, uint64_t *out_rows, uint64_t *out_cols);

/* Row-major input index that belongs at output (row, col). */
uint64_t problem_source(const struct problem *problem, uint64_t out_row, uint64_t out_col);

#endif
