/* second_look.c: what other launches of a failed source say about its mistake.
 *
 * Theory of operation. A small launch takes a millisecond, so once one has failed there is time for
 * questions. Would it be right with another grid or block (a table of shapes)? If so, that is the
 * mistake. If it faulted: what comes out when accesses out of bounds are left out and nothing is
 * checked? diagnose.h may know that output. Last, what is plain to see (plain_mistakes.c).
 */
#include "run/attempt.h"

#include "course/verdict.h"
#include "run/other_text.h"
#include "run/plain_mistakes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    LOOK_AGAIN_MAX = 1 << 16, /* elements */
    LOOK_BUDGET = 4 << 20,    /* warp instructions of a block */
    MISTAKE_SIZE = 400,
};

/* ---- Launches of another shape ---- */

struct shape {
    struct dimensions grid, block;
};

static uint64_t volume(struct dimensions d)
{
    return (uint64_t)d.x * d.y * d.z;
}

static uint32_t ceil_div(uint64_t a, uint64_t b)
{
    return (uint32_t)((a + b - 1) / b);
}

/* The natural grid for tiles of `width` x `height` elements. */
static struct dimensions natural_grid(struct source_size size, uint32_t width, uint32_t height)
{
    return (struct dimensions){ceil_div(size.cols, width), ceil_div(size.rows, height), 1};
}

static void shape_exchange(struct shape *shape, struct source_size size)
{
    struct dimensions grid = shape->grid;
    (void)size;
    shape->grid = shape->block;
    shape->block = grid;
}

static void shape_turn_grid(struct shape *shape, struct source_size size)
{
    uint32_t x = shape->grid.x;
    (void)size;
    shape->grid.x = shape->grid.y;
    shape->grid.y = x;
}

static void shape_turn_block(struct shape *shape, struct source_size size)
{
    uint32_t x = shape->block.x;
    (void)size;
    shape->block.x = shape->block.y;
    shape->block.y = x;
}

static void shape_add_column(struct shape *shape, struct source_size size)
{
    (void)size;
    shape->grid.x++;
}

static void shape_add_row(struct shape *shape, struct source_size size)
{
    (void)size;
    shape->grid.y++;
}

static void shape_add_both(struct shape *shape, struct source_size size)
{
    shape_add_column(shape, size);
    shape_add_row(shape, size);
}

static void shape_cover_squares(struct shape *shape, struct source_size size)
{
    shape->grid = natural_grid(size, shape->block.x, shape->block.x);
}

static void shape_cover_blocks(struct shape *shape, struct source_size size)
{
    shape->grid = natural_grid(size, shape->block.x, shape->block.y);
}

static void shape_cover_line(struct shape *shape, struct source_size size)
{
    shape_cover_squares(shape, size);
    shape->grid = (struct dimensions){shape->grid.x * shape->grid.y, 1, 1};
}

/* Blocks of less than a warp are hardly meant. */
static void shape_block_8(struct shape *shape, struct source_size size)
{
    (void)size;
    if (volume(shape->block) >= 32)
        return;
    shape->block = (struct dimensions){32, 8, 1};
}

static void shape_block_32(struct shape *shape, struct source_size size)
{
    (void)size;
    if (volume(shape->block) >= 32)
        return;
    shape->block = (struct dimensions){32, 32, 1};
}

/* Squares of threads, where the loop goes down the tile in steps of fewer rows. */
static void shape_block_quarter(struct shape *shape, struct source_size size)
{
    (void)size;
    if (shape->block.x == shape->block.y && shape->block.y % 4 == 0)
        shape->block.y /= 4;
}

static void shape_block_half(struct shape *shape, struct source_size size)
{
    (void)size;
    if (shape->block.x == shape->block.y && shape->block.y % 2 == 0)
        shape->block.y /= 2;
}

static void shape_block_double(struct shape *shape, struct source_size size)
{
    (void)size;
    if (shape->block.x > shape->block.y)
        shape->block.y *= 2;
}

static void shape_whole_8(struct shape *shape, struct source_size size)
{
    shape_block_8(shape, size);
    shape_cover_squares(shape, size);
}

static void shape_whole_line(struct shape *shape, struct source_size size)
{
    shape_block_8(shape, size);
    shape_cover_line(shape, size);
}

static void shape_whole_32(struct shape *shape, struct source_size size)
{
    shape_block_32(shape, size);
    shape_cover_squares(shape, size);
}

