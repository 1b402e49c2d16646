/* diagnose_placement.c: test whether the correct elements were stored at wrong places.
 *
 * A placement maps every input element to the output index at which a wrong kernel stores it. A
 * placement explains an output if every input element in the output is at its predicted index. This
 * test is also valid if two threads store to one index, in any order. The first pass tests each
 * element of the output, so no list of stores is necessary. A second pass checks that the placement
 * predicts no store to the remaining output elements. */
#include "diagnose/diagnosis.h"
#include "diagnose/hypotheses.h"

#include <inttypes.h>
#include <stdio.h>

struct placement_guess {
    const struct hypothesis *placement;
    uint32_t tile;
    bool wrong_pitch; /* the output's number of rows is used as its pitch */
};

static const struct reference_info *placement_info(const struct hypothesis *placement)
{
    static const struct reference_info rotate270 = {.name = "rotate270"};
    return placement->how < REFERENCE_COUNT ? &references[placement->how] : &rotate270;
}

/* Returns the output index at which the guess stores input (r, c); `none` if outside the output. */
static uint64_t placement_index(const struct diagnosis *d, const struct placement_guess *guess,
                                uint64_t r, uint64_t c)
{
    uint64_t rows = d->problem->rows, cols = d->problem->cols, row = cols - 1 - c, col = r;
    if (guess->placement->how < REFERENCE_COUNT) {
        struct problem placed = {rows, cols, (enum reference)guess->placement->how, guess->tile,
                                 d->problem->seed};
        problem_target(&placed, r * cols + c, &row, &col);
    }
    bool keeps = placement_info(guess->placement)->keeps_shape;
    uint64_t height = keeps ? rows : cols, width = keeps ? cols : rows;
    uint64_t index = row * (guess->wrong_pitch ? height : width) + col;
    return row < height && col < width && index < d->total ? index : none;
}

/* Returns true if at least half of the output elements are input elements at their predicted index.
 * All other written elements are added to `open`. Returns false if `open` exceeds its limit: 0
 * elements, or half of the output if tiles extend past the edges. */
static bool placement_fits(const struct diagnosis *d, const struct placement_guess *guess,
                           struct element_set *open)
{
    bool ragged = placement_info(guess->placement)->has_tiles &&
                  (d->problem->rows % guess->tile || d->problem->cols % guess->tile);
    uint64_t fitting = 0, limit = ragged ? d->total / 2 : 0, cols = d->problem->cols;
    for (uint64_t i = 0; i < d->total; i++) {
        struct found found = diagnosis_found(d, i);
        if (found.kind == FOUND_UNWRITTEN)
            continue;
        if (found.kind == FOUND_ELEMENT &&
            placement_index(d, guess, found.source / cols, found.source % cols) == i) {
            fitting++;
            continue;
        }
        if (open->count == limit)
            return false;
        element_set_add(open, i);
    }
    return 2 * fitting >= d->total;
}

/* Returns true if the guess stores to no element of `open` and, unless unwritten_fits, to no
 * unwritten element. */
static bool placement_leaves_open(const struct diagnosis *d, const struct placement_guess *guess,
                                  const struct element_set *open)
{
    for (uint64_t r = 0; r < d->problem->rows; r++)
        for (uint64_t c = 0; c < d->problem->cols; c++) {
            uint64_t index = placement_index(d, guess, r, c);
            if (index == none)
                continue;
            if (element_set_has(open, index) ||
                (!d->unwritten_fits && element_set_has(&d->unwritten, index)))
                return false;
        }
    return true;
}

static bool placement_explains(const struct diagnosis *d, const struct placement_guess *guess)
{
    struct element_set open;
    if (!element_set_make(&open, d->out_rows, d->out_cols))
        return false;
    bool explains = placement_fits(d, guess, &open) && placement_leaves_open(d, guess, &open);
    element_set_free(&open);
    return explains;
}

