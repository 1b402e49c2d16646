/* diagnose_gather.c: did the right places get the wrong input?
 *
 * A gather maps every output element to the input element that a wrong kernel writes there, or
 * leaves it open. It explains an output in which all elements that it settles hold what it says.
 * Parameters, such as the distance of a shift, come from one wrong element; all the others then
 * agree or refute.
 */
#include "diagnose/diagnose_guesses.h"
#include "diagnose/hypotheses.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- Gathers: what an output element got ---- */

struct gather_guess {
    /* The input index that output (row, col) gets, or none where the guess leaves it open. */
    uint64_t (*gather)(const struct diagnosis *d, const struct gather_guess *guess, uint64_t row,
                       uint64_t col);
    int64_t a, b; /* of the gather */
    unsigned how; /* of gather_simple */
};

static bool gather_explains(const struct diagnosis *d, const struct gather_guess *guess)
{
    uint64_t open = 0, fitting = 0;
    for (uint64_t i = 0; i < d->total; i++) {
        uint64_t source = guess->gather(d, guess, i / d->out_cols, i % d->out_cols);
        struct found found = diagnosis_found(d, i);
        if (source == none) {
            if (++open > d->total / 2)
                return false;
        } else if (found.kind == FOUND_ELEMENT && found.source == source) {
            fitting++;
        } else if (found.kind != FOUND_UNWRITTEN || !d->unwritten_fits) {
            return false;
        }
    }
    return fitting >= 2 && 2 * fitting >= d->total - open;
}

/* The input index of each kind; `a` and `b` are its parameters. */
static uint64_t gather_simple(const struct diagnosis *d, const struct gather_guess *guess,
                              uint64_t row, uint64_t col)
{
    const struct problem *problem = d->problem;
    const uint64_t source = problem_source(problem, row, col), a = (uint64_t)guess->a,
                   index = row * d->out_cols + col;
    uint64_t rows, cols, read;
    struct problem swapped = *problem;
    switch (guess->how) {
    case GATHER_SWAPPED: /* the same problem with rows and cols exchanged, as lists of elements */
        swapped.rows = problem->cols;
        swapped.cols = problem->rows;
        problem_output_shape(&swapped, &rows, &cols);
        return problem_source(&swapped, index / cols, index % cols);
    case GATHER_PITCH: /* idata[y * height + x] */
        read = source / problem->cols * problem->rows + source % problem->cols;
        return read < d->total ? read : none;
    case GATHER_MIRRORED:
        return problem_source(problem, a & 2 ? d->out_rows - 1 - row : row,
                              a & 1 ? d->out_cols - 1 - col : col);
    case GATHER_CONSTANT:
        return a;
    case GATHER_FIRST_ROW:
    case GATHER_GROUP_ROWS:
        return problem_source(problem, row - row % a, col);
    default: /* GATHER_FIRST_COL, GATHER_GROUP_COLS */
        return problem_source(problem, row, col - col % a);
    }
}

/* What belongs to a hypothesis: with one parameter, or with each of a few. */
static bool diagnose_simple(const struct diagnosis *d, const struct hypothesis *h,
                            struct report *report)
{
    static const int64_t groups[] = {2, 4, 8, 16, 32, 64};
    const bool of_groups = h->how == GATHER_GROUP_COLS || h->how == GATHER_GROUP_ROWS;
    const uint64_t first = diagnosis_found(d, d->first[FOUND_ELEMENT]).source,
                   rows = d->problem->rows, cols = d->problem->cols;
    const int64_t parameter = h->how == GATHER_CONSTANT    ? (int64_t)first
                              : h->how == GATHER_FIRST_ROW ? (int64_t)d->out_rows
                              : h->how == GATHER_FIRST_COL ? (int64_t)d->out_cols
                                                           : h->where;
    if (rows == cols && (h->how == GATHER_SWAPPED || h->how == GATHER_PITCH))
        return false;
    for (size_t i = 0; i < (of_groups ? sizeof groups / sizeof *groups : 1); i++) {
        const struct gather_guess guess = {gather_simple, of_groups ? groups[i] : parameter, 0,
                                           h->how};
        char text[2 * NAME_SIZE];
        const struct hypothesis_values values = {d->input->output_name,
                                                 d->input->input_name,
                                                 rows,
                                                 cols,
                                                 of_groups ? (uint64_t)groups[i] : first / cols,
                                                 first % cols};
        if (gather_explains(d, &guess))
            return report_add(report, h->finding, "%s",
                              hypothesis_text(h, &values, text, sizeof text));
    }
    return false;
}

/* What belongs a rows further down and b columns further right; open beyond the edges. */
static uint64_t gather_shifted(const struct diagnosis *d, const struct gather_guess *guess,
                               uint64_t row, uint64_t col)
{
    uint64_t r = row + (uint64_t)guess->a, c = col + (uint64_t)guess->b;
    return r < d->out_rows && c < d->out_cols ? problem_source(d->problem, r, c) : none;
}

