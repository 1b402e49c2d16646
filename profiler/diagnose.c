/* diagnose.c: name the mistake in a wrong output.
 *
 * Theory of operation. All input values differ, so every element of the output tells its story: it
 * still holds the poison (never written), or the value of a known input element, or a value that is
 * in no input ("foreign"). A census counts these. Then the known mistakes are tried, each as a
 * prediction for *all* elements, right ones included, that a single element can refute:
 *
 *   placement   input element s is written to output index placement(s): other reference maps,
 * tiles only moved or only turned, a wrong pitch; gather      output index l gets input element
 * gather(l): mirrored, shifted, repeated, read with a wrong pitch, a padded tile read as if it were
 * not; alteration  output index l gets alteration(the right value): arithmetic, a conversion; block
 * whole tiles of the output hold what belongs into other tiles; set         the wrong elements form
 * a set that words describe (pattern.h), as when edges, or every second row, are left out; race a
 * scattered minority holds other elements of the same tile, or the same place of another tile; the
 * one guess that need not explain everything, and it says so.
 *
 * What no guess explains is counted and shown by examples. A prediction may leave elements open
 * (where a tile hangs over the matrix's edge, a wrong kernel writes rubbish), but must settle half
 * of them. All guesses are tried twice: first an unwritten element refutes a guess that has it
 * written; then it fits any guess, and the unwritten elements are described as a second mistake.
 *
 * Everything runs in one thread and in a fixed order: the text does not depend on threads.
 */
#include "diagnose.h"

#include "pattern.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An index that is none: "open" as a prediction, "nowhere" as a place. */
static const uint64_t none = UINT64_MAX;

void report_add(struct report *report, const char *format, ...)
{
    size_t length = strlen(report->text);
    if (report->lines == REPORT_MAX_LINES)
        return;
    if (report->lines++ && length + 1 < sizeof report->text)
        report->text[length++] = '\n';
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(report->text + length, sizeof report->text - length, format, arguments);
    va_end(arguments);
}

/* ---- The census ---- */

enum found_kind { FOUND_UNWRITTEN, FOUND_ELEMENT, FOUND_FOREIGN, FOUND_KINDS };

struct found {
    enum found_kind kind;
    uint64_t source; /* for FOUND_ELEMENT */
};

enum { MAX_TILES = 10 };

struct diagnosis {
    const struct verify_input *input;
    const struct problem *problem;
    uint64_t out_rows, out_cols, total;
    /* The wrong elements, and by kind their number, the first and the last (none: none). */
    struct element_set wrong, unwritten;
    uint64_t count[FOUND_KINDS], first[FOUND_KINDS], last[FOUND_KINDS];
    uint64_t first_wrong, last_wrong;
    /* Tiles that the kernel may use, as shapes of the input: the launch's first. */
    struct tile_shape tiles[MAX_TILES];
    size_t tile_count;
    bool blocks_known;   /* tiles[0] are the blocks of the grid */
    bool unwritten_fits; /* the second round of guesses */
};

static struct found found_at(const struct diagnosis *d, uint64_t index)
{
    uint32_t source, bits = d->input->output[index];
    if (bits == MATRIX_POISON)
        return (struct found){FOUND_UNWRITTEN, none};
    if (matrix_index(d->problem->seed, bits, d->total, &source))
        return (struct found){FOUND_ELEMENT, source};
    return (struct found){FOUND_FOREIGN, none};
}

static uint64_t source_of(const struct diagnosis *d, uint64_t index)
{
    return problem_source(d->problem, index / d->out_cols, index % d->out_cols);
}

static uint32_t expected_bits(const struct diagnosis *d, uint64_t index)
{
    return matrix_value(d->problem->seed, (uint32_t)source_of(d, index));
}

static void census_count(struct diagnosis *d, uint64_t index)
{
    enum found_kind kind = found_at(d, index).kind;
    element_set_add(&d->wrong, index);
    if (kind == FOUND_UNWRITTEN)
        element_set_add(&d->unwritten, index);
    if (d->first_wrong == none)
        d->first_wrong = index;
    d->last_wrong = index;
    if (!d->count[kind]++)
        d->first[kind] = index;
    d->last[kind] = index;
}

static void census_take(struct diagnosis *d)
{
    enum { CHUNK = 1024 };
    uint32_t expected[CHUNK];
    d->first_wrong = none;
    for (uint64_t index = 0, length; index < d->total; index += length) {
        struct problem_run run =
            problem_source_run(d->problem, index / d->out_cols, index % d->out_cols);
        length = run.length < CHUNK ? run.length : CHUNK;
        matrix_fill_strided(d->problem->seed, run.first, run.stride, expected, length);
        for (uint64_t i = 0; i < length; i++)
            if (expected[i] != d->input->output[index + i])
                census_count(d, index + i);
    }
}

/* ---- Tiles and blocks ---- */

