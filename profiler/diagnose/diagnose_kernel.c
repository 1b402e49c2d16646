/* diagnose_kernel.c: test whether a kernel of the course with one wrong index writes this output.
 *
 * Theory of operation. The kernels of the course have few forms: elements go directly from idata to
 * odata, or through a tile that is stored directly or transposed. Each access has a row and a
 * column. Each row and each column is a sum of a block index, a thread index and the loop offset. A
 * *mistake* alters this sum in one access (or in two accesses that share variables), or alters a
 * bounds check. This file simulates such a kernel, block by block and thread by thread, and
 * compares its output element by element. A mistake explains an output if every element fits. An
 * element without a defined value fits any value: several threads write it in any order, or its
 * value comes from uninitialized memory. If more than half of the elements have no defined value,
 * the mistake is rejected. Mistakes that explain the same output are reported together. */
#include "diagnose/diagnosis.h"
#include "diagnose/hypotheses.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_X, BLOCK_Y, NO_BLOCK }; /* the block index in a sum */
enum { THREAD_X, THREAD_Y };

/* An index: block * tile + thread, plus the loop offset i if has_step. */
struct index {
    unsigned char block, thread;
    bool has_step;
};

struct pair {
    struct index row, col;
};

enum access { ACCESS_IN, ACCESS_TILE_STORE, ACCESS_TILE_LOAD, ACCESS_OUT, ACCESSES };

struct model {
    bool has_tile;
    struct pair pairs[ACCESSES];
    bool wrong_pitch[ACCESSES];   /* ACCESS_IN, ACCESS_OUT: width and height are exchanged */
    bool wrong_bounds[ACCESSES];  /* width and height are exchanged in the check */
    bool without_check[ACCESSES]; /* the access has no check */
    bool input_check;             /* the check before the store tests the row and column of idata */
    bool returns_past_col, returns_past_row; /* threads without an input element return */
    bool one_iteration;                      /* the loop stops after its first iteration */
    bool has_correct_checks;                 /* the mistake does not affect the bounds checks */
};

static void pair_exchange(struct pair *pair)
{
    const struct index row = pair->row;
    pair->row = pair->col;
    pair->col = row;
}

static void mistake_apply(struct model *model, unsigned how, unsigned access)
{
    struct pair *pair = &model->pairs[access];
    const bool row_has_step = pair->row.has_step;
    switch (how) {
    case INDEX_RETURN:
        model->returns_past_col = model->returns_past_row = true;
        break;
    case INDEX_RETURN_COL:
        model->returns_past_col = true;
        break;
    case INDEX_RETURN_ROW:
        model->returns_past_row = true;
        break;
    case INDEX_ROUNDS:
        model->one_iteration = true;
        break;
    case INDEX_STEP:
        pair->row.has_step = pair->col.has_step = false;
        break;
    case INDEX_STEP_OVER:
        pair->row.has_step = pair->col.has_step;
        pair->col.has_step = row_has_step;
        break;
    case INDEX_THREADS:
        pair->row.thread = !pair->row.thread;
        pair->col.thread = !pair->col.thread;
        break;
    case INDEX_BLOCKS:
        if (pair->row.block == NO_BLOCK)
            break;
        pair->row.block = !pair->row.block;
        pair->col.block = !pair->col.block;
        break;
    case INDEX_BOUNDS:
        model->wrong_bounds[access] = true;
        break;
    case INDEX_ORDER:
        pair_exchange(pair);
        break;
    case INDEX_ORDER_BUT_STEP: /* without the loop offset: row * height + col + i */
        pair_exchange(pair);
        pair->row.has_step = row_has_step;
        pair->col.has_step = !row_has_step;
        break;
    case INDEX_PITCH:
        model->wrong_pitch[access] = true;
        break;
    case INDEX_INPUT_CHECK:
        model->input_check = true;
        break;
    case INDEX_CHECK:
        model->without_check[access] = true;
        break;
    default:
        break;
    }
}

static const char *access_name(const struct diagnosis *d, unsigned access)
{
    return access == ACCESS_IN           ? d->input->input_name
           : access == ACCESS_OUT        ? d->input->output_name
           : access == ACCESS_TILE_STORE ? "the store to the tile"
                                         : "the load from the tile";
}

/* Special values of an element of the output or the tile, instead of an input index. `undefined`:
 * uninitialized memory. `disputed`: stored by several threads with different values. */
static const uint64_t undefined = UINT64_MAX - 1, disputed = UINT64_MAX - 2;

