/* second_look.c: find the mistake in a failed source by launching it again with changes. Theory of
 * operation. A small launch takes a millisecond, so there is time for further launches after a
 * failure. If the result is correct with another grid, block or source text (hypotheses.h), the
 * changed part was the mistake. After a fault, one launch skips out-of-bounds accesses and all
 * checks; diagnose.h may recognize its output. The mistakes of plain_mistakes.c are tested last. */
#include "diagnose/suspect.h"

#include "diagnose/diagnose.h"
#include "diagnose/hypotheses.h"
#include "diagnose/other_text.h"
#include "diagnose/plain_mistakes.h"

#include <inttypes.h>
#include <string.h>

enum { EXAMINED_MAX = 1 << 16 }; /* maximum number of elements, and of blocks */

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

static struct dimensions turned(struct dimensions d)
{
    return (struct dimensions){d.y, d.x, d.z};
}

static struct dimensions other_block(const struct suspect *suspect, unsigned how)
{
    struct dimensions block = suspect->launch->block;
    const bool is_small = volume(block) < 32, is_square = block.x == block.y;
    switch (how) {
    case BLOCK_TURN:
        return turned(block);
    case BLOCK_8:
        return is_small ? (struct dimensions){32, 8, 1} : block;
    case BLOCK_32:
        return is_small ? (struct dimensions){32, 32, 1} : block;
    case BLOCK_QUARTER:
        block.y /= is_square && block.y % 4 == 0 ? 4 : 1;
        return block;
    case BLOCK_NARROW:
        block.x /= is_square && block.x % 4 == 0 ? 4 : 1;
        return block;
    case BLOCK_HALF:
        block.y /= is_square && block.y % 2 == 0 ? 2 : 1;
        return block;
    case BLOCK_DOUBLE:
        *(block.y > 1 && block.x > block.y ? &block.y : &block.x) *= is_square ? 1 : 2;
        return block;
    case BLOCK_TILE:
        block.y = suspect->input.problem.tile > block.y && block.y > 1 ? suspect->input.problem.tile
                                                                       : block.y;
        return block;
    default:
        return block;
    }
}

static struct dimensions other_grid(const struct suspect *suspect, struct dimensions block,
                                    unsigned how)
{
    const uint64_t rows = suspect->input.problem.rows, cols = suspect->input.problem.cols;
    struct dimensions grid = suspect->launch->grid;
    if (how >= GRID_BATCH) {
        uint32_t *const sides[] = {&grid.x, &grid.y, &grid.z}, matrices = suspect->matrices,
                        from = how % 3, to = (from + 1 + (how - GRID_BATCH) / 3) % 3;
        if (matrices > 1 && (from == to || *sides[from] % matrices == 0)) {
            *sides[from] /= from == to ? 1 : matrices;
            *sides[to] *= matrices;
        }
        return grid;
    }
    switch (how) {
    case GRID_FOR_BLOCK:
        return suspect->launch->block;
    case GRID_TURN:
        return rows > 1 ? turned(grid) : grid;
    case GRID_PAIRS: {
        const uint32_t across = ceil_div(cols, block.x);
        return rows == cols ? (struct dimensions){across * (across + 1) / 2, 1, 1} : grid;
    }
    case GRID_SQUARES:
        return (struct dimensions){ceil_div(cols, block.x), ceil_div(rows, block.x), 1};
    case GRID_BLOCKS:
        return (struct dimensions){ceil_div(cols, block.x), ceil_div(rows, block.y), 1};
    case GRID_TILES:
    case GRID_TILES_TURNED: {
        const uint32_t tile = suspect->input.problem.tile ? suspect->input.problem.tile : 1;
        const struct dimensions tiles = {ceil_div(cols, tile), ceil_div(rows, tile), 1};
        return rows == 1 ? grid : how == GRID_TILES ? tiles : turned(tiles);
    }
    case GRID_LINE:
        return (struct dimensions){ceil_div(cols, block.x) * ceil_div(rows, block.x), 1, 1};
    default:
        grid.x += how == GRID_COLUMN || how == GRID_BOTH;
        grid.y += how == GRID_ROW || how == GRID_BOTH;
        return grid;
    }
}

