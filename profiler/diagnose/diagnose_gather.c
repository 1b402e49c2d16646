/* diagnose_gather.c: test whether the kernel loaded the wrong elements. A gather maps an output
 * element to the input element that a wrong kernel stores there, or leaves the output element open.
 * A gather explains an output if all elements that are not open have the predicted value.
 * Parameters, such as the distance of a shift, are computed from one wrong element. All remaining
 * elements then confirm or refute the hypothesis. */
#include "diagnose/diagnosis.h"

#include "base/wording.h"
#include "diagnose/hypotheses.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct gather_guess {
    /* Returns the input index for output (row, col); `none` if the element is open. */
    uint64_t (*gather)(const struct diagnosis *d, const struct gather_guess *guess, uint64_t row,
                       uint64_t col);
    int64_t a, b;         /* parameters; their meaning depends on `gather` */
    unsigned how;         /* for gather_simple: GATHER_... */
    uint64_t tile;        /* for gather_in_tile: side of the tile */
    const uint64_t *from; /* for gather_group: source of each column */
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

/* The function `gather` for the hypotheses in the table. guess->a is the hypothesis's parameter. */
static uint64_t gather_simple(const struct diagnosis *d, const struct gather_guess *guess,
                              uint64_t row, uint64_t col)
{
    const struct problem *problem = d->problem;
    const uint64_t source = problem_source(problem, row, col), a = (uint64_t)guess->a,
                   index = row * d->out_cols + col;
    uint64_t rows, cols, read;
    struct problem swapped = *problem;
    switch (guess->how) {
    case GATHER_SWAPPED: /* the same problem with rows and columns exchanged */
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
        return problem_source(problem, 0, col);
    default: /* GATHER_FIRST_COL */
        return problem_source(problem, row, 0);
    }
}

static bool diagnose_simple(const struct diagnosis *d, const struct hypothesis *h,
                            struct report *report)
{
    const uint64_t first = diagnosis_found(d, d->first[FOUND_ELEMENT]).source,
                   rows = d->problem->rows, cols = d->problem->cols;
    const struct gather_guess guess = {.gather = gather_simple,
                                       .a = h->how == GATHER_CONSTANT ? (int64_t)first : h->where,
                                       .how = h->how};
    const struct hypothesis_values values = {
        d->input->output_name, d->input->input_name, rows, cols, first / cols, first % cols};
    char text[2 * NAME_SIZE];
    if (rows == cols && (h->how == GATHER_SWAPPED || h->how == GATHER_PITCH))
        return false;
    return gather_explains(d, &guess) &&
           report_add(report, h->finding, "%s", hypothesis_text(h, &values, text, sizeof text));
}

enum { GROUP_MOST = 16 };

/* Column (or row, if `b` is true) i of each group of `a` receives column (row) from[i]. */
static uint64_t gather_group(const struct diagnosis *d, const struct gather_guess *guess,
                             uint64_t row, uint64_t col)
{
    const uint64_t size = (uint64_t)guess->a;
    row = guess->b ? row - row % size + guess->from[row % size] : row;
    col = guess->b ? col : col - col % size + guess->from[col % size];
    return row < d->out_rows && col < d->out_cols ? problem_source(d->problem, row, col) : none;
}

