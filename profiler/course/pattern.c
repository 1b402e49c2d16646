/* pattern.c: theory of operation. Most mistakes in a loop, a bound or a launch configuration affect
 * all elements inside or outside of a *product*. A product consists of the elements that are in
 * some rows and in some columns. The first element of the set determines the only candidate, and
 * one pass over the matrix tests it. For other sets, triangles and whole tiles are tried. */
#include "course/pattern.h"

#include "base/wording.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool element_set_make(struct element_set *set, uint64_t rows, uint64_t cols)
{
    *set = (struct element_set){.rows = rows, .cols = cols};
    set->words = calloc((size_t)((rows * cols + 63) / 64), sizeof *set->words);
    return set->words != NULL;
}

void element_set_free(struct element_set *set)
{
    free(set->words);
    set->words = NULL;
}

void element_set_add(struct element_set *set, uint64_t index)
{
    set->words[index / 64] |= 1ull << index % 64;
    set->count++;
}

bool element_set_has(const struct element_set *set, uint64_t index)
{
    return set->words[index / 64] >> index % 64 & 1;
}

static bool set_at(const struct element_set *set, uint64_t row, uint64_t col)
{
    return element_set_has(set, row * set->cols + col);
}

static uint64_t set_first(const struct element_set *set, bool in)
{
    uint64_t index = 0;
    while (element_set_has(set, index) != in)
        index++;
    return index;
}

enum { PERIOD_SEARCH_MAX = 1 << 18 };

/* The set of rows whose elements in column `across` are inside (`in`) or outside a set of elements.
 * If is_rows is false, rows and columns are exchanged. */
struct profile {
    const struct element_set *set;
    bool in, is_rows;
    uint64_t across;
    uint64_t length;
    uint64_t count, first, last; /* number, first and last of these rows (or columns) */
    bool plural;
};

static bool profile_has(const struct profile *profile, uint64_t i)
{
    bool has = profile->is_rows ? set_at(profile->set, i, profile->across)
                                : set_at(profile->set, profile->across, i);
    return has == profile->in;
}

static struct profile profile_measure(const struct element_set *set, bool in, bool is_rows,
                                      uint64_t across)
{
    struct profile profile = {.set = set, .in = in, .is_rows = is_rows, .across = across};
    profile.length = is_rows ? set->rows : set->cols;
    for (uint64_t i = 0; i < profile.length; i++) {
        if (!profile_has(&profile, i))
            continue;
        if (!profile.count)
            profile.first = i;
        profile.last = i;
        profile.count++;
    }
    return profile;
}

static bool profile_is_all(const struct profile *profile)
{
    return profile->count == profile->length;
}

static bool profile_is_interval(const struct profile *profile)
{
    return profile->last - profile->first + 1 == profile->count;
}

/* Returns the smallest period from 2 to 1024, or 0. Very long profiles are not searched. */
static uint64_t profile_period(const struct profile *profile)
{
    if (profile->length > PERIOD_SEARCH_MAX)
        return 0;
    uint64_t limit = profile->length / 2 < 1024 ? profile->length / 2 : 1024;
    for (uint64_t period = 2; period <= limit; period++) {
        uint64_t i = period;
        while (i < profile->length && profile_has(profile, i) == profile_has(profile, i - period))
            i++;
        if (i == profile->length)
            return period;
    }
    return 0;
}

/* Write "every second row (from row 1)", "rows 8..31 of every 32" or "12 of every 32 rows". */
static void period_phrase(struct profile *profile, uint64_t period, const char *noun, char *text)
{
    uint64_t count = 0, last = 0;
    for (uint64_t i = 0; i < period; i++)
        if (profile_has(profile, i)) {
            last = i;
            count++;
        }
    profile->plural = count > 1;
    if (period == 2)
        snprintf(text, PATTERN_TEXT_SIZE, "every second %s (from %s %" PRIu64 ")", noun, noun,
                 profile->first);
    else if (last - profile->first + 1 != count)
        snprintf(text, PATTERN_TEXT_SIZE, "%" PRIu64 " of every %" PRIu64 " %ss", count, period,
                 noun);
    else if (count == 1)
        snprintf(text, PATTERN_TEXT_SIZE, "%s %" PRIu64 " of every %" PRIu64, noun, last, period);
    else
        snprintf(text, PATTERN_TEXT_SIZE, "%ss %" PRIu64 "..%" PRIu64 " of every %" PRIu64, noun,
                 profile->first, last, period);
}

