/* second_look.c: what other launches of a failed source say about its mistake.
 *
 * Theory of operation. A small launch takes a millisecond, so once one has failed there is time for
 * questions. Would it be right with another grid or block (a table of shapes)? If so, that is the
 * mistake. If it faulted: what comes out when accesses out of bounds are left out and nothing is
 * checked? diagnose.h may know that output. Last, what is plain from program and launch: arrays of
 * each thread's own, a tile with too little room, elements of another width, `&`. These are told as
 * what they are, and as a question where they need not be the mistake.
 */
#include "run/attempt.h"

#include "base/code_text.h"
#include "base/paths.h"
#include "course/verdict.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

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

/* A block that is wider than high is as it is meant: then threadIdx.x and threadIdx.y are exchanged,
 * and diagnose_kernel.c says where. */
static void shape_turn_block(struct shape *shape, struct source_size size)
{
    uint32_t x = shape->block.x;
    (void)size;
    if (x >= shape->block.y)
        return;
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

#define GRID_IS_SMALL "the grid looks too small: with more blocks the result is right"
#define BLOCK_IS_SMALL "the block looks too small: with more threads the result is right"
#define LAUNCH_IS_SMALL                                                                            \
    "grid and block look too small: with more blocks of more threads the result is right"

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

/* The first shape that makes the result right; NULL: none. More blocks are no remedy where too many
 * elements are written already, and then are not tried for what faults. */
static const char *find_shape(const struct attempt *failed)
{
    const struct shape asked = {failed->launch.grid, failed->launch.block};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct shape shape = asked;
        shapes[i].alter(&shape, failed->size);
        bool other = dimensions_differ(shape.grid, asked.grid) ||
                     dimensions_differ(shape.block, asked.block);
        if (other && volume(shape.grid) <= LOOK_AGAIN_MAX && volume(shape.block) <= 1024 &&
            is_right_with(failed, &shape))
            return shapes[i].mistake;
    }
    return NULL;
}

/* ---- Without the accesses that faulted ---- */

static void tell_lenient(const struct attempt *failed, const struct failure *wrong,
                         struct report *report)
{
    struct failure failure = {0};
    struct report named = {.lines = 0};
    struct attempt attempt = again(failed, (struct variation){.is_lenient = true});
    bool bounds = wrong->status == STATUS_OUT_OF_BOUNDS || wrong->status == STATUS_MISALIGNED;
    if (!attempt_launch(&attempt, false, &failure))
        ; /* it says nothing */
    else if (bounds && attempt_verify(&attempt, NULL, &failure))
        report_add(report, "Without such accesses the result is right at this size: is there an if "
                           "that keeps them out, and are its bounds right?");
    else if (attempt_name_mistake(&attempt, &named))
        report_add(report, "%s%s", bounds ? "Without such accesses: " : "", named.text);
    attempt_free(&attempt);
}

/* ---- What is plain from program and launch ---- */

/* Bytes of arrays that each thread of the kernel has to itself. */
static void tell_local_arrays(const struct attempt *failed, struct report *report)
{
    enum { WORTH_TELLING = 256 };
    const struct program_function *kernel =
        &failed->launch.program->functions[failed->launch.function];
    if (kernel->local_bytes >= WORTH_TELLING && !failed->result.shared_bytes)
        report_add(report,
                   "Each thread has an array of %u bytes to itself, and nothing is in shared "
                   "memory: is __shared__ missing?",
                   kernel->local_bytes);
}

/* A tile with less room than a block has elements to move. */
static void tell_small_tile(const struct attempt *failed, struct report *report)
{
    const struct array_shapes *declared = &failed->source->shapes;
    uint64_t elements = failed->size.rows * failed->size.cols, blocks = volume(failed->launch.grid);
    if (declared->count != 1 || declared->shapes[0].dimensions != 2 || !blocks)
        return;
    const struct array_shape *shape = &declared->shapes[0];
    uint64_t each = elements / blocks, room = (uint64_t)shape->extent[0] * shape->extent[1];
    if (room < each)
        report_add(report,
                   "%s has room for %" PRIu64 " elements (%" PRIu32 " x %" PRIu32
                   "); a block has %" PRIu64 " to move",
                   shape->name, room, shape->extent[0], shape->extent[1], each);
}