/* Derive the exchanged or repeated columns from the first group, and test them on all groups. */
static bool diagnose_group(const struct diagnosis *d, uint64_t size, bool of_rows,
                           struct report *report)
{
    uint64_t from[GROUP_MOST], row, col, used = 0;
    char holds[NAME_SIZE] = "", instead[NAME_SIZE] = "";
    for (uint64_t i = 0; i < size; i++) {
        const struct found found = diagnosis_found(d, of_rows ? i * d->out_cols : i);
        if (found.kind != FOUND_ELEMENT)
            return false;
        problem_target(d->problem, found.source, &row, &col);
        from[i] = of_rows ? row : col;
        if ((of_rows ? col : row) || from[i] >= size)
            return false;
        used |= (uint64_t)1 << from[i];
        if (from[i] != i && strlen(holds) < NAME_SIZE / 4) {
            APPEND(holds, "%s%" PRIu64, *holds ? ", " : "", i);
            APPEND(instead, "%s%" PRIu64, *instead ? ", " : "", from[i]);
        }
    }
    const struct gather_guess guess = {
        .gather = gather_group, .a = (int64_t)size, .b = of_rows, .from = from};
    const bool repeats = used != ((uint64_t)1 << size) - 1, several = strchr(holds, ',');
    const char *noun = of_rows ? "row" : "column", *s = several ? "s" : "";
    return gather_explains(d, &guess) &&
           report_add(report, repeats ? FINDING_REPEATED : FINDING_TILE_ORDER,
                      "in each group of %" PRIu64
                      " %ss of %s, %s%s %s hold%s the elements that belong in %s%s %s: "
                      "elements are %s",
                      size, noun, d->input->output_name, noun, s, holds, several ? "" : "s", noun,
                      s, instead, repeats ? "repeated" : "exchanged");
}

bool diagnose_groups(const struct diagnosis *d, struct report *report)
{
    for (uint64_t size = 2; size <= GROUP_MOST && size < d->out_cols && size < d->out_rows;
         size *= 2)
        for (unsigned of_rows = 0; of_rows < 2; of_rows++)
            if (diagnose_group(d, size, of_rows, report))
                return true;
    return false;
}

/* Returns the input index for the output element that is `a` rows below and `b` columns to the
 * right; `none` past an edge. */
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

static uint64_t gather_offset(const struct diagnosis *d, const struct gather_guess *guess,
                              uint64_t row, uint64_t col)
{
    uint64_t index = row * d->out_cols + col + (uint64_t)guess->a;
    return index < d->total ? diagnosis_source(d, index) : none;
}

/* Compute the distance in rows and columns from a misplaced element to its correct place. */
static void displacement(const struct diagnosis *d, uint64_t index, int64_t *down, int64_t *right)
{
    uint64_t row, col;
    problem_target(d->problem, diagnosis_found(d, index).source, &row, &col);
    *down = (int64_t)(row - index / d->out_cols);
    *right = (int64_t)(col - index % d->out_cols);
}

static int64_t shift_wrap(int64_t by, uint64_t length)
{
    if (2 * by > (int64_t)length)
        return by - (int64_t)length;
    return 2 * by < -(int64_t)length ? by + (int64_t)length : by;
}

/* Write " by 2 rows up" if the correct place is `by` = 2 rows after the actual place; "" for 0. */
static void shift_phrase(const char *noun, const char *back, const char *forth, int64_t by,
                         char *text)
{
    *text = '\0';
    if (by)
        snprintf(text, NAME_SIZE, " by %" PRId64 " %s%s %s", by < 0 ? -by : by, noun,
                 by == 1 || by == -1 ? "" : "s", by < 0 ? forth : back);
}

/* Test three kinds of shift, in ascending order of their numbers of open elements. */
static bool diagnose_shift(const struct diagnosis *d, int64_t down, int64_t right,
                           struct report *report)
{
    int64_t linear = down * (int64_t)d->out_cols + right;
    struct gather_guess plain = {.gather = gather_shifted, .a = down, .b = right},
                        wrapped = {.gather = gather_wrapped,
                                   .a = shift_wrap(down, d->out_rows),
                                   .b = shift_wrap(right, d->out_cols)},
                        offset = {.gather = gather_offset, .a = linear};
    bool around = gather_explains(d, &wrapped);
    if (!around && right && gather_explains(d, &offset))
        return report_add(report, FINDING_SHIFTED,
                          "%s is shifted by %" PRId64 " element%s %s in memory",
                          d->input->output_name, linear < 0 ? -linear : linear,
                          linear == 1 || linear == -1 ? "" : "s", linear < 0 ? "forward" : "back");
    if (!around && !gather_explains(d, &plain))
        return false;
    char rows[NAME_SIZE], cols[NAME_SIZE];
    shift_phrase("row", "up", "down", around ? wrapped.a : down, rows);
    shift_phrase("column", "to the left", "to the right", around ? wrapped.b : right, cols);
    return report_add(report, FINDING_SHIFTED, "%s is shifted%s%s%s", d->input->output_name, rows,
                      *rows && *cols ? " and" : "", cols);
}