static uint64_t gather_wrapped(const struct diagnosis *d, const struct gather_guess *guess,
                               uint64_t row, uint64_t col)
{
    uint64_t r = row + (guess->a < 0 ? d->out_rows : 0) + (uint64_t)guess->a,
             c = col + (guess->b < 0 ? d->out_cols : 0) + (uint64_t)guess->b;
    return problem_source(d->problem, r % d->out_rows, c % d->out_cols);
}

/* What belongs a elements later in memory. */
static uint64_t gather_offset(const struct diagnosis *d, const struct gather_guess *guess,
                              uint64_t row, uint64_t col)
{
    uint64_t index = row * d->out_cols + col + (uint64_t)guess->a;
    return index < d->total ? diagnosis_source(d, index) : none;
}

/* By how far the first element that is out of place is off, rows down and columns right. */
static void displacement(const struct diagnosis *d, uint64_t index, int64_t *down, int64_t *right)
{
    uint64_t row, col;
    problem_target(d->problem, diagnosis_found(d, index).source, &row, &col);
    *down = (int64_t)(row - index / d->out_cols);
    *right = (int64_t)(col - index % d->out_cols);
}

/* A shift around the edge, the short way round. */
static int64_t shift_wrap(int64_t by, uint64_t length)
{
    if (2 * by > (int64_t)length)
        return by - (int64_t)length;
    return 2 * by < -(int64_t)length ? by + (int64_t)length : by;
}

/* " by 2 rows down", or nothing. The output's element is what belongs `by` further on. */
static void shift_phrase(const char *noun, const char *back, const char *forth, int64_t by,
                         char *text)
{
    *text = '\0';
    if (by)
        snprintf(text, NAME_SIZE, " by %" PRId64 " %s%s %s", by < 0 ? -by : by, noun,
                 by == 1 || by == -1 ? "" : "s", by < 0 ? forth : back);
}

/* The guesses that leave the fewest elements open come first. */
static bool diagnose_shift(const struct diagnosis *d, int64_t down, int64_t right,
                           struct report *report)
{
    int64_t linear = down * (int64_t)d->out_cols + right;
    struct gather_guess plain = {gather_shifted, down, right, 0},
                        wrapped = {gather_wrapped, shift_wrap(down, d->out_rows),
                                   shift_wrap(right, d->out_cols), 0},
                        offset = {gather_offset, linear, 0, 0};
    bool around = gather_explains(d, &wrapped);
    if (!around && right && gather_explains(d, &offset))
        return report_add(
            report, FINDING_SHIFTED, "%s is shifted by %" PRId64 " elements %s in memory",
            d->input->output_name, linear < 0 ? -linear : linear, linear < 0 ? "forward" : "back");
    if (!around && !gather_explains(d, &plain))
        return false;
    char rows[NAME_SIZE], cols[NAME_SIZE];
    shift_phrase("row", "up", "down", around ? wrapped.a : down, rows);
    shift_phrase("column", "to the left", "to the right", around ? wrapped.b : right, cols);
    return report_add(report, FINDING_SHIFTED, "%s is shifted%s%s%s", d->input->output_name, rows,
                      *rows && *cols ? " and" : "", cols);
}

/* The first element out of place may be one that came round the edge; then the last is not. */
static bool diagnose_shifted(const struct diagnosis *d, struct report *report)
{
    int64_t down, right;
    displacement(d, d->first[FOUND_ELEMENT], &down, &right);
    if (diagnose_shift(d, down, right, report))
        return true;
    displacement(d, d->last[FOUND_ELEMENT], &down, &right);
    return diagnose_shift(d, down, right, report);
}

/* ---- Gathers inside tiles ---- */

/* A tile of a rows and columns whose elements the kernel finds through shared memory: the right
 * element of the tile is (i, j), and slot() says which one is found instead. */
struct tile_guess {
    bool (*slot)(const struct tile_guess *guess, uint64_t *i, uint64_t *j);
    uint64_t tile, write_pitch, read_pitch;
};

/* Written with one pitch, read with another. */
static bool slot_pitch(const struct tile_guess *guess, uint64_t *i, uint64_t *j)
{
    uint64_t offset = *i * guess->read_pitch + *j;
    *i = offset / guess->write_pitch;
    *j = offset % guess->write_pitch;
    return *i < guess->tile && *j < guess->tile;
}

/* Columns exchanged by exclusive-or on one side only. */
static bool slot_swizzle(const struct tile_guess *guess, uint64_t *i, uint64_t *j)
{
    *j ^= *i % guess->tile;
    return *j < guess->tile;
}

static bool tile_guess_explains(const struct diagnosis *d, const struct tile_guess *guess)
{
    uint64_t open = 0, fitting = 0, cols = d->problem->cols, t = guess->tile;
    for (uint64_t index = 0; index < d->total; index++) {
        uint64_t source = diagnosis_source(d, index), r = source / cols, c = source % cols,
                 i = r % t, j = c % t;
        bool known = guess->slot(guess, &i, &j);
        r = r - r % t + i;
        c = c - c % t + j;
        struct found found = diagnosis_found(d, index);
        if (!known || r >= d->problem->rows || c >= cols) {
            if (++open > d->total / 2)
                return false;
        } else if (found.kind == FOUND_ELEMENT && found.source == r * cols + c) {
            fitting++;
        } else if (found.kind != FOUND_UNWRITTEN || !d->unwritten_fits) {
            return false;
        }
    }
    return fitting >= 2 && 2 * fitting >= d->total - open;
}