/* Loads and stores of 8 bytes, one element each, where elements have 4. */
static void tell_wide_elements(const struct attempt *failed, struct report *report)
{
    const struct program *program = failed->launch.program;
    const struct program_function *kernel = &program->functions[failed->launch.function];
    for (size_t i = 0; failed->source->exercise.function < 0 && i < kernel->code_count; i++) {
        const struct instruction *instruction = &kernel->code[i];
        if ((instruction->kind != SIMT_LOAD && instruction->kind != SIMT_STORE) ||
            (instruction->space != PTX_GLOBAL && instruction->space != PTX_GENERIC) ||
            instruction->bytes != 8 || instruction->vector != 1)
            continue;
        report_add(report,
                   "The kernel %s elements of 8 bytes; those of %s have 4: is it declared with "
                   "another type?",
                   instruction->kind == SIMT_LOAD ? "loads" : "stores",
                   source_parameter_name(failed->source, instruction->kind == SIMT_LOAD));
        return;
    }
}

/* The word behind `at`, if it names a mask. */
static bool names_mask(const char *at)
{
    for (; code_is_word(*at); at++)
        if (!strncasecmp(at, "mask", 4))
            return true;
    return false;
}

/* A binary & whose right side is a name or a number that is no mask: `x & 32`, `x & TILE_DIM`.
 * References, `float &x` or `float& x`, have a blank on one side only. */
static bool is_odd_and(const char *code, const char *at)
{
    const char *before = at, *behind = at + 1;
    if (at == code || at[1] == '&' || at[1] == '=' || at[-1] == '&')
        return false;
    while (before > code && (before[-1] == ' ' || before[-1] == '\t'))
        before--;
    behind += strspn(behind, " \t");
    if (before == code || !(code_is_word(before[-1]) || strchr(")]", before[-1])) ||
        !code_is_word(*behind) || (before == at) != (behind == at + 1))
        return false;
    char *end;
    unsigned long long number = strtoull(behind, &end, 0);
    return end != behind ? number && !(number & 1) : !names_mask(behind);
}

static void tell_and(const struct attempt *failed, struct report *report)
{
    const char *code = failed->source->code;
    for (const char *at = code; at && (at = strchr(at, '&')); at++)
        if (is_odd_and(code, at)) {
            size_t name = 0;
            const char *right = at + 1 + strspn(at + 1, " \t");
            while (code_is_word(right[name]) && name < 40)
                name++;
            report_add(report,
                       "%s(%u): `& %.*s` is the bitwise and; the remainder of a division is %%: "
                       "which is meant?",
                       path_basename(failed->source->path), code_line(code, at), (int)name, right);
            break;
        }
}

/* The compiler's warnings, the first two. */
static void tell_warnings(const struct attempt *failed, struct report *report)
{
    const char *at = failed->source->compiled.warnings;
    for (int told = 0; at && *at && told < 2;) {
        int length = (int)strcspn(at, "\n");
        char line[300];
        snprintf(line, sizeof line, "%.*s", length, at);
        if (strstr(line, "warning #") || strstr(line, "warning:")) {
            report_add(report, "The compiler warns: %s", line);
            told++;
        }
        at += length + (at[length] == '\n');
    }
}

/* ---- All together ---- */

/* "64 x 96", and a third number only where it says something. */
static void name_dimensions(struct dimensions d, char text[48])
{
    if (d.z != 1)
        snprintf(text, 48, "%u x %u x %u", d.x, d.y, d.z);
    else
        snprintf(text, 48, "%u x %u", d.x, d.y);
}

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

static void look(const struct attempt *failed, struct failure *failure)
{
    struct report facts = {.lines = 0}, other = {.lines = 0};
    const char *mistake = find_shape(failed);
    if (mistake && failure->status == STATUS_WRONG_RESULT) {
        *failure = (struct failure){0};
        attempt_verify(failed, mistake, failure);
    } else if (mistake) {
        report_add(&other, "%s", mistake);
    } else if (failure->status != STATUS_WRONG_RESULT) {
        tell_lenient(failed, failure, &other);
    }
    failure_add(failure, &other);
    if (!mistake) {
        tell_small_tile(failed, &facts);
        tell_local_arrays(failed, &facts);
        tell_wide_elements(failed, &facts);
        tell_and(failed, &facts);
        tell_warnings(failed, &facts);
    }
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
