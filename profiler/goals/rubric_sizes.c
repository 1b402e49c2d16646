#include "goals/rubric_sizes.h"

#include <math.h>

const char *rubric_size_kind_name(enum rubric_size_kind kind)
{
    static const char *const names[] = {
#define X(id, json) json,
        RUBRIC_SIZE_KIND_LIST(X)
#undef X
    };
    return names[kind];
}

enum rubric_size_kind rubric_size_kind_of(const struct exercise *exercise, uint64_t rows,
                                          uint64_t cols)
{
    uint64_t tile = exercise->tile, unit = exercise->whole_tiles ? tile : 1;
    if (rows == unit && cols == unit)
        return RUBRIC_ONE;
    if ((rows == unit || cols == unit) && !exercise->one_row)
        return RUBRIC_THIN;
    if ((rows % tile && !exercise->one_row) || cols % tile)
        return RUBRIC_RAGGED;
    return rows == cols ? RUBRIC_SQUARE : RUBRIC_OBLONG;
}

enum {
    TILES_MAX = 5,            /* Maximum side of primes and even sizes, in tiles. */
    RAGGED_MAX = 256,         /* This and the next limits (not MULTIPLES_MAX) are in elements. */
    NARROW_MAX = 8200,        /* Maximum longer side. The area is at most RAGGED_MAX squared. */
    MIDDLE_MAX = 1024,        /* Maximum shorter side. The minimum is above RAGGED_MAX. */
    MIDDLE_AREA_MAX = 300000, /* The shorter side may require a larger area. */
    OBLONG_MAX = 4096,
    OBLONG_AREA_MAX = 120000,
    PRIMES_MAX = 97,
    LINE_PRIMES_MAX = 9973,
    MULTIPLES_MAX = 7,
    EVEN_MAX = 94,
    THIN_MAX = 20000,
    LARGE_MIN = 1025,         /* Minimum of both sides. */
    LARGE_AREA_MAX = 1250000, /* The emulator takes about 16 ms per million elements. */
    LONG_MIN = 8201,          /* Above 8192, which kernels may use as a limit. */
    LONG_MAX = 16384,
    SHORT_MAX = 32,
    ODD_MAX = 545,
    FAR_MIN = 32769, /* Above the maximum of a short, 32767. */
    FAR_MAX = 65535, /* Maximum number of blocks in y. A kernel may use one block per row. */
};

/* Draw a number in [low, high]. All octaves have equal probability, so that no range is rare. */
static uint64_t draw_octave(struct draw *draw, uint64_t low, uint64_t high)
{
    uint64_t octaves = 1;
    high = high > low ? high : low;
    while (low << octaves <= high)
        octaves++;
    low <<= draw_number(draw, 0, octaves - 1);
    return draw_number(draw, low, 2 * low - 1 < high ? 2 * low - 1 : high);
}

static uint64_t make_ragged(uint64_t number, uint64_t tile)
{
    return number + (number % tile == 0 && tile > 1);
}

static bool is_prime(uint64_t number)
{
    for (uint64_t divisor = 2; divisor * divisor <= number; divisor++)
        if (number % divisor == 0)
            return false;
    return number > 1;
}

static uint64_t draw_prime(struct draw *draw, uint64_t most)
{
    uint64_t number = draw_number(draw, 3, most);
    while (!is_prime(number))
        number--;
    return number;
}

/* Returns the first number, from `number` on, whose parity differs from the parity of `other`. If
 * `tile` is larger than 1, the returned number is not a multiple of `tile`. */
static uint64_t make_opposite(uint64_t number, uint64_t other, uint64_t tile)
{
    number += number % 2 == other % 2;
    return number + (number % tile == 0 && tile > 1 ? 2 : 0);
}

/* Each side is `unit` times a number. One of the two numbers is odd, and one is even. Neither is a
 * multiple of `tile`, unless `tile` is 1. About one size in three is nearly square. */
static void draw_large(struct draw *draw, uint64_t unit, uint64_t tile, struct rubric_size *size)
{
    const uint64_t area = LARGE_AREA_MAX / unit / unit, low = (LARGE_MIN + unit - 1) / unit;
    const bool square = draw_number(draw, 0, 2) == 0, swap = draw_number(draw, 0, 1);
    uint64_t a = draw_number(draw, low, square ? (uint64_t)sqrt((double)area) : area / low);
    uint64_t b = square ? a : draw_number(draw, low, area / a > low ? area / a : low);
    a = make_ragged(a, tile);
    b = make_opposite(b, a, tile);
    size->rows = unit * (swap ? b : a);
    size->cols = unit * (swap ? a : b);
}

static void draw_oblong(struct draw *draw, uint64_t tile, struct rubric_size *size)
{
    const uint64_t area = OBLONG_AREA_MAX / tile / tile, most = OBLONG_MAX / tile;
    const bool swap = draw_number(draw, 0, 1);
    const uint64_t a = draw_octave(draw, 2, most);
    uint64_t b = draw_octave(draw, 2, area / a > 3 ? area / a : 3);
    b += a == b;
    size->rows = tile * (swap ? b : a);
    size->cols = tile * (swap ? a : b);
}