static void placement_report(const struct diagnosis *d, const struct placement_guess *guess,
                             struct report *report)
{
    bool keeps = placement_info(guess->placement)->keeps_shape,
         tiled = placement_info(guess->placement)->has_tiles;
    const char *correct = keeps ? "width" : "height", *wrong = keeps ? "height" : "width";
    uint64_t correct_pitch = keeps ? d->problem->cols : d->problem->rows,
             wrong_pitch = keeps ? d->problem->rows : d->problem->cols;
    const char *name = d->input->output_name;
    char tiles[NAME_SIZE] = "";
    if (tiled)
        snprintf(tiles, sizeof tiles, " (tiles of %" PRIu32 "x%" PRIu32 ")", guess->tile,
                 guess->tile);
    if (guess->placement->how != d->problem->reference) {
        const char *phrase = guess->placement->text;
        report_add(report, guess->placement->finding, "%s%s%s%s %s", phrase ? "" : "this is ",
                   phrase ? phrase : placement_info(guess->placement)->meaning, tiles,
                   phrase ? "; the exercise requires" : ", not",
                   references[d->problem->reference].meaning);
    } else if (tiled && guess->tile != d->problem->tile) {
        report_add(report, guess->placement->finding,
                   "the result is correct for tiles of %" PRIu32 "x%" PRIu32
                   " elements, but the exercise has tiles of %" PRIu32 "x%" PRIu32,
                   guess->tile, guess->tile, d->problem->tile, d->problem->tile);
    }
    if (guess->wrong_pitch)
        report_add(report, FINDING_PITCH_CONFUSED,
                   "width and height are exchanged: rows of %s are written %s (%" PRIu64
                   ") elements apart instead of %s (%" PRIu64 ")",
                   name, wrong, wrong_pitch, correct, correct_pitch);
}

static bool placement_try(const struct diagnosis *d, const struct placement_guess *guess,
                          struct report *report)
{
    bool same = guess->placement->how == d->problem->reference &&
                (!placement_info(guess->placement)->has_tiles || guess->tile == d->problem->tile);
    if ((same && !guess->wrong_pitch) || !placement_explains(d, guess))
        return false;
    placement_report(d, guess, report);
    return true;
}

/* Returns false for a wrong pitch if the tile is as high or as wide as the matrix, because most
 * pitches explain such an output. */
static bool placement_is_worth_trying(const struct diagnosis *d,
                                      const struct placement_guess *guess)
{
    return !guess->wrong_pitch ||
           (guess->tile < d->problem->rows && guess->tile < d->problem->cols);
}

/* Test one map of the matrix. If the map has tiles, test it with each tile size. */
static bool diagnose_placed(const struct diagnosis *d, const struct hypothesis *placement,
                            bool wrong_pitch, struct report *report)
{
    struct placement_guess guess = {placement, 0, wrong_pitch};
    if (!placement_info(placement)->has_tiles)
        return placement_try(d, &guess, report);
    for (size_t i = 0; i < d->tile_count; i++) {
        guess.tile = (uint32_t)d->tiles[i].rows;
        if (d->tiles[i].cols == guess.tile && placement_is_worth_trying(d, &guess) &&
            placement_try(d, &guess, report))
            return true;
    }
    return false;
}

bool diagnose_placement(const struct diagnosis *d, struct report *report)
{
    for (const struct hypothesis *h = NULL; (h = hypothesis_next(BY_PLACE, h));)
        if (diagnose_placed(d, h, false, report))
            return true;
    return false;
}

static bool diagnose_pitch(const struct diagnosis *d, bool own, struct report *report)
{
    for (const struct hypothesis *h = NULL;
         d->out_rows != d->out_cols && (h = hypothesis_next(BY_PLACE, h));)
        if ((h->how == d->problem->reference) == own && diagnose_placed(d, h, true, report))
            return true;
    return false;
}

bool diagnose_placement_pitch(const struct diagnosis *d, struct report *report)
{
    return diagnose_pitch(d, true, report);
}

bool diagnose_placement_other_pitch(const struct diagnosis *d, struct report *report)
{
    return diagnose_pitch(d, false, report);
}