/* Test the shift of the first misplaced element, then the shift of the last misplaced element. The
 * first misplaced element may have wrapped around an edge. */
static bool diagnose_shifted(const struct diagnosis *d, struct report *report)
{
    int64_t down, right;
    displacement(d, d->first[FOUND_ELEMENT], &down, &right);
    if (diagnose_shift(d, down, right, report))
        return true;
    displacement(d, d->last[FOUND_ELEMENT], &down, &right);
    return diagnose_shift(d, down, right, report);
}

/* Returns the input index if the tile is stored with pitch `a` and loaded with pitch `b`. If `a` is
 * 0, either the store or the load swizzles the columns, but not both. */
static uint64_t gather_in_tile(const struct diagnosis *d, const struct gather_guess *guess,
                               uint64_t row, uint64_t col)
{
    const uint64_t source = problem_source(d->problem, row, col), cols = d->problem->cols,
                   t = guess->tile, r = source / cols, c = source % cols;
    uint64_t i = r % t, j = c % t;
    const uint64_t top = r - i, left = c - j;
    if (guess->a) {
        const uint64_t offset = i * (uint64_t)guess->b + j;
        i = offset / (uint64_t)guess->a;
        j = offset % (uint64_t)guess->a;
    } else {
        j ^= i;
    }
    return i < t && j < t && top + i < d->problem->rows && left + j < cols
               ? (top + i) * cols + left + j
               : none;
}

static bool diagnose_inside_tile(const struct diagnosis *d, uint64_t tile, struct report *report)
{
    enum { MAX_PADDING = 4, LEAST_PITCH = 16 }; /* smaller tiles are tested as groups */
    const int64_t pitch = (int64_t)tile;
    for (int64_t padding = 1; padding <= MAX_PADDING && tile >= LEAST_PITCH; padding++) {
        struct gather_guess guess = {
            .gather = gather_in_tile, .a = pitch + padding, .b = pitch, .tile = tile};
        for (int i = 0; i < 2; i++) {
            if (gather_explains(d, &guess))
                return report_add(report, FINDING_PADDING_MISREAD,
                                  "the padded tile is misread: its rows are written %" PRId64
                                  " elements apart and read %" PRId64 " elements apart",
                                  guess.a, guess.b);
            guess.a = pitch;
            guess.b = pitch + padding;
        }
    }
    const struct gather_guess swizzle = {.gather = gather_in_tile, .tile = tile};
    if (!gather_explains(d, &swizzle))
        return false;
    return report_add(report, FINDING_SWIZZLE_ONE_SIDED,
                      "the store or the load of the tile (%" PRIu64 "x%" PRIu64
                      ") is swizzled, but not both",
                      tile, tile);
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

struct exchange {
    uint64_t tiles, moved;                 /* all tiles; tiles with the output of another tile */
    uint64_t row, col, from_row, from_col; /* the first exchanged tile; its source tile */
};

/* Returns true if a tile of the output contains the correct output of one tile, which may be any
 * tile. Elements past the edge of that tile are open. */
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
            struct gather_guess guess = {.gather = gather_shifted, .a = down, .b = right};
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
                          "the output of %s equals the correct output of %s (%" PRIu64
                          " of %" PRIu64 " tiles hold the output of another tile)",
                          name, other, exchange.moved, exchange.tiles);
    }
    return false;
}
