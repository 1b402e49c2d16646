/* matrix.c: theory of operation. The bits of an element are its encrypted index (matrix.h). The 31
 * bits of an index are spread to a pattern of 32 bits. The lowest bit of the exponent is 0, so that
 * the float is finite. A ciphertext that is not finite (one in 256) is encrypted again
 * until it is finite ("cycle walking"; Black and Rogaway 2002). The result is a permutation of the
 * finite patterns. Finally, an XOR changes element 0 to -0.0, which reveals a kernel that
 * computes x + 0.
 *
 * A fill encrypts a chunk of indices at a time, in loops that compilers vectorize with 16-bit
 * elements. Every reference map reads the input with a constant stride along an output row, or
 * along the part of the row in a tile. */
#include "course/matrix.h"

#include "base/bits.h"
#include "base/vectorised.h"
#include "course/speck.h"

#include <inttypes.h>
#include <string.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif

enum {
    MANTISSA_BITS = 23,
    MANTISSA_MASK = 0x7fffff,
    EXPONENT_MASK = 0x7f800000,
    NEGATIVE_ZERO = INT32_MIN,
    CHUNK = 32, /* values that are encrypted together; each half fills two AVX2 vectors */
    FEW = 3,    /* fewer remaining values are encrypted one by one, which is faster */
};

typedef uint16_t halves __attribute__((vector_size(2 * CHUNK)));

/* The XOR with `whitening` changes the value of index 0 to -0.0. */
struct key {
    uint64_t seed;
    struct speck_key speck;
    uint32_t whitening;
    bool made;
};

static inline uint32_t bits_encrypt(const struct key *key, uint32_t bits)
{
    return speck_encrypt(&key->speck, bits) ^ key->whitening;
}

/* Each thread caches the key of its last seed, because the expansion of a key is slow. */
static const struct key *key_find(uint64_t seed)
{
    static _Thread_local struct key key;
    if (!key.made || key.seed != seed) {
        key = (struct key){.seed = seed, .speck = speck_expand(seed), .made = true};
        key.whitening = bits_encrypt(&key, 0) ^ (uint32_t)NEGATIVE_ZERO;
    }
    return &key;
}

static inline bool bits_are_finite(uint32_t bits)
{
    return (bits & EXPONENT_MASK) != EXPONENT_MASK;
}

/* Spread the bits of an index to a finite float: mantissa bits, a 0 above them, and the rest. */
static inline uint32_t index_spread(uint32_t index)
{
    return (index & MANTISSA_MASK) | (index & ~(uint32_t)MANTISSA_MASK) << 1;
}

static uint32_t bits_walk(const struct key *key, uint32_t bits)
{
    while (!bits_are_finite(bits))
        bits = bits_encrypt(key, bits);
    return bits;
}

static uint32_t value_make(const struct key *key, uint32_t index)
{
    return bits_walk(key, bits_encrypt(key, index_spread(index)));
}

uint32_t matrix_value(uint64_t seed, uint32_t index)
{
    return value_make(key_find(seed), index);
}

bool matrix_index(uint64_t seed, uint32_t bits, uint64_t count, uint32_t *index)
{
    const struct key *key = key_find(seed);
    if (!bits_are_finite(bits))
        return false;
    do
        bits = speck_decrypt(&key->speck, bits ^ key->whitening);
    while (!bits_are_finite(bits));
    uint32_t found = (bits & MANTISSA_MASK) | (bits >> 1 & ~(uint32_t)MANTISSA_MASK);
    if (index_spread(found) != bits || found >= count)
        return false;
    *index = found;
    return true;
}

float matrix_float(uint32_t bits)
{
    return float_f32(bits);
}

#ifdef __x86_64__
/* Like halves_encrypt, with VBMI2 (an extension of AVX-512), which rotates 16-bit elements. */
__attribute__((target("avx512bw,avx512vbmi2"))) static void
halves_encrypt_wide(const struct speck_key *key, uint16_t *upper, uint16_t *lower)
{
    __m512i left = _mm512_loadu_si512(upper), right = _mm512_loadu_si512(lower);
    _Static_assert(CHUNK * sizeof *upper == sizeof left, "a chunk is one vector per half");
    for (int i = 0; i < SPECK_ROUNDS; i++) {
        left = _mm512_add_epi16(_mm512_shldi_epi16(left, left, 9), right);
        left = _mm512_xor_si512(left, _mm512_set1_epi16((short)key->rounds[i]));
        right = _mm512_xor_si512(_mm512_shldi_epi16(right, right, 2), left);
    }
    _mm512_storeu_si512(upper, left);
    _mm512_storeu_si512(lower, right);
}
#endif