static struct shape other_shape(const struct suspect *suspect, unsigned how)
{
    const unsigned grid = how / LAUNCH(1, 0), block = how % LAUNCH(1, 0);
    struct shape shape = {.block = other_block(suspect, block)};
    shape.grid = other_grid(suspect, shape.block, grid);
    if (grid == GRID_FOR_BLOCK)
        shape.block = suspect->launch->grid;
    return shape;
}

static const char *format_dimensions(struct dimensions d, char text[48])
{
    snprintf(text, 48, d.z != 1 ? "%u x %u x %u" : "%u x %u", d.x, d.y, d.z);
    return text;
}

/* Returns true if a hypothesis applies to a block. If the result is wrong and the block is at least
 * as wide as it is high, the block is probably intended. In this case, diagnose_kernel.c finds
 * exchanged uses of threadIdx.x and threadIdx.y. */
static bool is_tried(const struct hypothesis *hypothesis, struct dimensions block,
                     enum status status)
{
    /* With a block for each matrix, there is no second iteration. The race then disappears,
     * although the barrier is still missing. */
    if (status == STATUS_RACE && hypothesis->finding == FINDING_GRID_OF_BATCH)
        return false;
    return hypothesis->finding != FINDING_BLOCK_EXCHANGED || status != STATUS_WRONG_RESULT ||
           block.x < block.y;
}

/* Returns true if the result of a sum or a histogram is also correct with more blocks. If not, the
 * larger grid is correct by chance, for example because it divides the number of elements. */
static bool is_correct_with_more(const struct suspect *suspect, struct shape shape)
{
    const struct trial trial = {.grid = &shape.grid, .block = &shape.block};
    const bool is_larger = volume(shape.grid) > volume(suspect->launch->grid);
    shape.grid.x = 2 * shape.grid.x + 1;
    return suspect->is_map || !is_larger || suspect->is_correct(suspect->context, &trial, NULL);
}

/* Report the first launch configuration with a correct result. Returns false if there is none. For
 * data of one row, more rows of blocks are not tried: they only repeat the work. */
static bool find_shape(const struct suspect *suspect, enum status status, struct report *report)
{
    const struct dimensions grid = suspect->launch->grid, block = suspect->launch->block;
    const struct hypothesis *tried = NULL;
    unsigned batch = 0;
    while ((tried = batch ? tried : hypothesis_next(BY_LAUNCH, tried))) {
        const struct shape shape = other_shape(suspect, tried->how + LAUNCH(batch, 0));
        batch = tried->how == LAUNCH(GRID_BATCH, BLOCK_KEEP) && batch < 8 ? batch + 1 : 0;
        const struct trial trial = {.grid = &shape.grid, .block = &shape.block};
        char blocks[48], threads[48];
        if ((memcmp(&shape.grid, &grid, sizeof grid) ||
             memcmp(&shape.block, &block, sizeof block)) &&
            is_tried(tried, block, status) &&
            (suspect->input.problem.rows > 1 || shape.grid.y * shape.grid.z <= grid.y * grid.z) &&
            volume(shape.grid) <= EXAMINED_MAX && volume(shape.block) <= 1024 &&
            suspect->is_correct(suspect->context, &trial, NULL) &&
            is_correct_with_more(suspect, shape)) {
            report_add(report, tried->finding, "%s%s",
                       tried->how == LAUNCH(GRID_TILES, BLOCK_KEEP) &&
                               volume(shape.grid) > volume(grid)
                           ? "the grid looks too small"
                           : tried->text,
                       grid.y == 1 && shape.grid.y > 1 && suspect->is_map &&
                               tried->finding != FINDING_GRID_EXCHANGED &&
                               volume(shape.grid) <= volume(grid)
                           ? " (in a grid with one row, blockIdx.y is 0 in every block; compute "
                             "the row and the column of the tile from blockIdx.x)"
                           : "");
            return report_add_repair(
                report, "The result is correct with a grid of %s blocks of %s threads",
                format_dimensions(shape.grid, blocks), format_dimensions(shape.block, threads));
        }
    }
    return false;
}

