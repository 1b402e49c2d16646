/* diagnose.c: name the mistake in a wrong output.
 *
 * Theory of operation. All input values differ, so every element of the output tells its story: it
 * still holds the poison (never written), or the value of a known input element, or a value that is
 * in no input ("foreign"). A census counts these. Then the known mistakes are tried, each as a
 * prediction for *all* elements, right ones included, that a single element can refute:
 *
 * - a placement (diagnose_placement.c) says to which output index an input element is written:
 *   other reference maps, tiles only moved or only turned, a wrong pitch;
 * - a gather (diagnose_gather.c) says which input element an output index gets: mirrored, shifted,
 *   repeated, read with a wrong pitch, through a padded tile read as if it were not;
 * - a mistake (diagnose_kernel.c): a kernel of the course with one index altered, computed;
 * - an exchange (diagnose_gather.c): whole tiles of the output hold what belongs into other tiles;
 * - an alteration (diagnose_alteration.c) says what became of the right value: arithmetic, a
 *   conversion;
 * - a set: the wrong elements, whatever they hold, are those that a few words describe (pattern.h),
 *   as when edges, or every second row, are left out;
 * - a race: a scattered minority holds other elements of the same tile, or the same place of
 *   another tile. This is the one guess that need not explain everything, and it says so.
 *
 * What no guess explains is counted and shown by examples. A prediction may leave elements open
 * (where a tile hangs over the matrix's edge, a wrong kernel writes rubbish), but must settle half
 * of them. All guesses are tried twice: first an unwritten element refutes a guess that has it
 * written; then it fits any guess, and the unwritten elements are described as a second mistake.
 *
 * Everything runs in one thread and in a fixed order: the text does not depend on threads.
 */
#include "diagnose/diagnose.h"

#include "diagnose/diagnose_guesses.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Sets of wrong elements ---- */

/* The set's tiles, in the output's shape. */
static bool set_describe(const struct diagnosis *d, const struct element_set *set,
                         struct pattern *pattern)
{
    struct tile_shape tiles[MAX_TILES];
    for (size_t i = 0; i < d->tile_count; i++)
        tiles[i] = diagnosis_tile_in_output(d, d->tiles[i]);
    return pattern_describe(set, d->input->output_name, tiles, d->tile_count, pattern);
}

static const char *set_verdict(const struct diagnosis *d, const struct element_set *set,
                               bool plural)
{
    if (set->count == d->count[FOUND_UNWRITTEN])
        return plural ? "were never written" : "was never written";
    if (set->count == d->count[FOUND_FOREIGN])
        return plural ? "hold values that are not in the input" : "holds what is not in the input";
    if (set->count == d->count[FOUND_ELEMENT])
        return plural ? "hold other elements of the input" : "holds what belongs elsewhere";
    return plural ? "are wrong" : "is wrong";
}

static enum finding_id set_finding(const struct diagnosis *d, const struct element_set *set)
{
    static const enum finding_id findings[FOUND_KINDS] = {FINDING_UNWRITTEN, FINDING_MISPLACED,
                                                          FINDING_FOREIGN};
    for (int kind = 0; kind < FOUND_KINDS; kind++)
        if (set->count == d->count[kind])
            return findings[kind];
    return FINDING_WRONG_ELEMENTS;
}

/* Are some elements stored several times, so that others are left out? */
static bool repeats(const struct diagnosis *d)
{
    return d->unwritten.count && d->input->stored >= d->total;
}

/* What to look at, or NULL. */
static const char *set_hint(const struct diagnosis *d, const struct element_set *set,
                            const struct pattern *pattern)
{
    bool swapped = d->out_rows != d->out_cols &&
                   ((pattern->rows_kept == d->out_rows && pattern->cols_kept == d->out_rows) ||
                    (pattern->cols_kept == d->out_cols && pattern->rows_kept == d->out_cols));
    if (set->count == d->count[FOUND_FOREIGN] && set->count > 1)
        return "(is the tile filled, and __syncthreads() called, before it is read?)";
    if (repeats(d)) /* said below */
        return NULL;
    switch (pattern->kind) {
    case PATTERN_EDGE:
        return swapped ? "(are width and height swapped in the bounds check, or in the grid?)"
               : set->count == d->count[FOUND_ELEMENT]
                   ? NULL
                   : "(do the grid and the bounds checks cover the edge of the matrix?)";
    case PATTERN_PERIODIC:
        return pattern->ends_period && d->input->block_y && pattern->period > d->input->block_y &&
                       pattern->period_first % d->input->block_y == 0
                   ? "(does the loop over the tile take steps of blockDim.y, and reach its end?)"
               : set->count == d->count[FOUND_ELEMENT]
                   ? NULL
                   : "(do all threads of a block come to the line that stores?)";
    case PATTERN_TAIL:
    case PATTERN_TILES:
        return "(does the grid have enough blocks, and does each find its own tile?)";
    case PATTERN_PART:
        return d->tile_count && set->count % (d->tiles[0].rows * d->tiles[0].cols) == 0
                   ? "(does each block find its own tile?)"
                   : NULL;
    default:
        return NULL;
    }
}