static inline __attribute__((always_inline)) void halves_encrypt(const struct speck_key *key,
                                                                 uint16_t *upper, uint16_t *lower)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("avx512bw")) {
        halves_encrypt_wide(key, upper, lower);
        return;
    }
#endif
    halves left, right;
    memcpy(&left, upper, sizeof left);
    memcpy(&right, lower, sizeof right);
    for (int i = 0; i < SPECK_ROUNDS; i++)
        SPECK_ROUND(left, right, key->rounds[i]);
    memcpy(upper, &left, sizeof left);
    memcpy(lower, &right, sizeof right);
}

/* Encrypt CHUNK indices. Inlining compiles the code for the instruction set of the caller. */
static inline __attribute__((always_inline)) void chunk_make(const struct key *key, uint32_t index,
                                                             uint32_t step, uint32_t *out)
{
    uint16_t upper[CHUNK], lower[CHUNK];
    for (uint32_t k = 0; k < CHUNK; k++) {
        uint32_t bits = index_spread(index + k * step);
        upper[k] = (uint16_t)(bits >> 16);
        lower[k] = (uint16_t)bits;
    }
    halves_encrypt(&key->speck, upper, lower);
    uint32_t infinite = 0;
    for (uint32_t k = 0; k < CHUNK; k++) {
        out[k] = ((uint32_t)upper[k] << 16 | lower[k]) ^ key->whitening;
        infinite |= (out[k] & EXPONENT_MASK) == EXPONENT_MASK ? UINT32_C(1) << k : 0;
    }
    for (; infinite; infinite &= infinite - 1) {
        uint32_t *value = &out[__builtin_ctz(infinite)];
        *value = bits_walk(key, *value);
    }
}

VECTORISED
static void range_fill(const struct key *key, uint32_t index, uint32_t step, uint32_t *out,
                       size_t count)
{
    uint32_t rest[CHUNK];
    size_t i = 0;
    for (; i + CHUNK <= count; i += CHUNK, index += CHUNK * step)
        chunk_make(key, index, step, out + i);
    if (count - i < FEW)
        for (; i < count; i++, index += step)
            out[i] = value_make(key, index);
    else {
        chunk_make(key, index, step, rest);
        memcpy(out + i, rest, (count - i) * sizeof *out);
    }
}

VECTORISED
static bool range_equal(const struct key *key, uint32_t index, uint32_t step, const uint32_t *data,
                        size_t count)
{
    uint32_t differ = 0, expected[CHUNK];
    size_t i = 0;
    for (; i + CHUNK <= count && !differ; i += CHUNK, index += CHUNK * step) {
        chunk_make(key, index, step, expected);
        for (uint32_t k = 0; k < CHUNK; k++)
            differ |= data[i + k] ^ expected[k];
    }
    if (count - i < FEW)
        for (; i < count && !differ; i++, index += step)
            differ |= data[i] ^ value_make(key, index);
    else if (!differ) {
        chunk_make(key, index, step, expected);
        for (uint32_t k = 0; k < count - i; k++)
            differ |= data[i + k] ^ expected[k];
    }
    return !differ;
}

/* Indices and strides are computed modulo 2^32. Therefore, negative strides are correct. */
void matrix_fill_strided(uint64_t seed, uint64_t first, int64_t stride, uint32_t *out, size_t count)
{
    range_fill(key_find(seed), (uint32_t)first, (uint32_t)stride, out, count);
}

void matrix_fill(uint64_t seed, uint64_t first, uint32_t *out, size_t count)
{
    matrix_fill_strided(seed, first, 1, out, count);
}

bool matrix_equal(uint64_t seed, uint64_t first, int64_t stride, const uint32_t *data, size_t count)
{
    return range_equal(key_find(seed), (uint32_t)first, (uint32_t)stride, data, count);
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
                               "%" PRIu64 " x %" PRIu64
                               " elements are not whole tiles: %s requires "
                               "multiples of %" PRIu32,
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
    uint64_t r, c;

    switch (problem->reference) {
    case REFERENCE_COPY:
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
    default:
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
    default:
        *out_row = c, *out_col = r;
        break;
    }
}