static bool report_lenient(const struct suspect *suspect, enum status status, struct report *report)
{
    const struct trial trial = {.is_lenient = true};
    const bool bounds = status == STATUS_OUT_OF_BOUNDS || status == STATUS_MISALIGNED;
    struct report named = {.lines = 0};
    const bool is_correct = suspect->is_correct(suspect->context, &trial, &named);
    const enum finding_id first = named.findings.count ? named.findings.list[0].id : FINDING_NONE;
    /* Skipped loads and uninitialized words change values: these findings are consequences. */
    if ((bounds && (first == FINDING_FOREIGN || first == FINDING_VALUE_ALTERED)) ||
        (status == STATUS_UNINITIALISED && !suspect->is_map))
        return false;
    if (is_correct && bounds)
        report_add(
            report, FINDING_GUARD_MISSING,
            "Without these accesses the result is correct at this size. Does an if statement "
            "guard the accesses, and are the bounds in its condition correct?");
    else if (named.lines && bounds)
        report_add(report, FINDING_NONE, "Without these accesses: %s", named.text);
    else if (named.lines)
        report_add(report, FINDING_NONE, "%s", named.text);
    for (unsigned i = 0; i < named.findings.count; i++)
        findings_add(&report->findings, named.findings.list[i].id, 0, 0);
    return named.lines;
}

/* Returns true if more bytes of dynamic shared memory give the correct result: LAB_LAUNCH requests
 * elements instead of bytes, or rows without padding. */
static bool find_few_bytes(const struct suspect *suspect, struct report *report)
{
    static const struct {
        uint32_t part, times;
    } more[] = {{64, 1}, {32, 1}, {16, 1}, {8, 1}, {4, 1}, {2, 1}, {1, 1}, {1, 3}, {1, 7}, {1, 15}};
    enum { MORE = sizeof more / sizeof *more, FOR_ELEMENTS = 7 };
    const uint32_t bytes = suspect->launch->dynamic_shared;
    const bool has_sizeof = suspect->code && strstr(suspect->code, "sizeof");
    for (unsigned i = has_sizeof ? 0 : FOR_ELEMENTS; bytes && i < MORE; i++) {
        const struct trial trial = {.shared_more = bytes / more[i].part * more[i].times};
        if (!suspect->is_correct(suspect->context, &trial, NULL))
            continue;
        report_add(
            report, FINDING_SHARED_IN_ELEMENTS,
            "LAB_LAUNCH requests %u bytes of shared memory, but the kernel uses more%s", bytes,
            i < FOR_ELEMENTS ? ", perhaps for the padding of each row"
                             : ". This may be a number of elements: LAB_LAUNCH contains no sizeof");
        return report_add_repair(report, "The result is correct with %u bytes",
                                 bytes + trial.shared_more);
    }
    return false;
}

/* Report a race that no further barrier can fix. Returns true if the mistake is also reported. */
static bool find_barriers_useless(const struct suspect *suspect, const struct failure *failure,
                                  struct report *report)
{
    const struct trial trial = {.has_barriers = true};
    struct report named = {.lines = 0};
    /* Within a warp, this test is not valid, because the compiler omits stores that only other
     * lanes load. */
    if (failure_has(failure, FINDING_RACE_IN_WARP))
        return false;
    if (suspect->is_correct(suspect->context, &trial, &named))
        return failure_has(failure, FINDING_RACE_SAME_LINE) &&
               report_add_at(report, FINDING_BARRIER_IN_STATEMENT, failure->line,
                             "In line %" PRIu32
                             ", a thread loads an element that another thread stores in the same "
                             "step, and a statement cannot contain a barrier. Load the element "
                             "into a variable, call __syncthreads(), and then store. Or let no "
                             "active thread store an element that another active thread loads.",
                             failure->line);
    report_add(
        report, FINDING_BARRIER_NOT_ENOUGH,
        "A barrier alone does not repair the race: with a barrier between all stores and loads, "
        "the result is still incorrect. Which elements does each thread read and write?%s",
        suspect->has_floats
            ? ""
            : " If several threads change one element, they need atomic operations.");
    if (named.lines)
        report_join(report, &named);
    return named.lines;
}

static bool is_examined(const struct suspect *suspect, enum status status)
{
    switch (status) {
    case STATUS_WRONG_RESULT:
    case STATUS_OUT_OF_BOUNDS:
    case STATUS_MISALIGNED:
    case STATUS_UNINITIALISED:
    case STATUS_RACE:
    case STATUS_TIMEOUT:
    case STATUS_DEADLOCK:
        return suspect->input.problem.rows * suspect->input.problem.cols <= EXAMINED_MAX;
    default:
        return false;
    }
}