static void profile_phrase(struct profile *profile, char *text)
{
    const char *noun = profile->is_rows ? "row" : "column";
    bool at_end = profile->last + 1 == profile->length;
    const uint64_t period = profile_is_interval(profile) ? 0 : profile_period(profile);
    profile->plural = profile->count > 1;
    if (period)
        period_phrase(profile, period, noun, text);
    else if (!profile_is_interval(profile))
        snprintf(text, PATTERN_TEXT_SIZE,
                 "%" PRIu64 " of the %" PRIu64 " %ss (the first: %" PRIu64 ")", profile->count,
                 profile->length, noun, profile->first);
    else if (profile_is_all(profile))
        snprintf(text, PATTERN_TEXT_SIZE, "all %ss", noun);
    else if (profile->count == 1 && (at_end || !profile->first))
        snprintf(text, PATTERN_TEXT_SIZE, "the %s %s", at_end ? "last" : "first", noun);
    else if (at_end || !profile->first)
        snprintf(text, PATTERN_TEXT_SIZE, "the %s %" PRIu64 " %ss", at_end ? "last" : "first",
                 profile->count, noun);
    else if (profile->count == 1)
        snprintf(text, PATTERN_TEXT_SIZE, "%s %" PRIu64, noun, profile->first);
    else
        snprintf(text, PATTERN_TEXT_SIZE, "%ss %" PRIu64 "..%" PRIu64, noun, profile->first,
                 profile->last);
}

struct product {
    struct profile rows, cols;
};

/* Find the product equal to the set (`in`) or to its complement. Returns false if there is none. */
static bool product_find(const struct element_set *set, bool in, struct product *product)
{
    uint64_t first = set_first(set, in);
    product->rows = profile_measure(set, in, true, first % set->cols);
    product->cols = profile_measure(set, in, false, first / set->cols);
    for (uint64_t row = 0; row < set->rows; row++) {
        bool row_in = profile_has(&product->rows, row);
        for (uint64_t col = 0; col < set->cols; col++)
            if ((set_at(set, row, col) == in) != (row_in && profile_has(&product->cols, col)))
                return false;
    }
    return true;
}

static void box_phrase(const struct product *product, const char *name, char *text)
{
    const struct profile *sides[2] = {&product->rows, &product->cols};
    snprintf(text, PATTERN_TEXT_SIZE, "%.60s", name);
    for (int i = 0; i < 2; i++)
        if (sides[i]->count == 1)
            text_append(text, PATTERN_TEXT_SIZE, "[%" PRIu64 "]", sides[i]->first);
        else
            text_append(text, PATTERN_TEXT_SIZE, "[%" PRIu64 "..%" PRIu64 "]", sides[i]->first,
                        sides[i]->last);
}

static bool is_end(const struct profile *profile)
{
    return profile_is_interval(profile) && profile->first && profile->last + 1 == profile->length;
}

/* Returns the finding for unwritten elements of a product, or outside of it. */
static enum finding_id find_unwritten(const struct product *product, bool in)
{
    const struct profile *r = &product->rows, *c = &product->cols;
    const bool is_box = profile_is_interval(r) && profile_is_interval(c);
    if ((!profile_is_interval(r) && profile_period(r)) ||
        (!profile_is_interval(c) && profile_period(c)))
        return FINDING_UNWRITTEN_PERIODIC;
    if (in ? (profile_is_all(c) && is_end(r)) || (profile_is_all(r) && is_end(c))
           : is_box && !r->first && !c->first)
        return FINDING_UNWRITTEN_END;
    return in && is_box && r->first % 8 + c->first % 8 + r->count % 8 + c->count % 8 == 0
               ? FINDING_UNWRITTEN_TILES
               : FINDING_NONE;
}

static void pattern_from_product(struct product *product, bool in, const char *name,
                                 struct pattern *pattern)
{
    char rows[PATTERN_TEXT_SIZE], cols[PATTERN_TEXT_SIZE], box[PATTERN_TEXT_SIZE];
    const char *but = in ? "" : "everything except ";
    struct profile *r = &product->rows, *c = &product->cols;
    const struct profile *side = profile_is_all(c) ? r : c;
    const uint64_t last_rows = r->length - r->count, last_cols = c->length - c->count;
    const bool is_box = profile_is_interval(r) && profile_is_interval(c);
    pattern->unwritten = find_unwritten(product, in);
    profile_phrase(r, rows);
    profile_phrase(c, cols);
    box_phrase(product, name, box);
    pattern->plural = in && (!is_box || r->count * c->count > 1);
    if (profile_is_all(r) || profile_is_all(c)) {
        pattern->plural = side->plural;
        snprintf(pattern->text, sizeof pattern->text, "%.90s of %.60s", side->is_rows ? rows : cols,
                 name);
    } else if (!in && is_box && !r->first && !c->first &&
               4 * r->count * c->count > r->length * c->length) {
        /* All elements outside of a large box at element (0, 0). */
        pattern->plural = true;
        snprintf(pattern->text, sizeof pattern->text,
                 "the last %" PRIu64 " row%s and the last %" PRIu64 " column%s of %.60s", last_rows,
                 plural((double)last_rows), last_cols, plural((double)last_cols), name);
    } else if (is_box) {
        snprintf(pattern->text, sizeof pattern->text, "%s%.100s", but, box);
    } else {
        snprintf(pattern->text, sizeof pattern->text, "%s%.80s in %.80s", but, rows, cols);
    }
}