struct simulation {
    const struct diagnosis *d;
    const struct model *model, *correct;
    uint64_t tile, step;  /* side of the tile; side of the block in y */
    uint64_t *made;       /* the simulated output; `none` if unwritten */
    uint64_t *writer;     /* the thread that wrote each element */
    uint64_t *tile_holds; /* the shared tile, tile x tile elements */
    uint64_t stores;
    uint64_t block[2], thread[2], number, i; /* the simulated thread; its loop offset */
};

struct place {
    uint64_t row, col;
};

static uint64_t index_value(const struct simulation *s, struct index index)
{
    uint64_t base = index.block == NO_BLOCK ? 0 : s->block[index.block] * s->tile;
    return base + s->thread[index.thread] + (index.has_step ? s->i : 0);
}

static struct place pair_place(const struct simulation *s, const struct model *model,
                               unsigned access)
{
    const struct pair *pair = &model->pairs[access];
    return (struct place){index_value(s, pair->row), index_value(s, pair->col)};
}

/* Returns an access's index in memory; `none` if its check fails; `undefined` if out of bounds. */
static uint64_t memory_index(const struct simulation *s, unsigned access)
{
    const struct diagnosis *d = s->d;
    const struct model *model = s->model;
    uint64_t rows = access == ACCESS_IN ? d->problem->rows : d->out_rows,
             cols = access == ACCESS_IN ? d->problem->cols : d->out_cols;
    uint64_t high = model->wrong_bounds[access] ? cols : rows,
             wide = model->wrong_bounds[access] ? rows : cols;
    struct place at = pair_place(s, model, access),
                 checked = pair_place(s, model->has_correct_checks ? s->correct : model, access);
    if (model->input_check && access == ACCESS_OUT) {
        checked = pair_place(s, s->correct, ACCESS_IN);
        high = d->problem->rows;
        wide = d->problem->cols;
    }
    if (!model->without_check[access] && (checked.row >= high || checked.col >= wide))
        return none;
    uint64_t index = at.row * (model->wrong_pitch[access] ? rows : cols) + at.col;
    return index < d->total ? index : undefined;
}

static bool thread_has_returned(const struct simulation *s)
{
    const struct problem *problem = s->d->problem;
    return (s->model->returns_past_col &&
            s->block[BLOCK_X] * s->tile + s->thread[THREAD_X] >= problem->cols) ||
           (s->model->returns_past_row &&
            s->block[BLOCK_Y] * s->tile + s->thread[THREAD_Y] >= problem->rows);
}

static void simulate_store(struct simulation *s, uint64_t index, uint64_t value)
{
    if (index >= s->d->total)
        return;
    s->stores++;
    if (s->made[index] != none && s->made[index] != value && s->writer[index] != s->number)
        value = disputed;
    s->made[index] = value;
    s->writer[index] = s->number;
}

/* Copy an element from idata to the tile, or to odata if there is no tile. */
static void simulate_load(struct simulation *s)
{
    uint64_t value = memory_index(s, ACCESS_IN);
    if (value == none && s->model->without_check[ACCESS_OUT])
        value = undefined;
    if (value == none)
        return;
    if (!s->model->has_tile) {
        simulate_store(s, memory_index(s, ACCESS_OUT), value);
        return;
    }
    struct place at = pair_place(s, s->model, ACCESS_TILE_STORE);
    if (at.row < s->tile && at.col < s->tile)
        s->tile_holds[at.row * s->tile + at.col] = value;
}

static void simulate_unload(struct simulation *s)
{
    struct place at = pair_place(s, s->model, ACCESS_TILE_LOAD);
    bool inside = at.row < s->tile && at.col < s->tile;
    simulate_store(s, memory_index(s, ACCESS_OUT),
                   inside ? s->tile_holds[at.row * s->tile + at.col] : undefined);
}

static void simulate_block(struct simulation *s, void (*phase)(struct simulation *s))
{
    const uint64_t tiles_x = (s->d->problem->cols + s->tile - 1) / s->tile,
                   end = s->model->one_iteration ? s->step : s->tile;
    s->number = (s->block[1] * tiles_x + s->block[0]) * s->tile * s->step;
    for (s->thread[1] = 0; s->thread[1] < s->step; s->thread[1]++)
        for (s->thread[0] = 0; s->thread[0] < s->tile; s->thread[0]++, s->number++)
            for (s->i = 0; s->i < end && !thread_has_returned(s); s->i += s->step)
                phase(s);
}

/* Returns true if the output element fits the simulated element. Any value fits `disputed`, and any
 * written value fits `undefined`. */