/* Draw a size with partial tiles in one direction, or a narrow size with only partial tiles. */
static void draw_ragged(struct draw *draw, uint64_t tile, struct rubric_size *size)
{
    const bool narrow = draw_number(draw, 0, 1), swap = draw_number(draw, 0, 1);
    const uint64_t whole = tile * draw_number(draw, 1, RAGGED_MAX / tile),
                   a = narrow ? make_ragged(draw_octave(draw, RAGGED_MAX, NARROW_MAX), tile)
                              : whole,
                   most = narrow ? RAGGED_MAX * RAGGED_MAX / a : RAGGED_MAX,
                   b = make_ragged(draw_number(draw, 2, most), tile);
    size->rows = swap ? b : a;
    size->cols = swap ? a : b;
}

static void draw_middle(struct draw *draw, uint64_t unit, uint64_t tile, struct rubric_size *size)
{
    const bool swap = draw_number(draw, 0, 1);
    const uint64_t low = draw_octave(draw, RAGGED_MAX / unit + 1, MIDDLE_MAX / unit);
    const uint64_t least = low + low / 8, area = MIDDLE_AREA_MAX / unit / unit;
    const uint64_t a = make_ragged(low, tile);
    const uint64_t b =
        make_opposite(draw_octave(draw, low, area / low > least ? area / low : least), a, tile);
    size->rows = unit * (swap ? b : a);
    size->cols = unit * (swap ? a : b);
}

void rubric_size_draw_whole(struct draw *draw, uint64_t tile, struct rubric_size *size)
{
    draw_large(draw, tile, 1, size);
}

void rubric_size_draw(struct draw *draw, const struct exercise *exercise, unsigned *turns,
                      struct rubric_size *size)
{
    const bool whole = exercise->whole_tiles;
    uint64_t tile = exercise->tile, unit = whole ? tile : 1, length = unit, width = unit, a;
    switch (size->kind) {
    case RUBRIC_SQUARE:
        size->rows = size->cols =
            draw_octave(draw, RAGGED_MAX / tile + 1, (MIDDLE_MAX - 1) / tile) * tile;
        return;
    case RUBRIC_OBLONG:
        draw_oblong(draw, tile, size);
        return;
    case RUBRIC_RAGGED:
        draw_ragged(draw, tile, size);
        return;
    case RUBRIC_PRIMES:
        size->rows =
            exercise->one_row ? 1 : unit * draw_prime(draw, whole ? TILES_MAX : PRIMES_MAX);
        size->cols = exercise->one_row ? draw_prime(draw, LINE_PRIMES_MAX)
                                       : unit * draw_prime(draw, whole ? TILES_MAX : PRIMES_MAX);
        return;
    case RUBRIC_SEVENS:
        a = whole ? 7 : draw_number(draw, 0, 1) ? 21 : 35;
        size->rows = unit * a * draw_number(draw, 1, whole ? 1 : MULTIPLES_MAX);
        size->cols = unit * a * draw_number(draw, 1, whole ? 2 : MULTIPLES_MAX);
        return;
    case RUBRIC_EVEN:
        a = 2 * draw_number(draw, whole ? 1 : 2, (whole ? TILES_MAX : EVEN_MAX) / 2);
        size->rows = size->cols = unit * (whole || a % tile ? a : a + 2);
        return;
    case RUBRIC_MIDDLE:
        draw_middle(draw, unit, whole ? 1 : tile, size);
        return;
    case RUBRIC_LARGE:
        draw_large(draw, unit, whole ? 1 : tile, size);
        return;
    case RUBRIC_ODD:
        a = draw_number(draw, RAGGED_MAX / unit / 2, (ODD_MAX / unit - 1) / 2);
        size->rows = size->cols = unit * (2 * a + 1);
        return;
    case RUBRIC_HUGE:
        size->rows = size->cols = RUBRIC_HUGE_SIDE;
        return;
    case RUBRIC_FAR:
        length = make_ragged(draw_number(draw, FAR_MIN / unit + whole, FAR_MAX / unit),
                             whole ? 1 : tile) *
                 unit;
        break;
    case RUBRIC_THIN:
        length = make_ragged(draw_octave(draw, 2, THIN_MAX / unit), whole ? 1 : tile) * unit;
        break;
    case RUBRIC_LONG:
        length = make_ragged(draw_octave(draw, LONG_MIN / unit + whole, LONG_MAX / unit),
                             whole ? 1 : tile) *
                 unit;
        width = whole ? tile : draw_octave(draw, 2, SHORT_MAX);
        break;
    default:
        break;
    }
    bool stands = size->kind == RUBRIC_LONG ? draw_number(draw, 0, 1) : *turns % 2;
    size->rows = stands ? length : width;
    size->cols = stands ? width : length;
    *turns += size->kind == RUBRIC_THIN || size->kind == RUBRIC_FAR;
}
