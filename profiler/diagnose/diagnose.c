/* diagnose.c: find the mistake that explains a wrong output.
 *
 * Theory of operation. All input values differ, so the value of an output element shows its origin.
 * The element contains the poison (never written), the value of an input element, or a value that
 * is not in the input ("foreign"). First, the elements of each kind are counted. Then hypotheses
 * about the mistake are tested. Each hypothesis predicts *all* elements, including the correct
 * elements. Therefore, one element can refute a hypothesis:
 *
 * - a placement (diagnose_placement.c) gives the output index to which an input element is written:
 *   other reference maps, tiles only moved or only transposed, a wrong pitch;
 * - a gather (diagnose_gather.c) gives the input element that an output element receives: mirrored,
 *   shifted, repeated, read with a wrong pitch, or through a tile with ignored padding;
 * - a wrong index (diagnose_kernel.c): the output of a kernel of the course with one altered index;
 * - an exchange (diagnose_gather.c): whole tiles of the output contain the output of other tiles;
 * - an alteration (diagnose_alteration.c) is arithmetic on the correct value, or a conversion;
 * - a set: the wrong elements form a pattern (pattern.h), for example the edges or every second
 *   row, independently of their values;
 * - a race: a scattered minority contains other elements of the same tile, or elements of the same
 *   position in another tile. Only this hypothesis may leave elements unexplained; the message
 *   gives the number of explained elements.
 *
 * Elements that no hypothesis explains are counted and shown by examples. A prediction may leave
 * elements open, because a wrong kernel writes garbage where a tile extends past the edge of the
 * matrix. It must determine half of the elements. There are at most two passes. In the first pass,
 * an unwritten element refutes a hypothesis that predicts a value. In the second pass, an unwritten
 * element fits any hypothesis, and the unwritten elements are described as a second mistake.
 *
 * Everything runs in one thread and in a fixed order, so the text does not depend on threads. */
#include "diagnose/diagnose.h"

#include "base/wording.h"
#include "diagnose/diagnosis.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Describe a set of output elements. Tiles are described by their shape in the output. */
static bool set_describe(const struct diagnosis *d, const struct element_set *set,
                         struct pattern *pattern)
{
    struct tile_shape tiles[MAX_TILES];
    for (size_t i = 0; i < d->tile_count; i++)
        tiles[i] = diagnosis_tile_in_output(d, d->tiles[i]);
    return pattern_describe(set, d->input->output_name, tiles, d->tile_count, pattern);
}

/* The finding and the verdict (singular, plural) for a set of elements of one kind. */
static const struct {
    enum finding_id finding;
    const char *verdicts[2];
} set_kinds[] = {
    [FOUND_UNWRITTEN] = {FINDING_UNWRITTEN, {"was never written", "were never written"}},
    [FOUND_ELEMENT] = {FINDING_MISPLACED,
                       {"holds another element of the input", "hold other elements of the input"}},
    [FOUND_FOREIGN] = {FINDING_FOREIGN,
                       {"holds a value that is not in the input",
                        "hold values that are not in the input"}},
    [FOUND_KINDS] = {FINDING_WRONG_ELEMENTS, {"is incorrect", "are incorrect"}},
};

static int set_kind(const struct diagnosis *d, const struct element_set *set)
{
    int kind = 0;
    while (kind < FOUND_KINDS && set->count != d->count[kind])
        kind++;
    return kind;
}

static bool diagnose_set(const struct diagnosis *d, const struct element_set *set,
                         struct report *report)
{
    struct pattern pattern;
    char first[2 * NAME_SIZE] = "", tile[NAME_SIZE];
    if (!set_describe(d, set, &pattern))
        return false;
    if (pattern.has_tiles) {
        diagnosis_name_tile(d, d->tiles[pattern.tile], pattern.tile_row, pattern.tile_col, tile);
        snprintf(first, sizeof first, "; the first tile: %s", tile);
    }
    const int kind = set_kind(d, set);
    report_add(report, set_kinds[kind].finding, "%s %s%s", pattern.text,
               set_kinds[kind].verdicts[pattern.plural], first);
    if (kind == FOUND_UNWRITTEN)
        report_refine(report, pattern.unwritten);
    return true;
}