/* `hints`: say what to look at. */
static bool diagnose_set(const struct diagnosis *d, const struct element_set *set, bool hints,
                         struct report *report)
{
    struct pattern pattern;
    char first[2 * NAME_SIZE] = "", tile[NAME_SIZE];
    if (!set_describe(d, set, &pattern))
        return false;
    if (pattern.kind == PATTERN_TILES) {
        diagnosis_name_tile(d, d->tiles[pattern.tile], pattern.tile_row, pattern.tile_col, tile);
        snprintf(first, sizeof first, "; the first: %s", tile);
    }
    report_add(report, set_finding(d, set), "%s %s%s", pattern.text,
               set_verdict(d, set, pattern.plural), first);
    const char *hint = set_hint(d, set, &pattern);
    if (hints && hint)
        report_add(report, FINDING_NONE, "%s", hint);
    return true;
}

/* ---- Elements of the right tile, or of the right place in a tile ---- */

/* How many of the wrong elements hold an element of the tile that they belong to, one of the same
 * place in another tile, either of them, or what is in no input. */
struct tile_fit {
    uint64_t same_tile, same_place, either, foreign;
};

static struct tile_fit tile_fit_count(const struct diagnosis *d, struct tile_shape tile)
{
    struct tile_fit fit = {0};
    uint64_t cols = d->problem->cols;
    for (uint64_t i = d->first_wrong; i <= d->last_wrong; i++) {
        if (!element_set_has(&d->wrong, i))
            continue;
        struct found found = diagnosis_found(d, i);
        fit.foreign += found.kind == FOUND_FOREIGN;
        if (found.kind != FOUND_ELEMENT)
            continue;
        uint64_t right = diagnosis_source(d, i), r = right / cols, c = right % cols,
                 fr = found.source / cols, fc = found.source % cols;
        bool same_tile = r / tile.rows == fr / tile.rows && c / tile.cols == fc / tile.cols,
             same_place = r % tile.rows == fr % tile.rows && c % tile.cols == fc % tile.cols;
        fit.same_tile += same_tile;
        fit.same_place += same_place;
        fit.either += same_tile || same_place;
    }
    return fit;
}

static bool diagnose_race(const struct diagnosis *d, struct report *report)
{
    if (2 * d->wrong.count > d->total || d->wrong.count < 3)
        return false;
    for (size_t i = 0; i < d->tile_count; i++) {
        struct tile_fit fit = tile_fit_count(d, d->tiles[i]);
        if (!fit.either || 10 * (fit.either + fit.foreign) < 9 * d->wrong.count)
            continue;
        return report_add(report, FINDING_TILE_RACE,
                          "this looks like a race on the tile (%" PRIu64 "x%" PRIu64 "): %" PRIu64
                          " of %" PRIu64
                          " wrong elements hold another element of it, or of another tile",
                          d->tiles[i].rows, d->tiles[i].cols, fit.either, d->wrong.count);
    }
    return false;
}

