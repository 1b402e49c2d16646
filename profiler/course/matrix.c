/* matrix.c: values by index, indices by value, and which input element belongs where.
 *
 * Theory of operation. An index has 31 bits, a float 32, and 2^24 of the floats are NaNs or
 * infinite: there is one bit to spare, and it is spent on staying finite. The index is scrambled by
 * a keyed permutation of 31 bits (exclusive-or with a key, multiplication by an odd number modulo
 * 2^31, folding of the upper half onto the lower: each step has an inverse). Its bits become the
 * sign, the upper seven bits of the exponent and the mantissa; the lowest bit of the exponent is
 * the spare one. It is a function of the others, 0 where the upper seven are all ones, so that the
 * exponent never is. The key's last part is chosen so that index 0 becomes -0.0: a kernel that
 * computes with what it should only move (x + 0) differs there. There is no branch and no table, so
 * that compilers vectorise a fill, and checking a value costs the same as making it.
 *
 * Every reference map walks the input in equal steps along a piece of an output row (the whole row,
 * or the part within a tile). problem_source_run is the one definition of the maps; the rest
 * follows from it or from the map's inverse.
 */
#include "course/matrix.h"

#include "base/vectorised.h"

#include <inttypes.h>
#include <string.h>

enum {
    INDEX_MASK = 0x7fffffff,
    MANTISSA_BITS = 23,
    MANTISSA_MASK = 0x7fffff,
    EXPONENT_UPPER = 0x3f800000, /* the upper seven bits of the exponent, before spreading */
    FILL_CHUNK = 32,             /* a trip count known to the compiler: vectorised at -O2 too */
};

/* Odd multipliers with well mixed bits, and their inverses modulo 2^32 (and so modulo 2^31) by
 * Newton's iteration, each step of which doubles the number of right bits, starting from three. */
#define MULTIPLIER_0 0x6c8e9cf5u
#define MULTIPLIER_1 0x5851f42du
#define INVERSE_STEP(odd, x) ((x) * (2u - (odd) * (x)))
#define INVERSE_12(odd) INVERSE_STEP(odd, INVERSE_STEP(odd, odd))
#define INVERSE_48(odd) INVERSE_STEP(odd, INVERSE_STEP(odd, INVERSE_12(odd)))

struct key {
    uint32_t before, between, after;
};

/* What bits_spread makes -0.0 of. */
#define NEGATIVE_ZERO 0x40000000u

/* SplitMix64's output function (Steele, Lea, Flood 2014): neighbouring seeds give unrelated keys.
 */