static void tiles_add(struct diagnosis *d, uint64_t rows, uint64_t cols)
{
    bool inside = rows < d->problem->rows || cols < d->problem->cols;
    if (!rows || !cols || rows * cols == 1 || !inside || d->tile_count == MAX_TILES)
        return;
    for (size_t i = 0; i < d->tile_count; i++)
        if (d->tiles[i].rows == rows && d->tiles[i].cols == cols)
            return;
    d->tiles[d->tile_count++] = (struct tile_shape){rows, cols};
}

/* The smallest multiple of a block's side with which the grid covers the matrix's side. */
static uint64_t block_extent(uint64_t block, uint64_t grid, uint64_t side)
{
    uint64_t reach = block * grid;
    return (side + reach - 1) / reach * block;
}

/* Blocks cover the input in tiles, as far as the launch shape tells: each side of a tile is a
 * multiple of the block's, and the grid has just as many as are needed. */
static void tiles_collect(struct diagnosis *d)
{
    static const uint64_t usual[] = {32, 16, 64, 8, 4};
    const struct verify_input *input = d->input;
    const struct problem *problem = d->problem;
    if (input->block_x && input->block_y && input->grid_x && input->grid_y) {
        uint64_t cols = block_extent(input->block_x, input->grid_x, problem->cols),
                 rows = block_extent(input->block_y, input->grid_y, problem->rows);
        bool natural = (problem->cols + cols - 1) / cols == input->grid_x &&
                       (problem->rows + rows - 1) / rows == input->grid_y;
        if (natural)
            tiles_add(d, rows, cols);
        d->blocks_known = natural && d->tile_count;
    }
    tiles_add(d, problem->tile, problem->tile);
    tiles_add(d, input->block_x, input->block_x);
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        tiles_add(d, usual[i], usual[i]);
}

/* The output's shape of a tile of the input: upright where the map keeps the axes or moves tiles
 * without turning them. */
static struct tile_shape tile_in_output(const struct problem *problem, struct tile_shape tile)
{
    bool turned = problem->reference != REFERENCE_COPY && problem->reference != REFERENCE_TILE_MOVE;
    return turned ? (struct tile_shape){tile.cols, tile.rows} : tile;
}

/* The set's tiles, in the output's shape. */
static bool set_describe(const struct diagnosis *d, const struct element_set *set,
                         struct pattern *pattern)
{
    struct tile_shape tiles[MAX_TILES];
    for (size_t i = 0; i < d->tile_count; i++)
        tiles[i] = tile_in_output(d->problem, d->tiles[i]);
    return pattern_describe(set, d->input->output_name, tiles, d->tile_count, pattern);
}

enum { NAME_SIZE = 120 };

/* "block (3, 1)", by the input that it reads, or "the tile at odata[32][64]". */
static void tile_name(const struct diagnosis *d, struct tile_shape tile, uint64_t out_row,
                      uint64_t out_col, char *text)
{
    uint64_t source = problem_source(d->problem, out_row, out_col), cols = d->problem->cols;
    bool block = d->blocks_known && tile.rows == d->tiles[0].rows && tile.cols == d->tiles[0].cols;
    if (block)
        snprintf(text, NAME_SIZE, "block (%" PRIu64 ", %" PRIu64 ")", source % cols / tile.cols,
                 source / cols / tile.rows);
    else
        snprintf(text, NAME_SIZE, "the tile at %.40s[%" PRIu64 "][%" PRIu64 "]",
                 d->input->output_name, out_row, out_col);
}

/* ---- Placements: where an input element was written ---- */

enum placement {
    PLACE_COPY,
    PLACE_TRANSPOSE,
    PLACE_ROTATE90,
    PLACE_ROTATE270,
    PLACE_ANTITRANSPOSE,
    PLACE_TILE_MOVE, /* from here on there are tiles */
    PLACE_TILE_TRANSPOSE,
    PLACEMENTS
};

static const char *const placement_phrases[PLACEMENTS] = {
    [PLACE_COPY] = "this is a copy",
    [PLACE_TRANSPOSE] = "this is the transpose",
    [PLACE_ROTATE90] = "this is the matrix turned by 90 degrees clockwise",
    [PLACE_ROTATE270] = "this is the matrix turned by 90 degrees anticlockwise",
    [PLACE_ANTITRANSPOSE] = "this is the transpose about the other diagonal",
    [PLACE_TILE_MOVE] = "tiles moved but not transposed",
    [PLACE_TILE_TRANSPOSE] = "each tile is transposed in its place, but not moved",
};

/* What was asked for, after "not". */
static const char *const reference_phrases[REFERENCE_COUNT] = {
    [REFERENCE_COPY] = "a copy",
    [REFERENCE_TRANSPOSE] = "the transpose",
    [REFERENCE_TILE_TRANSPOSE] = "each tile transposed in its place",
    [REFERENCE_TILE_MOVE] = "tiles moved and not transposed inside",
    [REFERENCE_ROTATE90] = "the matrix turned by 90 degrees clockwise",
    [REFERENCE_ANTITRANSPOSE] = "the transpose about the other diagonal",
};