static bool element_fits(const struct simulation *s, uint64_t index)
{
    uint64_t made = s->made[index];
    if (made == disputed)
        return true;
    struct found found = diagnosis_found(s->d, index);
    return made == none        ? found.kind == FOUND_UNWRITTEN
           : made == undefined ? found.kind != FOUND_UNWRITTEN
                               : found.kind == FOUND_ELEMENT && found.source == made;
}

static void simulate(struct simulation *s)
{
    const struct problem *problem = s->d->problem;
    const uint64_t tiles_x = (problem->cols + s->tile - 1) / s->tile,
                   tiles_y = (problem->rows + s->tile - 1) / s->tile;
    s->stores = 0;
    for (uint64_t i = 0; i < s->d->total; i++)
        s->made[i] = none;
    for (s->block[1] = 0; s->block[1] < tiles_y; s->block[1]++)
        for (s->block[0] = 0; s->block[0] < tiles_x; s->block[0]++) {
            for (uint64_t i = 0; i < s->tile * s->tile; i++)
                s->tile_holds[i] = undefined;
            simulate_block(s, simulate_load);
            if (s->model->has_tile)
                simulate_block(s, simulate_unload);
        }
}

/* Returns true if every element fits, the number of stores is equal (if known), and at most half of
 * the elements are unknown: disputed, or correct but undefined in the simulation. */
static bool simulation_fits(const struct simulation *s)
{
    const struct diagnosis *d = s->d;
    uint64_t unknown = 0, wrong_count = 0;
    if (d->input->stored && d->input->stored != s->stores)
        return false;
    for (uint64_t i = 0; i < d->total; i++) {
        uint64_t made = s->made[i];
        bool wrong = element_set_has(&d->wrong, i);
        if (!element_fits(s, i))
            return false;
        unknown += made == disputed || (made == undefined && !wrong);
        wrong_count += wrong;
    }
    return wrong_count && 2 * unknown <= d->total;
}

enum { WRONG_MIN = 4 }; /* minimum number of elements that a mistake must alter */

enum { DIRECT, TILED, TILED_TRANSPOSED, FORMS };

/* Make the correct kernel of a form for a reference: without a tile, or with a tile that is stored
 * directly or transposed. Returns false if there is no such kernel. */
static bool model_make(enum reference reference, unsigned form, struct model *model)
{
    const struct index tx = {NO_BLOCK, THREAD_X, false}, ty = {NO_BLOCK, THREAD_Y, true};
    const bool turns = reference == REFERENCE_TRANSPOSE || reference == REFERENCE_TILE_TRANSPOSE,
               moves = reference == REFERENCE_TRANSPOSE || reference == REFERENCE_TILE_MOVE;
    if (!turns && !moves && reference != REFERENCE_COPY)
        return false;
    struct index row = {moves ? BLOCK_X : BLOCK_Y, THREAD_Y, true},
                 col = {moves ? BLOCK_Y : BLOCK_X, THREAD_X, false};
    *model = (struct model){.has_tile = form != DIRECT};
    model->pairs[ACCESS_IN] = (struct pair){{BLOCK_Y, THREAD_Y, true}, {BLOCK_X, THREAD_X, false}};
    model->pairs[ACCESS_TILE_STORE] =
        form != TILED_TRANSPOSED ? (struct pair){ty, tx} : (struct pair){tx, ty};
    model->pairs[ACCESS_TILE_LOAD] =
        turns == (form != TILED_TRANSPOSED) ? (struct pair){tx, ty} : (struct pair){ty, tx};
    if (form == DIRECT && turns) {
        row = (struct index){row.block, THREAD_X, false};
        col = (struct index){col.block, THREAD_Y, true};
    }
    model->pairs[ACCESS_OUT] = (struct pair){row, col};
    return true;
}

/* At most two mistakes that fit, and the names of their accesses. */
struct names {
    const struct hypothesis *mistakes[2];
    char text[2][NAME_SIZE + NAME_SIZE];
    unsigned count;
};

static void names_add(struct names *names, const struct diagnosis *d,
                      const struct hypothesis *tried, const char *where)
{
    /* In a grid with one row, the kernel computes the row and column of its tile. */
    const bool finds_tiles = d->input->grid_y == 1 && d->problem->rows > d->input->block_x;
    if (names->count && names->mistakes[names->count - 1] == tried) {
        char *text = names->text[names->count - 1], *end = text + strlen(text);
        if (!strstr(text, where))
            snprintf(end, sizeof *names->text - (size_t)(end - text), " or of %s", where);
        return;
    }
    if (names->count == 2)
        return;
    names->mistakes[names->count] = tried;
    snprintf(names->text[names->count++], sizeof *names->text, "%s%s",
             tried->how == INDEX_BLOCKS && finds_tiles
                 ? "the tile's column and row are exchanged in the index of "
                 : tried->text,
             where);
}