static bool diagnose_tile_order(const struct diagnosis *d, struct report *report)
{
    if (d->count[FOUND_ELEMENT] != d->wrong.count || 4 * d->wrong.count < d->total)
        return false;
    for (size_t i = 0; i < d->tile_count; i++) {
        struct tile_shape tile = d->tiles[i];
        struct tile_fit fit = tile_fit_count(d, tile);
        if (fit.same_tile != d->wrong.count && fit.same_place != d->wrong.count)
            continue;
        return report_add(report, FINDING_TILE_ORDER,
                          fit.same_tile == d->wrong.count
                              ? "every tile (%" PRIu64 "x%" PRIu64
                                ") is in its place, but its elements are not in theirs"
                              : "elements are in the right place of a tile (%" PRIu64 "x%" PRIu64
                                "), but in the wrong tile",
                          tile.rows, tile.cols);
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
    report_add(report, d->unwritten.count ? FINDING_UNWRITTEN : FINDING_NONE,
               "%" PRIu64 " of %" PRIu64 " elements of %s are wrong: %s", d->wrong.count, d->total,
               d->input->output_name, parts);
}

/* "odata[0][1] should hold idata[1][0] (1.5), but holds idata[0][1] (2.5)" */
static void report_example(const struct diagnosis *d, uint64_t index, struct report *report)
{
    uint64_t source = diagnosis_source(d, index), cols = d->problem->cols;
    struct found found = diagnosis_found(d, index);
    uint32_t bits = d->input->output[index];
    char holds[NAME_SIZE];
    if (found.kind == FOUND_UNWRITTEN)
        snprintf(holds, sizeof holds, "was never written");
    else if (found.kind == FOUND_ELEMENT)
        snprintf(holds, sizeof holds, "holds %.40s[%" PRIu64 "][%" PRIu64 "] (%.9g)",
                 d->input->input_name, found.source / cols, found.source % cols,
                 matrix_float(bits));
    else if (bits == MATRIX_GUARD)
        snprintf(holds, sizeof holds, "holds what lies outside of the matrices");
    else if (isnan(matrix_float(bits)))
        snprintf(holds, sizeof holds, "holds a NaN (bits 0x%08" PRIx32 ")", bits);
    else
        snprintf(holds, sizeof holds, "holds %.9g", matrix_float(bits));
    report_add(
        report, FINDING_NONE,
        "%s[%" PRIu64 "][%" PRIu64 "] should hold %s[%" PRIu64 "][%" PRIu64 "] (%.9g), but %s",
        d->input->output_name, index / d->out_cols, index % d->out_cols, d->input->input_name,
        source / cols, source % cols, matrix_float(diagnosis_expected(d, index)), holds);
}

/* The first wrong element, and the first of another kind, or else the last. */
static void report_examples(const struct diagnosis *d, struct report *report)
{
    uint64_t second = d->last_wrong;
    enum found_kind first_kind = diagnosis_found(d, d->first_wrong).kind;
    for (int kind = 0; kind < FOUND_KINDS; kind++)
        if (d->count[kind] && kind != (int)first_kind)
            second = d->first[kind];
    report_example(d, d->first_wrong, report);
    if (second != d->first_wrong)
        report_example(d, second, report);
}

/* ---- The guesses, in their order ---- */

/* A mistake; where it leaves elements out, also which. */
static bool diagnose_index(const struct diagnosis *d, struct report *report)
{
    if (!diagnose_kernel(d, report))
        return false;
    if (d->unwritten.count == d->wrong.count)
        diagnose_set(d, &d->wrong, false, report);
    return true;
}

/* The maps and alterations, which are about what was written. */
static const struct {
    enum found_kind about; /* tried where the output holds any; FOUND_KINDS: always */
    bool (*explains)(const struct diagnosis *d, struct report *report);
} guesses[] = {
    {FOUND_ELEMENT, diagnose_placement},
    {FOUND_ELEMENT, diagnose_gather},
    {FOUND_ELEMENT, diagnose_placement_pitch},
    {FOUND_KINDS, diagnose_index},
    {FOUND_ELEMENT, diagnose_placement_other_pitch},
    {FOUND_ELEMENT, diagnose_exchange},
    {FOUND_FOREIGN, diagnose_alteration},
};

static bool diagnose_map(const struct diagnosis *d, struct report *report)
{
    for (size_t i = 0; i < sizeof guesses / sizeof *guesses; i++)
        if ((guesses[i].about == FOUND_KINDS || d->count[guesses[i].about]) &&
            guesses[i].explains(d, report))
            return true;
    return false;
}

static bool diagnose_written(struct diagnosis *d, struct report *report)
{
    if (diagnose_map(d, report))
        return true;
    d->unwritten_fits = true;
    if (!d->unwritten.count || !diagnose_map(d, report))
        return false;
    diagnose_set(d, &d->unwritten, true, report);
    return true;
}

/* Where (nearly) everything is wrong, which elements are is no clue. */
static bool diagnose_wrong_set(const struct diagnosis *d, struct report *report)
{
    return 64 * (d->total - d->wrong.count) >= d->total && diagnose_set(d, &d->wrong, true, report);
}

/* What is said of mistakes without a name. */
static void diagnose_unnamed(const struct diagnosis *d, struct report *report)
{
    if (!diagnose_wrong_set(d, report) && !diagnose_race(d, report))
        diagnose_tile_order(d, report);
    if (repeats(d))
        report_add(report, FINDING_STORED_REPEATEDLY,
                   "(%" PRIu64 " elements are stored, and yet some never: several threads, or "
                   "blocks, store the same ones. Which of them compute the same index?)",
                   d->input->stored);
}

static void diagnose_mistake(struct diagnosis *d, struct report *report)
{
    if (d->input->mistake)
        report_join(report, d->input->mistake);
    else if (d->unwritten.count == d->total)
        report_add(report, FINDING_NOTHING_WRITTEN, "nothing was written to %s",
                   d->input->output_name);
    else if (!d->input->is_brief && !diagnose_written(d, report))
        diagnose_unnamed(d, report);
}

bool diagnose_output(const struct verify_input *input, struct report *report,
                     struct failure *failure)
{
    struct diagnosis d;
    bool good = diagnosis_make(&d, input);
    if (good) {
        diagnose_mistake(&d, report);
        report_count(&d, report);
        report_examples(&d, report);
    } else {
        failure_harness(failure, "no memory to find out what is wrong with %s", input->output_name);
    }
    diagnosis_free(&d);
    return good;
}

bool diagnose_name(const struct verify_input *input, struct report *report)
{
    struct diagnosis d;
    bool named = diagnosis_make(&d, input) && d.wrong.count && d.unwritten.count < d.total &&
                 diagnose_written(&d, report);
    diagnosis_free(&d);
    return named;
}