static enum finding_id first_finding(const struct findings *findings)
{
    for (unsigned i = 0; i < findings->count; i++)
        if (findings->list[i].id != FINDING_BARRIER_NOT_ENOUGH)
            return findings->list[i].id;
    return FINDING_NONE;
}

/* Returns true if the first finding describes the output instead of a mistake in the source. */
static bool is_vague(const struct suspect *suspect, enum status status, enum finding_id first)
{
    return (!suspect->is_map && status == STATUS_WRONG_RESULT) ||
           first == FINDING_TILES_EXCHANGED || first == FINDING_SHIFTED ||
           first == FINDING_UNWRITTEN || first == FINDING_MISPLACED || first == FINDING_FOREIGN ||
           first == FINDING_MAP_COPIED;
}

/* Put the mistake before the symptom, because advice about the symptom may not apply. */
static void report_first(const struct report *mistake, struct failure *failure)
{
    const struct failure symptom = *failure;
    if (!mistake->lines)
        return;
    snprintf(failure->text, sizeof failure->text, "%s", mistake->text);
    failure->findings = mistake->findings;
    failure_append(failure, &symptom.findings, "%s", symptom.text);
}

/* Returns true if `change` changes the condition of a return that `facts` reports. */
static bool is_of_early_return(const struct report *facts, const struct report *change)
{
    const uint32_t line = change->lines ? change->findings.list[0].line : 0;
    for (unsigned i = 0; line && i < facts->findings.count; i++)
        if (facts->findings.list[i].id == FINDING_RETURN_TOO_EARLY &&
            (facts->findings.list[i].line == line || facts->findings.list[i].line == line + 1))
            return true;
    return false;
}

