/* matrix.h: the matrices of a lab: seeded unique input, poison, guard bands and reference index
 * maps.
 *
 * The input element with row-major index i is matrix_value(seed, i): i enciphered with the seed as
 * the key, so that all elements differ, and matrix_index() tells where a value came from. No value
 * is a NaN or infinite; denormals occur, and element 0 is -0.0. Results depend on the arguments
 * only: ranges may be filled and compared by any number of threads.
 *
 * Why a cipher. A kernel that knew the map could write each element of the output from its place
 * alone, with no tile, no conflicts and not even loads. So the map is one whose key is not found
 * from the elements that a launch can read: Speck32/64 with all of its 22 rounds (speck.h), of
 * which attacks with 2^31 chosen pairs, all that there are here, reach 14 in some 2^63 trials
 * (Dinur, SAC 2014), and later ones 15. The key is the whole seed, which in a graded run is 64 bits
 * drawn from the class's secret; a launch executes 10^11 instructions at most. What remains to be
 * known is what the published seed gives (the values at home), and that values do not repeat.
 */
#ifndef MATRIX_H
#define MATRIX_H

#include "base/failure.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The most elements a matrix may have. A kernel's `int` index reaches no further either. */
#define MATRIX_MAX_ELEMENTS (1ull << 31)

/* Bits that fill the output before a launch, and the guard bands: NaNs with two recognisable
 * payloads, never input values. MATRIX_SPELLED(MATRIX_POISON) is the number as a text. */
#define MATRIX_POISON 0x7fb0a5ed
#define MATRIX_GUARD 0x7fb9a4d0
#define MATRIX_SPELLED(bits) MATRIX_SPELLED_(bits)
#define MATRIX_SPELLED_(bits) #bits

/* Bits of the float with row-major index `index` under `seed`. index < MATRIX_MAX_ELEMENTS. */
uint32_t matrix_value(uint64_t seed, uint32_t index);
/* The inverse: true and *index when `bits` is the value of some index < count. */
bool matrix_index(uint64_t seed, uint32_t bits, uint64_t count, uint32_t *index);

/* The float that has these bits. */
float matrix_float(uint32_t bits);

/* Fill out[0..count) with the values of indices first, first+1, ... Vectorised: 1 to 2 ns each. */
void matrix_fill(uint64_t seed, uint64_t first, uint32_t *out, size_t count);
/* The same for indices first, first+stride, first+2*stride, ... (stride may be negative; every
 * index must be that of an element). A row of a transpose is such a sequence. */
void matrix_fill_strided(uint64_t seed, uint64_t first, int64_t stride, uint32_t *out,
                         size_t count);
/* Whether data[0..count) are exactly those values, bit for bit. As fast as a fill. */
bool matrix_equal(uint64_t seed, uint64_t first, int64_t stride, const uint32_t *data,
                  size_t count);

/* Reference index maps by name (a lab's manifest chooses one). X(ID, name, has_tiles, keeps_shape,
 * meaning): is the map about tiles, has the output the input's shape, and what it is called after
 * "this is". matrix.c has the maps. */
#define REFERENCE_LIST(X)                                                                          \
    X(COPY, copy, false, true, "a copy")                                                           \
    X(TRANSPOSE, transpose, false, false, "the transpose")                                         \
    X(TILE_TRANSPOSE, tile_transpose, true, true, "each tile transposed in its place")             \
    X(TILE_MOVE, tile_move, true, false, "tiles moved and not transposed inside")                  \
    X(ROTATE90, rotate90, false, false, "the matrix turned by 90 degrees clockwise")               \
    X(ANTITRANSPOSE, antitranspose, false, false, "the transpose about the other diagonal")

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
/* The reference of that name, or -1. */
int reference_find(const char *name);

/* A problem: input is rows x cols, row-major; output is out_rows x out_cols. Tile maps need rows
 * and cols divisible by tile; tile_move's output is cols x rows, tile_transpose's rows x cols. */
struct problem {
    uint64_t rows, cols;
    enum reference reference;
    uint32_t tile;
    uint64_t seed;
};

/* Whether the problem can be posed: not empty, not beyond MATRIX_MAX_ELEMENTS, whole tiles where
 * the reference has tiles. Otherwise a harness failure that says what is wrong with the size. */
bool problem_check(const struct problem *problem, struct failure *failure);

void problem_output_shape(const struct problem *problem, uint64_t *out_rows, uint64_t *out_cols);

/* Row-major input index that belongs at output (row, col). */
uint64_t problem_source(const struct problem *problem, uint64_t out_row, uint64_t out_col);
/* The inverse: the output (row, col) at which input index `source` belongs. */
void problem_target(const struct problem *problem, uint64_t source, uint64_t *out_row,
                    uint64_t *out_col);

/* A piece of an output row whose source indices are first, first+stride, ... */
struct problem_run {
    uint64_t first, length;
    int64_t stride;
};
/* The longest such piece that starts at output (row, col): the rest of the row, or of the tile. */
struct problem_run problem_source_run(const struct problem *problem, uint64_t out_row,
                                      uint64_t out_col);

#endif