static const enum placement reference_placements[REFERENCE_COUNT] = {
    [REFERENCE_COPY] = PLACE_COPY,
    [REFERENCE_TRANSPOSE] = PLACE_TRANSPOSE,
    [REFERENCE_TILE_TRANSPOSE] = PLACE_TILE_TRANSPOSE,
    [REFERENCE_TILE_MOVE] = PLACE_TILE_MOVE,
    [REFERENCE_ROTATE90] = PLACE_ROTATE90,
    [REFERENCE_ANTITRANSPOSE] = PLACE_ANTITRANSPOSE,
};

struct placement_guess {
    enum placement placement;
    uint64_t tile;
    bool wrong_pitch; /* rows of the output are taken to be as long as its columns */
};

static bool placement_keeps_shape(enum placement placement)
{
    return placement == PLACE_COPY || placement == PLACE_TILE_TRANSPOSE;
}

/* The output index at which the guess puts the input element (r, c), or none. Elements may be those
 * of a tile that hangs over the input's edge: the guess then tells what nobody can predict. */
static uint64_t placement_index(const struct diagnosis *d, const struct placement_guess *guess,
                                uint64_t r, uint64_t c)
{
    uint64_t rows = d->problem->rows, cols = d->problem->cols, t = guess->tile, row = c, col = r;
    switch (guess->placement) {
    case PLACE_COPY:
        row = r, col = c;
        break;
    case PLACE_ROTATE90:
        col = rows - 1 - r;
        break;
    case PLACE_ROTATE270:
        row = cols - 1 - c;
        break;
    case PLACE_ANTITRANSPOSE:
        row = cols - 1 - c, col = rows - 1 - r;
        break;
    case PLACE_TILE_MOVE:
        row = c / t * t + r % t, col = r / t * t + c % t;
        break;
    case PLACE_TILE_TRANSPOSE:
        row = r / t * t + c % t, col = c / t * t + r % t;
        break;
    default:
        break;
    }
    bool keeps = placement_keeps_shape(guess->placement);
    uint64_t height = keeps ? rows : cols, width = keeps ? cols : rows;
    uint64_t index = row * (guess->wrong_pitch ? height : width) + col;
    return row < height && col < width && index < d->total ? index : none;
}

/* Whether every element of the output that holds an input element holds one that the guess puts
 * there. Others are added to `open`: only a tile that hangs over the edge can have made them. */
