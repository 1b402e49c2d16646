/* rubric_sizes.c: see rubric_sizes.h. */
#include "goals/rubric_sizes.h"

static const struct {
    const char *name, *phrase;
} kinds[] = {
#define X(id, json, phrase) {json, phrase},
    RUBRIC_SIZE_KIND_LIST(X)
#undef X
};

const char *rubric_size_kind_name(enum rubric_size_kind kind)
{
    return kinds[kind].name;
}

const char *rubric_size_kind_phrase(enum rubric_size_kind kind)
{
    return kinds[kind].phrase;
}

enum rubric_size_kind rubric_size_kind_of(const struct exercise *exercise, uint64_t rows,
                                          uint64_t cols)
{
    uint64_t tile = exercise->tile, unit = exercise->whole_tiles ? tile : 1;
    if (rows == unit && cols == unit)
        return RUBRIC_ONE;
    if (rows == unit || cols == unit)
        return RUBRIC_THIN;
    if (rows % tile || cols % tile)
        return RUBRIC_RAGGED;
    return rows == cols ? RUBRIC_SQUARE : RUBRIC_OBLONG;
}

/* A number that no tile of 32 or 16 divides, and no power of two at all. */
static uint64_t draw_ragged(struct draw *draw, uint64_t low, uint64_t high)
{
    return draw_number(draw, low / 2, (high - 1) / 2) * 2 + 1;
}

void rubric_size_draw(struct draw *draw, const struct exercise *exercise, unsigned *thin,
                      struct rubric_size *size)
{
    uint64_t tile = exercise->tile, a = draw_number(draw, 2, 5), b = draw_number(draw, 2, 4);
    uint64_t unit = exercise->whole_tiles ? tile : 1, length;
    switch (size->kind) {
    case RUBRIC_SQUARE:
        size->rows = size->cols = a * tile;
        break;
    case RUBRIC_OBLONG:
        size->rows = a * tile;
        size->cols = (b >= a ? b + 1 : b) * tile; /* not equal */
        break;
    case RUBRIC_RAGGED:
        size->rows = draw_ragged(draw, tile, 5 * tile);
        size->cols = draw_ragged(draw, tile, 5 * tile);
        if (size->rows == size->cols)
            size->cols += 2;
        break;
    case RUBRIC_THIN:
        length = exercise->whole_tiles ? a * tile : draw_ragged(draw, tile, 10 * tile);
        size->rows = *thin % 2 ? length : unit;
        size->cols = *thin % 2 ? unit : length;
        ++*thin;
        break;
    default:
        size->rows = size->cols = unit;
    }
}