/* Behind these stand the grid and block with which the result is right. */
#define GRID_IS_SMALL "the grid looks too small"
#define BLOCK_IS_SMALL "the block looks too small"
#define BLOCK_IS_LARGE "the block looks too large"
#define LAUNCH_IS_SMALL "grid and block look too small"

static const struct {
    void (*alter)(struct shape *shape, struct source_size size);
    const char *mistake;
} shapes[] = {
    {shape_exchange, "grid and block look exchanged: with the one for the other the result is "
                     "right (LAB_LAUNCH returns the grid first)"},
    {shape_turn_grid,
     "the grid's x and y look exchanged (or blockIdx.x and blockIdx.y): the other way "
     "round the result is right"},
    {shape_turn_block,
     "the block's x and y look exchanged: the other way round the result is right"},
    {shape_add_column, GRID_IS_SMALL},
    {shape_add_row, GRID_IS_SMALL},
    {shape_add_both, GRID_IS_SMALL},
    {shape_cover_squares, GRID_IS_SMALL},
    {shape_cover_blocks, GRID_IS_SMALL},
    {shape_cover_line, GRID_IS_SMALL},
    {shape_block_8, BLOCK_IS_SMALL},
    {shape_block_32, BLOCK_IS_SMALL},
    {shape_block_double, BLOCK_IS_SMALL},
    {shape_block_quarter, BLOCK_IS_LARGE},
    {shape_block_half, BLOCK_IS_LARGE},
    {shape_whole_8, LAUNCH_IS_SMALL},
    {shape_whole_line, LAUNCH_IS_SMALL},
    {shape_whole_32, LAUNCH_IS_SMALL},
};

static bool dimensions_differ(struct dimensions a, struct dimensions b)
{
    return a.x != b.x || a.y != b.y || a.z != b.z;
}

/* Another attempt at the same size. */
static struct attempt again(const struct attempt *failed, struct variation variation)
{
    variation.is_silent = true;
    variation.block_budget = LOOK_BUDGET;
    return (struct attempt){.source = failed->source,
                            .asker = failed->asker,
                            .size = failed->size,
                            .variation = variation};
}

static bool is_right_with(const struct attempt *failed, const struct shape *shape)
{
    struct failure failure = {0};
    struct attempt attempt =
        again(failed,
              (struct variation){.is_reshaped = true, .grid = shape->grid, .block = shape->block});
    bool right =
        attempt_launch(&attempt, false, &failure) && attempt_verify(&attempt, NULL, &failure);
    attempt_free(&attempt);
    return right;
}

/* "64 x 96", and a third number only where it says something. */
static void name_dimensions(struct dimensions d, char text[48])
{
    if (d.z != 1)
        snprintf(text, 48, "%u x %u x %u", d.x, d.y, d.z);
    else
        snprintf(text, 48, "%u x %u", d.x, d.y);
}

static void name_shape(const char *mistake, const struct shape *asked, const struct shape *shape,
                       char text[MISTAKE_SIZE])
{
    char grid[48], block[48];
    name_dimensions(shape->grid, grid);
    name_dimensions(shape->block, block);
    if (strstr(mistake, "right"))
        snprintf(text, MISTAKE_SIZE, "%s", mistake);
    else
        snprintf(text, MISTAKE_SIZE, "%s: with %s blocks of %s threads the result is right%s",
                 mistake, grid, block,
                 asked->grid.y == 1 && shape->grid.y > 1
                     ? " (in a grid of one row blockIdx.y is 0 in all blocks)"
                     : "");
}

/* Where elements are in wrong places, and the block is wider than high, it is as it is meant: then
 * threadIdx.x and threadIdx.y are exchanged, and diagnose_kernel.c says where. */
static bool is_tried(size_t i, const struct shape *asked, enum status status)
{
    return shapes[i].alter != shape_turn_block || status != STATUS_WRONG_RESULT ||
           asked->block.x < asked->block.y;
}

/* The first shape that makes the result right: what it says of the mistake. False: there is
 * none. */