static bool placement_fits(const struct diagnosis *d, const struct placement_guess *guess,
                           struct element_set *open)
{
    bool ragged = guess->placement >= PLACE_TILE_MOVE &&
                  (d->problem->rows % guess->tile || d->problem->cols % guess->tile);
    uint64_t fitting = 0, limit = ragged ? d->total / 2 : 0, cols = d->problem->cols;
    for (uint64_t i = 0; i < d->total; i++) {
        struct found found = found_at(d, i);
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

/* Whether the guess puts no input element where something else was found, or nothing. */
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

/* What the kernel calls the length of an output row, and the other way round. */
static void placement_report(const struct diagnosis *d, const struct placement_guess *guess,
                             struct report *report)
{
    bool keeps = placement_keeps_shape(guess->placement),
         tiled = guess->placement >= PLACE_TILE_MOVE;
    const char *right = keeps ? "width" : "height", *wrong = keeps ? "height" : "width";
    uint64_t right_pitch = keeps ? d->problem->cols : d->problem->rows,
             wrong_pitch = keeps ? d->problem->rows : d->problem->cols;
    const char *name = d->input->output_name;
    char tiles[NAME_SIZE] = "";
    if (tiled)
        snprintf(tiles, sizeof tiles, " (tiles of %" PRIu64 "x%" PRIu64 ")", guess->tile,
                 guess->tile);
    if (guess->placement != reference_placements[d->problem->reference])
        report_add(report, "%s%s, not %s", placement_phrases[guess->placement], tiles,
                   reference_phrases[d->problem->reference]);
    if (guess->wrong_pitch)
        report_add(report,
                   "width and height swapped: rows of %s are written %s (%" PRIu64
                   ") elements apart instead of %s (%" PRIu64 ")",
                   name, wrong, wrong_pitch, right, right_pitch);
}

static bool placement_try(const struct diagnosis *d, const struct placement_guess *guess,
                          struct report *report)
{
    bool same = guess->placement == reference_placements[d->problem->reference] &&
                (guess->placement < PLACE_TILE_MOVE || guess->tile == d->problem->tile);
    if ((same && !guess->wrong_pitch) || !placement_explains(d, guess))
        return false;
    placement_report(d, guess, report);
    return true;
}

static bool diagnose_placement(const struct diagnosis *d, struct report *report)
{
    for (int pitch = 0; pitch < (d->out_rows == d->out_cols ? 1 : 2); pitch++)
        for (enum placement placement = 0; placement < PLACEMENTS; placement++) {
            bool tiled = placement >= PLACE_TILE_MOVE;
            for (size_t i = 0; i < (tiled ? d->tile_count : 1); i++) {
                struct placement_guess guess = {placement, 0, pitch};
                if (tiled && d->tiles[i].rows != d->tiles[i].cols)
                    continue;
                if (tiled)
                    guess.tile = d->tiles[i].rows;
                if (placement_try(d, &guess, report))
                    return true;
            }
        }
    return false;
}

/* ---- Gathers: what an output element got ---- */

struct gather_guess {
    /* The input index that output (row, col) gets, or none where the guess leaves it open. */
    uint64_t (*gather)(const struct diagnosis *d, const struct gather_guess *guess, uint64_t row,
                       uint64_t col);
    int64_t a, b; /* of the gather */
};

static bool gather_explains(const struct diagnosis *d, const struct gather_guess *guess)
{
    uint64_t open = 0, fitting = 0;
    for (uint64_t i = 0; i < d->total; i++) {
        uint64_t source = guess->gather(d, guess, i / d->out_cols, i % d->out_cols);
        struct found found = found_at(d, i);
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

static uint64_t gather_mirrored(const struct diagnosis *d, const struct gather_guess *guess,
                                uint64_t row, uint64_t col)
{
    return problem_source(d->problem, guess->a ? d->out_rows - 1 - row : row,
                          guess->b ? d->out_cols - 1 - col : col);
}

static bool diagnose_mirrored(const struct diagnosis *d, struct report *report)
{
    static const char *const phrases[2][2] = {
        {NULL, "the columns of %s are in reverse order"},
        {"the rows of %s are in reverse order", "%s is turned by 180 degrees"},
    };
    for (int rows = 0; rows < 2; rows++)
        for (int cols = !rows; cols < 2; cols++) {
            struct gather_guess guess = {gather_mirrored, rows, cols};
            if (!gather_explains(d, &guess))
                continue;
            char text[NAME_SIZE];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
            snprintf(text, sizeof text, phrases[rows][cols], d->input->output_name);
#pragma GCC diagnostic pop
            report_add(report, "%s", text);
            return true;
        }
    return false;
}

/* idata[y * height + x] */
static uint64_t gather_read_pitch(const struct diagnosis *d, const struct gather_guess *guess,
                                  uint64_t row, uint64_t col)
{
    (void)guess;
    uint64_t source = problem_source(d->problem, row, col), cols = d->problem->cols;
    uint64_t read = source / cols * d->problem->rows + source % cols;
    return read < d->total ? read : none;
}

/* The same problem with rows and cols exchanged, as lists of elements. */
static uint64_t gather_swapped(const struct diagnosis *d, const struct gather_guess *guess,
                               uint64_t row, uint64_t col)
{
    (void)guess;
    struct problem swapped = *d->problem;
    swapped.rows = d->problem->cols;
    swapped.cols = d->problem->rows;
    uint64_t rows, cols, index = row * d->out_cols + col;
    problem_output_shape(&swapped, &rows, &cols);
    return problem_source(&swapped, index / cols, index % cols);
}

static bool diagnose_swapped(const struct diagnosis *d, struct report *report)
{
    struct gather_guess read = {gather_read_pitch, 0, 0}, both = {gather_swapped, 0, 0};
    if (d->problem->rows == d->problem->cols)
        return false;
    if (gather_explains(d, &both)) {
        report_add(report,
                   "width and height swapped: %s was taken to have %" PRIu64 " rows of %" PRIu64
                   " elements; it has %" PRIu64 " of %" PRIu64,
                   d->input->input_name, d->problem->cols, d->problem->rows, d->problem->rows,
                   d->problem->cols);
        return true;
    }
    if (gather_explains(d, &read)) {
        report_add(report,
                   "width and height swapped: rows of %s are read height (%" PRIu64
                   ") elements apart instead of width (%" PRIu64 ")",
                   d->input->input_name, d->problem->rows, d->problem->cols);
        return true;
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
    return index < d->total ? source_of(d, index) : none;
}

/* By how far the first element that is out of place is off, rows down and columns right. */
static void displacement(const struct diagnosis *d, uint64_t index, int64_t *down, int64_t *right)
{
    uint64_t row, col;
    problem_target(d->problem, found_at(d, index).source, &row, &col);
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

static bool diagnose_shift(const struct diagnosis *d, int64_t down, int64_t right,
                           struct report *report)
{
    int64_t linear = down * (int64_t)d->out_cols + right;
    struct gather_guess plain = {gather_shifted, down, right},
                        wrapped = {gather_wrapped, shift_wrap(down, d->out_rows),
                                   shift_wrap(right, d->out_cols)},
                        offset = {gather_offset, linear, 0}, *guess = NULL;
    if (gather_explains(d, &plain))
        guess = &plain;
    else if (gather_explains(d, &wrapped))
        guess = &wrapped;
    if (guess) {
        char rows[NAME_SIZE], cols[NAME_SIZE];
        shift_phrase("row", "up", "down", guess->a, rows);
        shift_phrase("column", "to the left", "to the right", guess->b, cols);
        report_add(report, "%s is shifted%s%s%s", d->input->output_name, rows,
                   *rows && *cols ? " and" : "", cols);
        return true;
    }
    if (!gather_explains(d, &offset))
        return false;
    report_add(report, "%s is shifted by %" PRId64 " elements %s in memory", d->input->output_name,
               linear < 0 ? -linear : linear, linear < 0 ? "forward" : "back");
    return true;
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

/* One element in every group of a rows (or, with b, of b columns). */
static uint64_t gather_repeated(const struct diagnosis *d, const struct gather_guess *guess,
                                uint64_t row, uint64_t col)
{
    return problem_source(d->problem, guess->a ? row - row % (uint64_t)guess->a : row,
                          guess->b ? col - col % (uint64_t)guess->b : col);
}

/* The same element everywhere. */
static uint64_t gather_constant(const struct diagnosis *d, const struct gather_guess *guess,
                                uint64_t row, uint64_t col)
{
    (void)d, (void)row, (void)col;
    return (uint64_t)guess->a;
}

static bool diagnose_repeated(const struct diagnosis *d, struct report *report)
{
    static const int64_t groups[] = {2, 4, 8, 16, 32, 64};
    const char *name = d->input->output_name;
    uint64_t source = found_at(d, d->first[FOUND_ELEMENT]).source;
    struct gather_guess guess = {gather_constant, (int64_t)source, 0};
    if (gather_explains(d, &guess)) {
        report_add(report, "every element of %s holds %s[%" PRIu64 "][%" PRIu64 "]", name,
                   d->input->input_name, source / d->problem->cols, source % d->problem->cols);
        return true;
    }
    guess = (struct gather_guess){gather_repeated, (int64_t)d->out_rows, 0};
    if (gather_explains(d, &guess)) {
        report_add(report, "every row of %s holds the elements of the first row", name);
        return true;
    }
    guess = (struct gather_guess){gather_repeated, 0, (int64_t)d->out_cols};
    if (gather_explains(d, &guess)) {
        report_add(report, "every column of %s holds the elements of the first column", name);
        return true;
    }
    for (size_t i = 0; i < 2 * sizeof groups / sizeof *groups; i++) {
        int64_t group = groups[i / 2];
        guess = (struct gather_guess){gather_repeated, i % 2 ? group : 0, i % 2 ? 0 : group};
        if (!gather_explains(d, &guess))
            continue;
        report_add(report,
                   "elements are repeated: each group of %" PRId64
                   " %s of %s holds its first %s %" PRId64 " times",
                   group, i % 2 ? "rows" : "columns", name, i % 2 ? "row" : "column", group);
        return true;
    }
    return false;
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
        uint64_t source = source_of(d, index), r = source / cols, c = source % cols, i = r % t,
                 j = c % t;
        bool known = guess->slot(guess, &i, &j);
        r = r - r % t + i;
        c = c - c % t + j;
        struct found found = found_at(d, index);
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
            if (tile_guess_explains(d, &guess)) {
                report_add(report,
                           "the padded tile is misread: its rows are written %" PRIu64
                           " elements apart and read %" PRIu64 " apart",
                           guess.write_pitch, guess.read_pitch);
                return true;
            }
            guess.write_pitch = tile;
            guess.read_pitch = tile + padding;
        }
    }
    struct tile_guess swizzle = {slot_swizzle, tile, 0, 0};
    if (!tile_guess_explains(d, &swizzle))
        return false;
    report_add(report, "the tile (%" PRIu64 "x%" PRIu64 ") is swizzled on one side only", tile,
               tile);
    return true;
}

static bool diagnose_inside_tiles(const struct diagnosis *d, struct report *report)
{
    for (size_t i = 0; i < d->tile_count; i++)
        if (d->tiles[i].rows == d->tiles[i].cols &&
            diagnose_inside_tile(d, d->tiles[i].rows, report))
            return true;
    return false;
}

/* ---- Alterations: the right element with another value ---- */

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint32_t alter_negate(uint32_t bits, float parameter)
{
    (void)parameter;
    return bits ^ 0x80000000;
}

static uint32_t alter_absolute(uint32_t bits, float parameter)
{
    (void)parameter;
    return bits & 0x7fffffff;
}

static uint32_t alter_flush(uint32_t bits, float parameter)
{
    (void)parameter;
    return bits & 0x7f800000 ? bits : bits & 0x80000000;
}

/* Conversion to int saturates on a GPU (PTX ISA, cvt). */
static uint32_t alter_integer(uint32_t bits, float parameter)
{
    (void)parameter;
    float value = float_of(bits), limit = 2147483648.0f;
    if (value >= limit)
        return bits_of(limit);
    return bits_of(value <= -limit ? -limit : (float)(int32_t)value);
}

static uint32_t alter_bfloat(uint32_t bits, float parameter)
{
    (void)parameter;
    return bits & 0xffff0000;
}

static uint32_t alter_swap(uint32_t bits, float parameter)
{
    (void)parameter;
    return __builtin_bswap32(bits);
}

static uint32_t alter_constant(uint32_t bits, float parameter)
{
    (void)bits;
    return bits_of(parameter);
}

static uint32_t alter_scale(uint32_t bits, float parameter)
{
    return bits_of(float_of(bits) * parameter);
}

static uint32_t alter_add(uint32_t bits, float parameter)
{
    return bits_of(float_of(bits) + parameter);
}

/* Whether all written elements hold the altered right value. One element proves nothing. */
static bool alteration_explains(const struct diagnosis *d,
                                uint32_t (*alter)(uint32_t bits, float parameter), float parameter)
{
    uint64_t altered = 0;
    for (uint64_t i = 0; i < d->total; i++) {
        uint32_t bits = d->input->output[i], right = expected_bits(d, i);
        uint32_t predicted = alter(right, parameter);
        if (bits == MATRIX_POISON && d->unwritten_fits)
            continue;
        bool both_nan = isnan(float_of(bits)) && isnan(float_of(predicted));
        if (bits != predicted && !both_nan)
            return false;
        altered += bits != right;
    }
    return altered >= 1;
}

/* The right value of least size among the foreign ones, and what was found there: where something
 * was added, that is what it was. */
static float addend_guess(const struct diagnosis *d)
{
    float least = INFINITY, addend = 0;
    for (uint64_t i = 0; i < d->total; i++) {
        if (!element_set_has(&d->wrong, i) || d->input->output[i] == MATRIX_POISON)
            continue;
        float right = float_of(expected_bits(d, i)), found = float_of(d->input->output[i]);
        if (fabsf(right) < least) {
            least = fabsf(right);
            addend = found - right;
        }
    }
    return addend;
}

/* The ratio of what was found to what is right, to 1/4096, from the first element at which neither
 * is near the ends of the range. */
static float factor_guess(const struct diagnosis *d)
{
    for (uint64_t i = 0; i < d->total; i++) {
        float right = float_of(expected_bits(d, i)), found = float_of(d->input->output[i]);
        if (d->input->output[i] != MATRIX_POISON && isnormal(right) && isnormal(found) &&
            fabsf(right) > 1e-30f && fabsf(right) < 1e30f)
            return roundf(found / right * 4096) / 4096;
    }
    return 1;
}

static bool diagnose_constant(const struct diagnosis *d, struct report *report)
{
    float value = float_of(d->input->output[d->first[FOUND_FOREIGN]]);
    if (d->total < 2 || !alteration_explains(d, alter_constant, value))
        return false;
    if (isnan(value))
        report_add(report, "every element of %s is a NaN", d->input->output_name);
    else
        report_add(report, "every element of %s holds the value %.9g", d->input->output_name,
                   value);
    return true;
}

static bool diagnose_altered(const struct diagnosis *d, struct report *report)
{
    static const struct {
        uint32_t (*alter)(uint32_t bits, float parameter);
        const char *text;
    } plain[] = {
        {alter_negate, "the elements are negated"},
        {alter_absolute, "the elements have lost their signs"},
        {alter_flush, "denormal elements became 0: arithmetic was done on the elements"},
        {alter_integer, "the elements were converted to int"},
        {alter_bfloat, "the elements have lost the lower half of their bits"},
        {alter_swap, "the bytes of the elements are in reverse order"},
    };
    if (diagnose_constant(d, report))
        return true;
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (alteration_explains(d, plain[i].alter, 0)) {
            report_add(report, "%s", plain[i].text);
            return true;
        }
    if (d->total < 4) /* a factor and an addend can be found for any one element */
        return false;
    float factor = factor_guess(d), addend = addend_guess(d);
    if (alteration_explains(d, alter_scale, factor)) {
        report_add(report, "the elements are multiplied by %.9g", factor);
        return true;
    }
    if (alteration_explains(d, alter_add, addend)) {
        report_add(report, "%.9g is added to the elements", addend);
        return true;
    }
    return false;
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
            struct found found = found_at(d, index);
            if (found.kind == FOUND_UNWRITTEN && d->unwritten_fits)
                continue;
            if (found.kind == FOUND_ELEMENT && !known) {
                displacement(d, index, &down, &right);
                known = true;
            }
            struct gather_guess guess = {gather_shifted, down, right};
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

static bool diagnose_exchanged(const struct diagnosis *d, struct report *report)
{
    for (size_t i = 0; i < d->tile_count; i++) {
        struct exchange exchange = {.tiles = 0};
        struct tile_shape tile = tile_in_output(d->problem, d->tiles[i]);
        char name[NAME_SIZE], other[NAME_SIZE];
        if (tile.rows * tile.cols < 4 || !exchange_fits(d, tile, &exchange))
            continue;
        tile_name(d, d->tiles[i], exchange.row, exchange.col, name);
        tile_name(d, d->tiles[i], exchange.from_row, exchange.from_col, other);
        report_add(report,
                   "the output of %s is %s's (%" PRIu64 " of %" PRIu64
                   " tiles hold another tile's output)",
                   name, other, exchange.moved, exchange.tiles);
        return true;
    }
    return false;
}

/* ---- Sets of wrong elements ---- */

static const char *set_verdict(const struct diagnosis *d, const struct element_set *set,
                               bool plural)
{
    if (set->count == d->count[FOUND_UNWRITTEN])
        return plural ? "were never written" : "was never written";
    if (set->count == d->count[FOUND_FOREIGN])
        return plural ? "hold values that are not in the input"
                      : "holds values that are not in the input";
    if (set->count == d->count[FOUND_ELEMENT])
        return plural ? "hold other elements of the input" : "holds other elements of the input";
    return plural ? "are wrong" : "is wrong";
}

/* What to look at, or NULL. */
static const char *set_hint(const struct diagnosis *d, const struct pattern *pattern)
{
    bool swapped = d->out_rows != d->out_cols &&
                   ((pattern->rows_kept == d->out_rows && pattern->cols_kept == d->out_rows) ||
                    (pattern->cols_kept == d->out_cols && pattern->rows_kept == d->out_cols));
    if (pattern->kind == PATTERN_EDGE)
        return swapped ? "are width and height swapped in the bounds check, or in the grid?"
                       : "is the edge of the matrix covered, by the grid and by the bounds checks?";
    if (pattern->kind == PATTERN_PERIODIC)
        return "does the loop over the tile take steps of blockDim.y, and reach its end?";
    if (pattern->kind == PATTERN_TAIL || pattern->kind == PATTERN_TILES)
        return "does the grid have enough blocks, and does each find its own tile?";
    return NULL;
}

static bool diagnose_set(const struct diagnosis *d, const struct element_set *set,
                         struct report *report)
{
    struct pattern pattern;
    char first[2 * NAME_SIZE] = "", tile[NAME_SIZE];
    if (!set_describe(d, set, &pattern))
        return false;
    if (pattern.kind == PATTERN_TILES && d->tile_count) {
        tile_name(d, d->tiles[0], pattern.tile_row, pattern.tile_col, tile);
        snprintf(first, sizeof first, "; the first: %s", tile);
    }
    const char *hint = set->count == d->total ? NULL : set_hint(d, &pattern);
    report_add(report, "%s %s%s%s%s", pattern.text, set_verdict(d, set, pattern.plural), first,
               hint ? "; " : "", hint ? hint : "");
    return true;
}

/* ---- Races on the tile ---- */

struct race {
    uint64_t
        fitting; /* elements with a value from the same tile or the same place of another one */
    uint64_t foreign;
};

static struct race race_count(const struct diagnosis *d, struct tile_shape tile)
{
    struct race race = {0, 0};
    uint64_t cols = d->problem->cols;
    for (uint64_t i = d->first_wrong; i <= d->last_wrong; i++) {
        if (!element_set_has(&d->wrong, i))
            continue;
        struct found found = found_at(d, i);
        uint64_t right = source_of(d, i), r = right / cols, c = right % cols,
                 fr = found.source / cols, fc = found.source % cols;
        bool same_tile = r / tile.rows == fr / tile.rows && c / tile.cols == fc / tile.cols,
             same_place = r % tile.rows == fr % tile.rows && c % tile.cols == fc % tile.cols;
        race.foreign += found.kind == FOUND_FOREIGN;
        race.fitting += found.kind == FOUND_ELEMENT && (same_tile || same_place);
    }
    return race;
}

static bool diagnose_race(const struct diagnosis *d, struct report *report)
{
    if (2 * d->wrong.count > d->total || d->wrong.count < 3)
        return false;
    for (size_t i = 0; i < d->tile_count; i++) {
        struct race race = race_count(d, d->tiles[i]);
        if (!race.fitting || 10 * (race.fitting + race.foreign) < 9 * d->wrong.count)
            continue;
        report_add(report,
                   "this looks like a race on the tile (%" PRIu64 "x%" PRIu64 "): %" PRIu64
                   " of %" PRIu64
                   " wrong elements hold another element of it or of the tile before; is a "
                   "__syncthreads() missing?",
                   d->tiles[i].rows, d->tiles[i].cols, race.fitting, d->wrong.count);
        return true;
    }
    return false;
}

/* ---- Right tile, wrong place; right place, wrong tile ---- */

static bool diagnose_tile_order(const struct diagnosis *d, struct report *report)
{
    if (d->count[FOUND_ELEMENT] != d->wrong.count || 4 * d->wrong.count < d->total)
        return false;
    for (size_t i = 0; i < d->tile_count; i++) {
        struct tile_shape tile = d->tiles[i];
        uint64_t cols = d->problem->cols, same_tile = 0, same_place = 0;
        for (uint64_t index = d->first_wrong; index <= d->last_wrong; index++) {
            if (!element_set_has(&d->wrong, index))
                continue;
            uint64_t right = source_of(d, index), found = found_at(d, index).source;
            uint64_t r = right / cols, c = right % cols, fr = found / cols, fc = found % cols;
            same_tile += r / tile.rows == fr / tile.rows && c / tile.cols == fc / tile.cols;
            same_place += r % tile.rows == fr % tile.rows && c % tile.cols == fc % tile.cols;
        }
        if (same_tile != d->wrong.count && same_place != d->wrong.count)
            continue;
        report_add(report,
                   same_tile == d->wrong.count
                       ? "every tile (%" PRIu64 "x%" PRIu64
                         ") is in its place, but its elements are not in theirs"
                       : "elements are in the right place of a tile (%" PRIu64 "x%" PRIu64
                         "), but in the wrong tile",
                   tile.rows, tile.cols);
        return true;
    }
    return false;
}

/* ---- The report ---- */

static void report_count(const struct diagnosis *d, struct report *report)
{
    static const char *const phrases[FOUND_KINDS] = {
        "never written", "with another element of the input", "with a value not in the input"};
    char parts[FAILURE_TEXT_SIZE / 4] = "";
    size_t length = 0;
    for (int kind = 0; kind < FOUND_KINDS; kind++)
        if (d->count[kind])
            length += (size_t)snprintf(parts + length, sizeof parts - length, "%s%" PRIu64 " %s",
                                       length ? ", " : "", d->count[kind], phrases[kind]);
    report_add(report, "%" PRIu64 " of %" PRIu64 " elements of %s are wrong: %s", d->wrong.count,
               d->total, d->input->output_name, parts);
}

/* "odata[0][1] should hold idata[1][0] (1.5), but holds idata[0][1] (2.5)" */
static void report_example(const struct diagnosis *d, uint64_t index, struct report *report)
{
    uint64_t source = source_of(d, index), cols = d->problem->cols;
    struct found found = found_at(d, index);
    uint32_t bits = d->input->output[index];
    char holds[NAME_SIZE];
    if (found.kind == FOUND_UNWRITTEN)
        snprintf(holds, sizeof holds, "was never written");
    else if (found.kind == FOUND_ELEMENT)
        snprintf(holds, sizeof holds, "holds %.40s[%" PRIu64 "][%" PRIu64 "] (%.9g)",
                 d->input->input_name, found.source / cols, found.source % cols, float_of(bits));
    else if (bits == MATRIX_GUARD)
        snprintf(holds, sizeof holds, "holds what lies outside of the matrices");
    else if (isnan(float_of(bits)))
        snprintf(holds, sizeof holds, "holds a NaN (bits 0x%08" PRIx32 ")", bits);
    else
        snprintf(holds, sizeof holds, "holds %.9g", float_of(bits));
    report_add(
        report,
        "%s[%" PRIu64 "][%" PRIu64 "] should hold %s[%" PRIu64 "][%" PRIu64 "] (%.9g), but %s",
        d->input->output_name, index / d->out_cols, index % d->out_cols, d->input->input_name,
        source / cols, source % cols, float_of(expected_bits(d, index)), holds);
}

/* The first wrong element, and the first of another kind, or else the last. */
static void report_examples(const struct diagnosis *d, struct report *report)
{
    uint64_t second = d->last_wrong;
    enum found_kind first_kind = found_at(d, d->first_wrong).kind;
    for (int kind = 0; kind < FOUND_KINDS; kind++)
        if (d->count[kind] && kind != (int)first_kind)
            second = d->first[kind];
    report_example(d, d->first_wrong, report);
    if (second != d->first_wrong)
        report_example(d, second, report);
}

/* The maps and alterations, which are about what was written. */
static bool diagnose_map(const struct diagnosis *d, struct report *report)
{
    return (d->count[FOUND_ELEMENT] &&
            (diagnose_placement(d, report) || diagnose_swapped(d, report) ||
             diagnose_mirrored(d, report) || diagnose_repeated(d, report) ||
             diagnose_shifted(d, report) || diagnose_inside_tiles(d, report) ||
             diagnose_exchanged(d, report))) ||
           (d->count[FOUND_FOREIGN] && diagnose_altered(d, report));
}

static bool diagnose_written(struct diagnosis *d, struct report *report)
{
    if (diagnose_map(d, report))
        return true;
    d->unwritten_fits = true;
    if (!d->unwritten.count || !diagnose_map(d, report))
        return false;
    diagnose_set(d, &d->unwritten, report);
    return true;
}

static void diagnose_mistake(struct diagnosis *d, struct report *report)
{
    if (d->unwritten.count == d->total)
        report_add(report, "nothing was written to %s", d->input->output_name);
    else if (!diagnose_written(d, report) && !diagnose_set(d, &d->wrong, report) &&
             !diagnose_race(d, report))
        diagnose_tile_order(d, report);
}

bool diagnose_output(const struct verify_input *input, struct report *report,
                     struct failure *failure)
{
    struct diagnosis d = {.input = input, .problem = &input->problem};
    problem_output_shape(d.problem, &d.out_rows, &d.out_cols);
    d.total = d.out_rows * d.out_cols;
    bool good = element_set_make(&d.wrong, d.out_rows, d.out_cols) &&
                element_set_make(&d.unwritten, d.out_rows, d.out_cols);
    if (good) {
        tiles_collect(&d);
        census_take(&d);
        diagnose_mistake(&d, report);
        report_count(&d, report);
        report_examples(&d, report);
    } else {
        failure_harness(failure, "no memory to find out what is wrong with %s", input->output_name);
    }
    element_set_free(&d.wrong);
    element_set_free(&d.unwritten);
    return good;
}