/* Numbers of wrong elements by origin of the value: another element of the correct tile, the same
 * position in another tile, either of these two, or no input element. */
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
        return report_add(
            report, d->input->has_no_races ? FINDING_TILE_ORDER : FINDING_TILE_RACE,
            "%s the tile (%" PRIu64 "x%" PRIu64 "): %" PRIu64 " of %" PRIu64
            " incorrect elements hold another element of this tile, or the element at the same "
            "position in another tile",
            d->input->has_no_races ? "this looks like an incorrect index of"
                                   : "this looks like a race on",
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
                                ") is in the correct place, but its elements are in wrong places"
                              : "elements are at the correct position in a tile (%" PRIu64
                                "x%" PRIu64 "), but in the wrong tile",
                          tile.rows, tile.cols);
    }
    return false;
}

static void report_count(const struct diagnosis *d, struct report *report)
{
    static const char *const phrases[FOUND_KINDS] = {
        "never written", "holding another input element", "holding a value not in the input"};
    char parts[FAILURE_TEXT_SIZE / 4] = "";
    for (int kind = 0; kind < FOUND_KINDS; kind++)
        if (d->count[kind])
            APPEND(parts, "%s%" PRIu64 " %s", *parts ? ", " : "", d->count[kind], phrases[kind]);
    report_add(report, d->unwritten.count ? FINDING_UNWRITTEN : FINDING_NONE,
               "%" PRIu64 " of %" PRIu64 " elements of %s are incorrect: %s", d->wrong.count,
               d->total, d->input->output_name, parts);
}

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
        snprintf(holds, sizeof holds, "holds a value from outside the matrices");
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

/* Report the first wrong element, and the first wrong element of another kind. If all wrong
 * elements are of one kind, report the first and the last wrong element. */
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

/* Find a wrong index. If all wrong elements are unwritten, describe them. */
static bool diagnose_index(const struct diagnosis *d, struct report *report)
{
    if (!diagnose_kernel(d, report))
        return false;
    if (d->unwritten.count == d->wrong.count)
        diagnose_set(d, &d->wrong, report);
    return true;
}

/* Families of hypotheses that explain all written elements. */
static const struct {
    enum found_kind about; /* the output must contain this kind; if FOUND_KINDS, always tested */
    bool (*explains)(const struct diagnosis *d, struct report *report);
} families[] = {
    {FOUND_ELEMENT, diagnose_placement},       {FOUND_ELEMENT, diagnose_gather},
    {FOUND_ELEMENT, diagnose_placement_pitch}, {FOUND_KINDS, diagnose_index},
    {FOUND_ELEMENT, diagnose_groups},          {FOUND_ELEMENT, diagnose_placement_other_pitch},
    {FOUND_ELEMENT, diagnose_exchange},        {FOUND_FOREIGN, diagnose_alteration},
};

static bool diagnose_map(const struct diagnosis *d, struct report *report)
{
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if ((families[i].about == FOUND_KINDS || d->count[families[i].about]) &&
            families[i].explains(d, report))
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
    diagnose_set(d, &d->unwritten, report);
    return true;
}

/* Describe the set of wrong elements if at least 1/64 of the elements are correct. */
static bool diagnose_wrong_set(const struct diagnosis *d, struct report *report)
{
    return 64 * (d->total - d->wrong.count) >= d->total && diagnose_set(d, &d->wrong, report);
}

static void diagnose_unnamed(const struct diagnosis *d, struct report *report)
{
    if (!diagnose_wrong_set(d, report) && !diagnose_race(d, report))
        diagnose_tile_order(d, report);
    if (d->unwritten.count && d->input->stored >= d->total)
        report_add(report, FINDING_STORED_REPEATEDLY,
                   "(%" PRIu64 " elements are stored in total, but some elements are never stored: "
                   "several threads or blocks store the same elements. Which threads compute the "
                   "same index?)",
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
        failure_harness(failure, "not enough memory to diagnose %s", input->output_name);
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