static bool find_shape(const struct attempt *failed, enum status status, char mistake[MISTAKE_SIZE])
{
    const struct shape asked = {failed->launch.grid, failed->launch.block};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct shape shape = asked;
        shapes[i].alter(&shape, failed->size);
        bool other = dimensions_differ(shape.grid, asked.grid) ||
                     dimensions_differ(shape.block, asked.block);
        if (other && is_tried(i, &asked, status) && volume(shape.grid) <= LOOK_AGAIN_MAX &&
            volume(shape.block) <= 1024 && is_right_with(failed, &shape)) {
            name_shape(shapes[i].mistake, &asked, &shape, mistake);
            return true;
        }
    }
    return false;
}

/* ---- Without the accesses that faulted ---- */

/* True: the mistake was named. */
static bool tell_lenient(const struct attempt *failed, const struct failure *wrong,
                         struct report *report)
{
    bool is_named = false;
    struct failure failure = {0};
    struct report named = {.lines = 0};
    struct attempt attempt = again(failed, (struct variation){.is_lenient = true});
    bool bounds = wrong->status == STATUS_OUT_OF_BOUNDS || wrong->status == STATUS_MISALIGNED;
    if (!attempt_launch(&attempt, false, &failure))
        ; /* it says nothing */
    else if (bounds && attempt_verify(&attempt, NULL, &failure))
        report_add(report, "Without such accesses the result is right at this size: is there an if "
                           "that keeps them out, and are its bounds right?");
    else if ((is_named = attempt_name_mistake(&attempt, &named)))
        report_add(report, "%s%s", bounds ? "Without such accesses: " : "", named.text);
    attempt_free(&attempt);
    return is_named;
}

/* ---- All together ---- */

static void tell_launch(const struct attempt *failed, struct report *report)
{
    char grid[48], block[48];
    name_dimensions(failed->launch.grid, grid);
    name_dimensions(failed->launch.block, block);
    report_add(report, "Launched: a grid of %s blocks of %s threads", grid, block);
}

/* Put `more` behind a failure's text. */
static void failure_add(struct failure *failure, const struct report *more)
{
    const struct failure said = *failure;
    if (!more->lines)
        return;
    *failure = (struct failure){0};
    failure_student(failure, said.status, "%s\n%s", said.text, more->text);
}

static bool is_worth_a_look(const struct attempt *failed, const struct failure *failure)
{
    switch (failure->status) {
    case STATUS_WRONG_RESULT:
    case STATUS_OUT_OF_BOUNDS:
    case STATUS_MISALIGNED:
    case STATUS_UNINITIALISED:
    case STATUS_RACE:
        return failed->size.rows * failed->size.cols <= LOOK_AGAIN_MAX;
    default:
        return false;
    }
}

/* A slip of the pen, or what another grid or block would cure. */
static bool find_cure(const struct attempt *failed, enum status status, char mistake[MISTAKE_SIZE])
{
    struct report edit = {.lines = 0};
    if (other_text_edits(failed, true, &edit)) {
        snprintf(mistake, MISTAKE_SIZE, "%.*s", MISTAKE_SIZE - 1, edit.text);
        return true;
    }
    return find_shape(failed, status, mistake);
}

static void look(const struct attempt *failed, struct failure *failure)
{
    struct report facts = {.lines = 0}, other = {.lines = 0}, unseen = {.lines = 0};
    char text[MISTAKE_SIZE];
    const char *mistake = find_cure(failed, failure->status, text) ? text : NULL;
    bool is_named = mistake;
    if (mistake && failure->status == STATUS_WRONG_RESULT) {
        *failure = (struct failure){0};
        attempt_verify(failed, mistake, failure);
    } else if (mistake) {
        report_add(&other, "%s", mistake);
    } else if (failure->status != STATUS_WRONG_RESULT) {
        is_named = plain_tile_is_small(failed) || tell_lenient(failed, failure, &other);
    } else {
        is_named = attempt_name_mistake(failed, &unseen);
    }
    failure_add(failure, &other);
    if (!mistake)
        plain_mistakes_tell(failed, failure, &facts);
    if (!is_named)
        other_text_edits(failed, false, &facts);
    failure_add(failure, &facts);
}

void attempt_look_again(const struct attempt *attempt, struct failure *failure)
{
    struct report launch = {.lines = 0};
    if (failure->kind != FAILURE_STUDENT || !attempt->launch.program)
        return;
    if (!attempt->source->options->report.is_brief && is_worth_a_look(attempt, failure))
        look(attempt, failure);
    tell_launch(attempt, &launch);
    failure_add(failure, &launch);
}
