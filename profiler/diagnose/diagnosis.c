#include "diagnose/diagnosis.h"

#include <inttypes.h>
#include <stdio.h>

struct found diagnosis_found(const struct diagnosis *d, uint64_t index)
{
    uint32_t source, bits = d->input->output[index];
    if (bits == MATRIX_POISON)
        return (struct found){FOUND_UNWRITTEN, none};
    if (matrix_index(d->problem->seed, bits, d->total, &source))
        return (struct found){FOUND_ELEMENT, source};
    return (struct found){FOUND_FOREIGN, none};
}

uint64_t diagnosis_source(const struct diagnosis *d, uint64_t index)
{
    return problem_source(d->problem, index / d->out_cols, index % d->out_cols);
}

uint32_t diagnosis_expected(const struct diagnosis *d, uint64_t index)
{
    return matrix_value(d->problem->seed, (uint32_t)diagnosis_source(d, index));
}

static void census_count(struct diagnosis *d, uint64_t index)
{
    enum found_kind kind = diagnosis_found(d, index).kind;
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

/* Returns the smallest multiple of a block's side with which the grid covers a matrix side. */
static uint64_t block_extent(uint64_t block, uint64_t grid, uint64_t side)
{
    uint64_t reach = block * grid;
    return (side + reach - 1) / reach * block;
}

/* Derive the tile of a block from the launch configuration. Each side of the tile is a multiple of
 * the side of the block, and the grid has exactly one block per tile. Also add the usual tiles. */
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

struct tile_shape diagnosis_tile_in_output(const struct diagnosis *d, struct tile_shape tile)
{
    const struct problem *problem = d->problem;
    bool turned = problem->reference != REFERENCE_COPY && problem->reference != REFERENCE_TILE_MOVE;
    return turned ? (struct tile_shape){tile.cols, tile.rows} : tile;
}

void diagnosis_name_tile(const struct diagnosis *d, struct tile_shape tile, uint64_t out_row,
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

bool diagnosis_make(struct diagnosis *d, const struct verify_input *input)
{
    *d = (struct diagnosis){.input = input, .problem = &input->problem};
    problem_output_shape(d->problem, &d->out_rows, &d->out_cols);
    d->total = d->out_rows * d->out_cols;
    if (!element_set_make(&d->wrong, d->out_rows, d->out_cols) ||
        !element_set_make(&d->unwritten, d->out_rows, d->out_cols))
        return false;
    tiles_collect(d);
    census_take(d);
    return true;
}

void diagnosis_free(struct diagnosis *d)
{
    element_set_free(&d->wrong);
    element_set_free(&d->unwritten);
}