static bool pattern_try_product(const struct element_set *set, bool in, const char *name,
                                struct pattern *pattern)
{
    struct product product;
    const bool found = product_find(set, in, &product);
    if (found)
        pattern_from_product(&product, in, name, pattern);
    return found;
}

static bool pattern_try_tail(const struct element_set *set, const char *name,
                             struct pattern *pattern)
{
    uint64_t total = set->rows * set->cols, first = set_first(set, true);
    for (uint64_t i = first; i < total; i++)
        if (!element_set_has(set, i))
            return false;
    pattern->plural = false;
    pattern->unwritten = FINDING_UNWRITTEN_END;
    snprintf(pattern->text, sizeof pattern->text,
             "everything after the first %" PRIu64 " elements of %.60s", first, name);
    return true;
}

static const struct triangle {
    bool below, on, above;
    const char *text;
} triangles[] = {
    {true, false, false, "below the diagonal"}, {true, true, false, "on and below the diagonal"},
    {false, false, true, "above the diagonal"}, {false, true, true, "on and above the diagonal"},
    {true, false, true, "off the diagonal"},    {false, true, false, "on the diagonal"},
};

static bool triangle_holds(const struct element_set *set, const struct triangle *triangle,
                           const struct tile_shape *tile)
{
    for (uint64_t row = 0; row < set->rows; row++)
        for (uint64_t col = 0; col < set->cols; col++) {
            uint64_t r = row / tile->rows, c = col / tile->cols;
            bool in = r > c ? triangle->below : r < c ? triangle->above : triangle->on;
            if (set_at(set, row, col) != in)
                return false;
        }
    return true;
}

static bool pattern_try_triangles(const struct element_set *set, const struct tile_shape *tile,
                                  struct pattern *pattern)
{
    for (size_t i = 0; i < sizeof triangles / sizeof *triangles; i++) {
        if (!triangle_holds(set, &triangles[i], tile))
            continue;
        pattern->plural = true;
        if (tile->rows == 1 && tile->cols == 1)
            snprintf(pattern->text, sizeof pattern->text, "the elements %s", triangles[i].text);
        else
            snprintf(pattern->text, sizeof pattern->text, "the tiles (%" PRIu64 "x%" PRIu64 ") %s",
                     tile->rows, tile->cols, triangles[i].text);
        return true;
    }
    return false;
}

static bool pattern_try_tiles(const struct element_set *set, const struct tile_shape *tile,
                              struct pattern *pattern)
{
    uint64_t count = 0, all = 0;
    for (uint64_t row = 0; row < set->rows; row++)
        for (uint64_t col = 0; col < set->cols; col++) {
            uint64_t tile_row = row - row % tile->rows, tile_col = col - col % tile->cols;
            bool corner = tile_row == row && tile_col == col, in = set_at(set, row, col);
            if (in != set_at(set, tile_row, tile_col))
                return false;
            if (corner && in && !count) {
                pattern->tile_row = tile_row;
                pattern->tile_col = tile_col;
            }
            all += corner;
            count += corner && in;
        }
    pattern->has_tiles = true;
    pattern->unwritten = FINDING_UNWRITTEN_TILES;
    pattern->plural = true;
    snprintf(pattern->text, sizeof pattern->text,
             "%" PRIu64 " of the %" PRIu64 " tiles of %" PRIu64 "x%" PRIu64 " elements", count, all,
             tile->rows, tile->cols);
    return true;
}

bool pattern_describe(const struct element_set *set, const char *name,
                      const struct tile_shape *tiles, size_t tile_count, struct pattern *pattern)
{
    static const struct tile_shape element = {1, 1};
    *pattern = (struct pattern){.plural = true};
    if (set->count == set->rows * set->cols) {
        snprintf(pattern->text, sizeof pattern->text, "all elements of %.60s", name);
        return true;
    }
    if (pattern_try_product(set, true, name, pattern) ||
        pattern_try_product(set, false, name, pattern) || pattern_try_tail(set, name, pattern) ||
        (set->rows > 1 && set->cols > 1 && pattern_try_triangles(set, &element, pattern)))
        return true;
    for (size_t i = 0; i < tile_count; i++) {
        const struct tile_shape *tile = &tiles[i];
        const bool is_one_of_several = tile->rows < set->rows || tile->cols < set->cols;
        if (tile->rows * tile->cols > 1 && is_one_of_several &&
            (pattern_try_triangles(set, tile, pattern) || pattern_try_tiles(set, tile, pattern))) {
            pattern->tile = i;
            return true;
        }
    }
    return false;
}
