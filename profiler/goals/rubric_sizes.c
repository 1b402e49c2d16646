/* rubric_sizes.c: see rubric_sizes.h. */
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
    TILES_MAX = 5,  /* of square and oblong sizes, so that races can be looked for */
    RAGGED_MAX = 5, /* in tiles */
    PRIMES_MAX = 97,
    LINE_PRIMES_MAX = 9973,
    MULTIPLES_MAX = 4,
    EVEN_MAX = 94,
    THIN_MAX = 20,            /* in tiles */
    LARGE_MIN = 1025,         /* of either side */
    LARGE_AREA_MAX = 1250000, /* elements: an interpreter needs 40 ms for a million */
    LONG_MIN = 8201,          /* beyond every power of two that a kernel may take for the largest */
    LONG_MAX = 10007,
    SHORT_MAX = 16
};

/* A number that no tile divides. */
static uint64_t draw_ragged(struct draw *draw, uint64_t low, uint64_t high, uint64_t tile)
{
    uint64_t number = draw_number(draw, low, high);
    return number % tile || tile == 1 ? number : number + draw_number(draw, 1, tile - 1);
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

/* Either side counts units, is odd or even, and no multiple of `tile` (1: may be one); their
 * product is about the area at most. One in three is square: kernels that are wrong on large
 * squares alone have no smaller size to fail at. */
static void draw_large(struct draw *draw, uint64_t unit, uint64_t tile, struct rubric_size *size)
{
    const uint64_t area = LARGE_AREA_MAX / unit / unit, low = (LARGE_MIN + unit - 1) / unit;
    const bool square = draw_number(draw, 0, 2) == 0, swap = draw_number(draw, 0, 1);
    uint64_t a = draw_number(draw, low, square ? (uint64_t)sqrt((double)area) : area / low);
    uint64_t b = square ? a : draw_number(draw, low, area / a > low ? area / a : low);
    a += a % tile == 0 && tile > 1;
    b += b % tile == 0 && tile > 1;
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
    uint64_t tile = exercise->tile, unit = whole ? tile : 1, length = unit, width = unit, a, b;
    switch (size->kind) {
    case RUBRIC_SQUARE:
        size->rows = size->cols = draw_number(draw, 2, TILES_MAX) * tile;
        return;
    case RUBRIC_OBLONG:
        a = draw_number(draw, 2, TILES_MAX);
        b = draw_number(draw, 2, TILES_MAX - 1);
        size->rows = a * tile;
        size->cols = (b >= a ? b + 1 : b) * tile; /* not equal */
        return;
    case RUBRIC_RAGGED:
        size->rows = draw_ragged(draw, 2, RAGGED_MAX * tile, tile);
        size->cols = draw_ragged(draw, 2, RAGGED_MAX * tile, tile);
        if (size->rows == size->cols)
            size->cols += size->cols % tile == tile - 1 ? 2 : 1;
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
    case RUBRIC_LARGE:
        draw_large(draw, unit, whole ? 1 : tile, size);
        return;
    case RUBRIC_THIN:
        length = whole ? draw_number(draw, 2, TILES_MAX) * tile
                       : draw_ragged(draw, 2, THIN_MAX * tile, tile);
        break;
    case RUBRIC_LONG:
        length = whole ? draw_number(draw, LONG_MIN / tile + 1, LONG_MAX / tile) * tile
                       : draw_ragged(draw, LONG_MIN, LONG_MAX, tile);
        width = whole ? tile : draw_number(draw, 2, SHORT_MAX);
        break;
    default:
        break;
    }
    /* Thin sizes lie and stand in turn; how a long one does is drawn. */
    bool stands = size->kind == RUBRIC_LONG ? draw_number(draw, 0, 1) : *turns % 2;
    size->rows = stands ? length : width;
    size->cols = stands ? width : length;
    *turns += size->kind == RUBRIC_THIN;
}