static uint64_t seed_mix(uint64_t z)
{
    z += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

static inline uint32_t index_scramble(struct key key, uint32_t x)
{
    x = (x ^ key.before) & INDEX_MASK;
    x ^= x >> 15;
    x = (x * MULTIPLIER_0) & INDEX_MASK;
    x ^= x >> 14;
    x ^= key.between;
    x = (x * MULTIPLIER_1) & INDEX_MASK;
    x ^= x >> 15;
    return x ^ key.after;
}

static struct key key_derive(uint64_t seed)
{
    uint64_t mixed = seed_mix(seed);
    struct key key = {mixed & INDEX_MASK, (mixed >> 32) & INDEX_MASK, 0};
    key.after = index_scramble(key, 0) ^ NEGATIVE_ZERO;
    return key;
}

/* The inverse of y = x ^ x >> shift for 31 bits and 11 <= shift <= 15: the series' next term would
 * begin below the lowest bit. */
static uint32_t fold_undo(uint32_t y, unsigned shift)
{
    return y ^ y >> shift ^ y >> 2 * shift;
}

static uint32_t index_unscramble(struct key key, uint32_t x)
{
    x ^= key.after;
    x = fold_undo(x, 15);
    x = (x * INVERSE_48(MULTIPLIER_1)) & INDEX_MASK;
    x ^= key.between;
    x = fold_undo(x, 14);
    x = (x * INVERSE_48(MULTIPLIER_0)) & INDEX_MASK;
    x = fold_undo(x, 15);
    return x ^ key.before;
}

/* 31 bits spread over the 32 of a finite float. */
static inline uint32_t bits_spread(uint32_t x)
{
    uint32_t spare = (x ^ x >> 9) & 1;
    spare &= (x & EXPONENT_UPPER) != EXPONENT_UPPER;
    return (x & MANTISSA_MASK) | spare << MANTISSA_BITS | (x & ~(uint32_t)MANTISSA_MASK) << 1;
}

static uint32_t bits_gather(uint32_t bits)
{
    return (bits & MANTISSA_MASK) | (bits >> 1 & ~(uint32_t)MANTISSA_MASK);
}

uint32_t matrix_value(uint64_t seed, uint32_t index)
{
    return bits_spread(index_scramble(key_derive(seed), index));
}

bool matrix_index(uint64_t seed, uint32_t bits, uint64_t count, uint32_t *index)
{
    uint32_t scrambled = bits_gather(bits);
    if (bits_spread(scrambled) != bits)
        return false;
    uint32_t found = index_unscramble(key_derive(seed), scrambled);
    if (found >= count)
        return false;
    *index = found;
    return true;
}

float matrix_float(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

VECTORISED
static void range_fill(struct key key, uint32_t index, uint32_t step, uint32_t *out, size_t count)
{
    size_t i = 0;
    for (; i + FILL_CHUNK <= count; i += FILL_CHUNK, index += FILL_CHUNK * step)
        for (uint32_t k = 0; k < FILL_CHUNK; k++)
            out[i + k] = bits_spread(index_scramble(key, index + k * step));
    for (; i < count; i++, index += step)
        out[i] = bits_spread(index_scramble(key, index));
}

VECTORISED
static bool range_equal(struct key key, uint32_t index, uint32_t step, const uint32_t *data,
                        size_t count)
{
    uint32_t differ = 0;
    size_t i = 0;
    for (; i + FILL_CHUNK <= count && !differ; i += FILL_CHUNK, index += FILL_CHUNK * step)
        for (uint32_t k = 0; k < FILL_CHUNK; k++)
            differ |= data[i + k] ^ bits_spread(index_scramble(key, index + k * step));
    for (; i < count && !differ; i++, index += step)
        differ |= data[i] ^ bits_spread(index_scramble(key, index));
    return !differ;
}

/* Indices and strides wrap modulo 2^32 from here on, so that negative strides need no care. */
void matrix_fill_strided(uint64_t seed, uint64_t first, int64_t stride, uint32_t *out, size_t count)
{
    range_fill(key_derive(seed), (uint32_t)first, (uint32_t)stride, out, count);
}

void matrix_fill(uint64_t seed, uint64_t first, uint32_t *out, size_t count)
{
    matrix_fill_strided(seed, first, 1, out, count);
}

bool matrix_equal(uint64_t seed, uint64_t first, int64_t stride, const uint32_t *data, size_t count)
{
    return range_equal(key_derive(seed), (uint32_t)first, (uint32_t)stride, data, count);
}

const struct reference_info references[REFERENCE_COUNT] = {
#define X(id, name, has_tiles, keeps_shape, meaning) {#name, has_tiles, keeps_shape, meaning},
    REFERENCE_LIST(X)
#undef X
};

int reference_find(const char *name)
{
    for (int i = 0; i < REFERENCE_COUNT; i++)
        if (!strcmp(name, references[i].name))
            return i;
    return -1;
}

bool problem_check(const struct problem *problem, struct failure *failure)
{
    uint64_t rows = problem->rows, cols = problem->cols;
    const struct reference_info *reference = &references[problem->reference];
    if (!rows || !cols)
        return failure_harness(failure, "a matrix needs at least one row and one column");
    if (rows > MATRIX_MAX_ELEMENTS / cols)
        return failure_harness(failure,
                               "a matrix of %" PRIu64 " x %" PRIu64
                               " elements is too large: the limit is 2^31 elements",
                               rows, cols);
    if (!reference->has_tiles)
        return true;
    if (!problem->tile)
        return failure_harness(failure, "%s needs the size of a tile", reference->name);
    if (rows % problem->tile || cols % problem->tile)
        return failure_harness(failure,
                               "%" PRIu64 " x %" PRIu64 " elements are no whole tiles: %s takes "
                               "multiples of %" PRIu32 " only",
                               rows, cols, reference->name, problem->tile);
    return true;
}

void problem_output_shape(const struct problem *problem, uint64_t *out_rows, uint64_t *out_cols)
{
    bool keeps = references[problem->reference].keeps_shape;
    *out_rows = keeps ? problem->rows : problem->cols;
    *out_cols = keeps ? problem->cols : problem->rows;
}

struct problem_run problem_source_run(const struct problem *problem, uint64_t out_row,
                                      uint64_t out_col)
{
    uint64_t rows = problem->rows, cols = problem->cols, tile = problem->tile;
    int64_t pitch = (int64_t)cols;
    uint64_t r, c; /* the source of the first element */

    switch (problem->reference) {
    case REFERENCE_COPY: /* output[r][c] = input[r][c] */
        return (struct problem_run){out_row * cols + out_col, cols - out_col, 1};
    case REFERENCE_TILE_TRANSPOSE:
        r = out_row / tile * tile + out_col % tile;
        c = out_col / tile * tile + out_row % tile;
        return (struct problem_run){r * cols + c, tile - out_col % tile, pitch};
    case REFERENCE_TILE_MOVE:
        r = out_col / tile * tile + out_row % tile;
        c = out_row / tile * tile + out_col % tile;
        return (struct problem_run){r * cols + c, tile - out_col % tile, 1};
    case REFERENCE_ROTATE90:
        r = rows - 1 - out_col;
        return (struct problem_run){r * cols + out_row, rows - out_col, -pitch};
    case REFERENCE_ANTITRANSPOSE:
        r = rows - 1 - out_col;
        c = cols - 1 - out_row;
        return (struct problem_run){r * cols + c, rows - out_col, -pitch};
    default: /* REFERENCE_TRANSPOSE */
        return (struct problem_run){out_col * cols + out_row, rows - out_col, pitch};
    }
}

uint64_t problem_source(const struct problem *problem, uint64_t out_row, uint64_t out_col)
{
    return problem_source_run(problem, out_row, out_col).first;
}

void problem_target(const struct problem *problem, uint64_t source, uint64_t *out_row,
                    uint64_t *out_col)
{
    uint64_t tile = problem->tile, r = source / problem->cols, c = source % problem->cols;

    switch (problem->reference) {
    case REFERENCE_COPY:
        *out_row = r, *out_col = c;
        break;
    case REFERENCE_TILE_TRANSPOSE:
        *out_row = r / tile * tile + c % tile;
        *out_col = c / tile * tile + r % tile;
        break;
    case REFERENCE_TILE_MOVE:
        *out_row = c / tile * tile + r % tile;
        *out_col = r / tile * tile + c % tile;
        break;
    case REFERENCE_ROTATE90:
        *out_row = c, *out_col = problem->rows - 1 - r;
        break;
    case REFERENCE_ANTITRANSPOSE:
        *out_row = problem->cols - 1 - c, *out_col = problem->rows - 1 - r;
        break;
    default: /* REFERENCE_TRANSPOSE */
        *out_row = c, *out_col = r;
        break;
    }
}