/* Returns true if the mistake explains the result. If the mistake changes an index, test two cases:
 * the bounds checks use the wrong index, or the bounds checks are correct. */
static bool mistake_fits(struct simulation *s, const struct hypothesis *tried, unsigned accesses)
{
    struct model model = *s->correct;
    bool fits = false;
    for (unsigned access = 0; access < ACCESSES; access++)
        if (accesses >> access & 1)
            mistake_apply(&model, tried->how, access);
    if (!memcmp(&model, s->correct, sizeof model))
        return false;
    s->model = &model;
    bool indexes =
        memcmp(&model.pairs[ACCESS_IN], &s->correct->pairs[ACCESS_IN], sizeof *model.pairs) ||
        memcmp(&model.pairs[ACCESS_OUT], &s->correct->pairs[ACCESS_OUT], sizeof *model.pairs);
    for (int correct = 0; correct <= indexes && !fits; correct++) {
        model.has_correct_checks = correct;
        simulate(s);
        fits = simulation_fits(s);
    }
    s->model = s->correct;
    return fits;
}

/* Returns true if a mistake is tested for a form. Mistakes outside of the tile are tested only
 * once, because they do not depend on how the tile is stored. */
static bool mistake_is_tried(const struct hypothesis *tried, const struct model *correct,
                             unsigned form, unsigned access)
{
    bool global = access == ACCESS_IN || access == ACCESS_OUT;
    return global ? form != TILED_TRANSPOSED && tried->where & GLOBALS
                  : correct->has_tile && tried->where & TILES;
}

static void try_mistake(struct simulation *s, const struct hypothesis *tried, unsigned form,
                        struct names *names)
{
    char both[NAME_SIZE];
    if (form != TILED_TRANSPOSED && tried->where & ALONE && mistake_fits(s, tried, 1))
        names_add(names, s->d, tried, "");
    for (unsigned access = 0; access < ACCESSES; access++)
        if (mistake_is_tried(tried, s->correct, form, access) &&
            mistake_fits(s, tried, 1u << access))
            names_add(names, s->d, tried, access_name(s->d, access));
    if (s->correct->has_tile && tried->where & TILES_BOTH &&
        mistake_fits(s, tried, 1u << ACCESS_TILE_STORE | 1u << ACCESS_TILE_LOAD))
        names_add(names, s->d, tried, "both the store to the tile and the load from it");
    if (form != TILED_TRANSPOSED && tried->where & BOTH &&
        mistake_fits(s, tried, 1u << ACCESS_IN | 1u << ACCESS_OUT)) {
        snprintf(both, sizeof both, "both %s and %s", s->d->input->input_name,
                 s->d->input->output_name);
        names_add(names, s->d, tried, both);
    }
}

static bool simulation_open(struct simulation *s, const struct diagnosis *d)
{
    const struct verify_input *input = d->input;
    *s = (struct simulation){.d = d, .tile = input->block_x, .step = input->block_y};
    if (s->tile < 2 || !s->step || s->tile % s->step || d->total > DIAGNOSE_KERNEL_MAX ||
        d->wrong.count < WRONG_MIN)
        return false;
    s->made = calloc(d->total, sizeof *s->made);
    s->writer = calloc(d->total, sizeof *s->writer);
    s->tile_holds = calloc(s->tile * s->tile, sizeof *s->tile_holds);
    return s->made && s->writer && s->tile_holds;
}

static void simulation_close(struct simulation *s)
{
    free(s->made);
    free(s->writer);
    free(s->tile_holds);
}

bool diagnose_kernel(const struct diagnosis *d, struct report *report)
{
    struct simulation s;
    struct names names = {.count = 0};
    struct model correct;
    bool open = simulation_open(&s, d) && !d->unwritten_fits;
    s.correct = &correct;
    for (const struct hypothesis *h = NULL; open && (h = hypothesis_next(BY_INDEX, h));)
        for (unsigned form = d->input->has_no_bound && h->how == INDEX_BOUNDS ? FORMS : 0;
             form < (d->input->has_no_tile ? TILED : FORMS) &&
             model_make(d->problem->reference, form, &correct);
             form++)
            try_mistake(&s, h, form, &names);
    simulation_close(&s);
    if (names.count)
        report_add(report, names.mistakes[0]->finding, "this looks as if %s%s%s", names.text[0],
                   names.count > 1 ? ", or as if " : "", names.count > 1 ? names.text[1] : "");
    if (names.count > 1)
        findings_add(&report->findings, names.mistakes[1]->finding, 0, 0);
    return names.count;
}