static void look(const struct suspect *suspect, struct failure *failure)
{
    const enum status status = failure->status;
    struct report facts = {.lines = 0}, mistake = {.lines = 0}, last = {.lines = 0};
    /* The message names the operation that some threads do not reach. A change of another line may
     * give the correct result by chance, for example because the operation is never executed. */
    if (status == STATUS_DEADLOCK || failure_has(failure, FINDING_LANE_ABSENT)) {
        plain_return_report(suspect, failure->line, &facts);
        plain_mistakes_report(suspect, failure, &facts);
        report_append(&facts, failure);
        return;
    }
    const bool has_xor = suspect->code && strchr(suspect->code, '^') &&
                         (status == STATUS_WRONG_RESULT || status == STATUS_UNINITIALISED),
               is_edited = (has_xor && one_change_report(suspect, failure, CHANGE_XOR, &mistake)) ||
                           other_text_report(suspect, FIRST, failure, &mistake),
               is_fixed = is_edited || find_shape(suspect, status, &mistake);
    bool is_named = is_fixed;
    if (is_fixed && status == STATUS_WRONG_RESULT && suspect->is_map) {
        *failure = (struct failure){0};
        suspect->blame(suspect->context, &mistake, failure);
        mistake.lines = 0;
    } else if (is_fixed && (status == STATUS_RACE || status == STATUS_WRONG_RESULT)) {
        report_first(&mistake, failure);
        mistake.lines = 0;
    } else if (!is_fixed && status != STATUS_WRONG_RESULT) {
        is_named = plain_tile_is_small(suspect, NULL) || find_few_bytes(suspect, &mistake) ||
                   (status == STATUS_RACE && !failure_has(failure, FINDING_RACE_UPDATE) &&
                    (one_change_report(suspect, failure,
                                       failure_has(failure, FINDING_RACE_SAME_LINE) ? CHANGE_COMMON
                                                                                    : CHANGE_NAMES,
                                       &mistake) ||
                     find_barriers_useless(suspect, failure, &mistake))) ||
                   report_lenient(suspect, status, &mistake);
    } else if (!is_fixed) {
        struct report unseen = {.lines = 0};
        is_named = suspect->is_map && diagnose_name(&suspect->input, &unseen);
        if (!is_named && !failure_has(failure, FINDING_NOTHING_WRITTEN) &&
            plain_dimensions_report(suspect, &mistake) && suspect->is_map) {
            *failure = (struct failure){0};
            suspect->blame(suspect->context, &mistake, failure);
            mistake.lines = 0;
        }
    }
    const enum finding_id named =
        first_finding(status == STATUS_WRONG_RESULT ? &failure->findings : &mistake.findings);
    const struct failure symptom = *failure;
    report_append(&mistake, failure);
    if (!is_fixed)
        plain_mistakes_report(suspect, failure, &facts);
    const bool is_unknown = !is_named || is_vague(suspect, status, named),
               is_moved = (named >= FINDING_MAP_COPIED && named <= FINDING_MAP_TILE_TRANSPOSED) ||
                          named == FINDING_GUARD_MISSING,
               is_guess = named == FINDING_STEP_MISSING || named == FINDING_STEP_MISPLACED,
               is_of_lenient = status != STATUS_WRONG_RESULT && named >= FINDING_RETURNS_EARLY &&
                               named <= FINDING_BOUNDS_UNCHECKED && !is_fixed,
               is_open = !mistake.lines || failure_has(failure, FINDING_BARRIER_NOT_ENOUGH) ||
                         (status != STATUS_WRONG_RESULT && is_vague(suspect, status, named)) ||
                         is_moved || is_of_lenient;
    bool found = (is_unknown && !is_edited && other_text_report(suspect, LAST, failure, &last)) ||
                 (!is_fixed && !report_has_repair(&facts) &&
                  !failure_has(failure, FINDING_REPAIR_TESTED) && is_open &&
                  one_change_report(suspect, failure,
                                    is_unknown || is_guess || is_of_lenient ||
                                            failure_has(failure, FINDING_RACE_TWO_STORES)
                                        ? CHANGE_ANY
                                    : is_moved ? CHANGE_COMMON
                                               : CHANGE_NAMES,
                                    &last));
    if (found && is_of_early_return(&facts, &last)) {
        found = false;
        last.lines = 0;
    }
    if (!found && !is_fixed && report_has_repair(&facts)) { /* put the repaired line first */
        last = facts;
        facts = (struct report){0};
        found = true;
    }
    const struct problem *problem = &suspect->input.problem;
    /* Omit the finding of the lenient launch if a change repairs the kernel, or if the finding is
     * only a guess about a loop offset. */
    if (is_of_lenient && (found || is_guess))
        *failure = symptom;
    if (status == STATUS_MISALIGNED && !found && (problem->rows % 4 || problem->cols % 4))
        report_add_at(&last, FINDING_ROW_MISALIGNED, failure->line,
                      "At this size, rows do not have a multiple of 4 elements, so not every row "
                      "begins at a multiple of 16 bytes. Which condition tests the row length?");
    if (status == STATUS_UNINITIALISED && !found && !failure_has(failure, FINDING_REPAIR_TESTED)) {
        if (!failure_has(failure, FINDING_DIMENSION_SINGLE))
            plain_dimensions_report(suspect, &last);
        plain_stores_report(suspect, &last);
    }
    if (found && is_guess && status == STATUS_WRONG_RESULT && suspect->is_map) {
        *failure = (struct failure){0}; /* without the guess */
        suspect->blame(suspect->context, &last, failure);
    } else if (found && (((is_unknown || is_guess) && status == STATUS_WRONG_RESULT) ||
                         failure_has(failure, FINDING_RACE_TWO_STORES))) {
        report_first(&last, failure);
    } else {
        report_join(&facts, &last);
    }
    report_append(&facts, failure);
}

void suspect_look_again(const struct suspect *suspect, bool is_brief, struct failure *failure)
{
    struct report launch = {.lines = 0}, warnings = {.lines = 0};
    char grid[48], block[48];
    if (!is_brief && is_examined(suspect, failure->status))
        look(suspect, failure);
    report_add(&launch, FINDING_LAUNCHED, "Launched: a grid of %s blocks of %s threads",
               format_dimensions(suspect->launch->grid, grid),
               format_dimensions(suspect->launch->block, block));
    report_append(&launch, failure);
    if (!is_brief)
        plain_warnings_report(suspect->warnings, &warnings);
    if (failure->status == STATUS_DEADLOCK ||
        (suspect->is_map && is_vague(suspect, failure->status, first_finding(&failure->findings))))
        report_first(&warnings, failure);
    else
        report_append(&warnings, failure);
}