static bool diagnose_inside_tile(const struct diagnosis *d, uint64_t tile, struct report *report)
{
    enum { MAX_PADDING = 4 };
    for (uint64_t padding = 1; padding <= MAX_PADDING; padding++) {
        struct tile_guess guess = {slot_pitch, tile, tile + padding, tile};
        for (int i = 0; i < 2; i++) {
            if (tile_guess_explains(d, &guess))
                return report_add(report, FINDING_PADDING_MISREAD,
                                  "the padded tile is misread: its rows are written %" PRIu64
                                  " elements apart and read %" PRIu64 " apart",
                                  guess.write_pitch, guess.read_pitch);
            guess.write_pitch = tile;
            guess.read_pitch = tile + padding;
        }
    }
    struct tile_guess swizzle = {slot_swizzle, tile, 0, 0};
    if (!tile_guess_explains(d, &swizzle))
        return false;
    return report_add(report, FINDING_SWIZZLE_ONE_SIDED,
                      "the tile (%" PRIu64 "x%" PRIu64 ") is swizzled on one side only", tile,
                      tile);
}

static bool diagnose_inside_tiles(const struct diagnosis *d, struct report *report)
{
    for (size_t i = 0; i < d->tile_count; i++)
        if (d->tiles[i].rows == d->tiles[i].cols &&
            diagnose_inside_tile(d, d->tiles[i].rows, report))
            return true;
    return false;
}

bool diagnose_gather(const struct diagnosis *d, struct report *report)
{
    for (const struct hypothesis *h = NULL; (h = hypothesis_next(BY_GATHER, h));)
        if (diagnose_simple(d, h, report))
            return true;
    return diagnose_shifted(d, report) || diagnose_inside_tiles(d, report);
}

/* ---- Blocks whose outputs are exchanged ---- */

struct exchange {
    uint64_t tiles, moved;                 /* tiles in all; those with another tile's output */
    uint64_t row, col, from_row, from_col; /* the first such tile, and the other one */
};

/* Whether one tile of the output holds what belongs into one (other) tile. Elements beyond the
 * other tile's edge are open. */
static bool exchange_fits_tile(const struct diagnosis *d, struct tile_shape tile, uint64_t top,
                               uint64_t left, struct exchange *exchange)
{
    bool known = false;
    int64_t down = 0, right = 0;
    uint64_t bottom = top + tile.rows < d->out_rows ? top + tile.rows : d->out_rows,
             end = left + tile.cols < d->out_cols ? left + tile.cols : d->out_cols;
    for (uint64_t row = top; row < bottom; row++)
        for (uint64_t col = left; col < end; col++) {
            uint64_t index = row * d->out_cols + col;
            struct found found = diagnosis_found(d, index);
            if (found.kind == FOUND_UNWRITTEN && d->unwritten_fits)
                continue;
            if (found.kind == FOUND_ELEMENT && !known) {
                displacement(d, index, &down, &right);
                known = true;
            }
            struct gather_guess guess = {gather_shifted, down, right, 0};
            uint64_t source = gather_shifted(d, &guess, row, col);
            if (source != none && (found.kind != FOUND_ELEMENT || found.source != source))
                return false;
        }
    if (down % (int64_t)tile.rows || right % (int64_t)tile.cols)
        return false;
    exchange->tiles++;
    if ((down || right) && !exchange->moved++) {
        exchange->row = top;
        exchange->col = left;
        exchange->from_row = top + (uint64_t)down;
        exchange->from_col = left + (uint64_t)right;
    }
    return true;
}

static bool exchange_fits(const struct diagnosis *d, struct tile_shape tile,
                          struct exchange *exchange)
{
    for (uint64_t top = 0; top < d->out_rows; top += tile.rows)
        for (uint64_t left = 0; left < d->out_cols; left += tile.cols)
            if (!exchange_fits_tile(d, tile, top, left, exchange))
                return false;
    return exchange->moved > 0;
}

bool diagnose_exchange(const struct diagnosis *d, struct report *report)
{
    for (size_t i = 0; i < d->tile_count; i++) {
        struct exchange exchange = {.tiles = 0};
        struct tile_shape tile = diagnosis_tile_in_output(d, d->tiles[i]);
        char name[NAME_SIZE], other[NAME_SIZE];
        if (tile.rows * tile.cols < 4 || !exchange_fits(d, tile, &exchange))
            continue;
        diagnosis_name_tile(d, d->tiles[i], exchange.row, exchange.col, name);
        diagnosis_name_tile(d, d->tiles[i], exchange.from_row, exchange.from_col, other);
        return report_add(report, FINDING_TILES_EXCHANGED,
                          "the output of %s is %s's (%" PRIu64 " of %" PRIu64
                          " tiles hold another tile's output)",
                          name, other, exchange.moved, exchange.tiles);
    }
    return false;
}
