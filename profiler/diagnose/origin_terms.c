/* origin_terms.c: find the terms of results that are sums of neighbouring elements.
 *
 * Theory of operation. An element of the output is a sum of elements of the input at constant
 * offsets, with constant factors; elements outside of the matrix are 0. The factors of the
 * reference are computed from the correct results, and the factors of the kernel from the wrong
 * results. 25 equations give the 25 factors of a window of 5 x 5 elements, and all other elements
 * must confirm them. The factors may differ between elements, for example at edges. In this case,
 * the search tests two causes of each error: one input element with a small factor is added, or one
 * term is replaced by another element. The search reports the rule that explains the most elements,
 * and then a rule for the remaining elements. */
#include "diagnose/origin.h"

#include "course/pattern.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REACH = 2, SIDE = 2 * REACH + 1, WINDOW = SIDE * SIDE, CENTRE = WINDOW / 2 };
enum { FACTOR_MOST = 8, RULES_MOST = 4, SAMPLES = 96, REPLACED = WINDOW, OUTSIDE };

struct terms {
    const struct origin *origin;
    int64_t rows, cols;
    const uint32_t *in, *out, *expected;
    enum form_type type;
    int factor[WINDOW]; /* factors of the reference */
    const char *in_name, *out_name;
};

static double number(const struct terms *t, uint32_t bits)
{
    return t->type == FORM_FLOAT ? (double)matrix_float(bits) : (double)(int32_t)bits;
}

/* Returns the input element at an offset from an index. Near an edge, this element is in another
 * row. Returns 0 outside of the array. */
static double input_at(const struct terms *t, int64_t index, unsigned place)
{
    const int64_t at = index + ((int64_t)(place / SIDE) - REACH) * t->cols + place % SIDE - REACH;
    return at >= 0 && at < t->rows * t->cols ? number(t, t->in[at]) : 0;
}

static bool is_inner(const struct terms *t, int64_t index)
{
    const int64_t row = index / t->cols, col = index % t->cols;
    return row >= REACH && row < t->rows - REACH && col >= REACH && col < t->cols - REACH;
}

static double wrong_by(const struct terms *t, int64_t index)
{
    return number(t, t->out[index]) - number(t, t->expected[index]);
}

static bool fits(const struct terms *t, const uint32_t *values, int64_t index, const int *factor)
{
    double sum = 0;
    for (unsigned p = 0; p < WINDOW; p++)
        sum += factor[p] ? factor[p] * input_at(t, index, p) : 0;
    return sum == number(t, values[index]);
}

/* Find the common factors of the inner elements of a set. NULL is the set of all elements. */
static bool find_factors(const struct terms *t, const uint32_t *values,
                         const struct element_set *set, int factor[WINDOW])
{
    double m[WINDOW][WINDOW + 1];
    const int64_t total = t->rows * t->cols;
    int64_t chosen = 0, inner = 0, seen = 0;
    for (int64_t i = 0; i < total; i++)
        inner += is_inner(t, i) && (!set || element_set_has(set, (uint64_t)i));
    if (inner < 2 * WINDOW)
        return false;
    for (int64_t i = 0; i < total && chosen < WINDOW; i++) {
        if (!is_inner(t, i) || (set && !element_set_has(set, (uint64_t)i)) ||
            seen++ * WINDOW < chosen * inner)
            continue;
        for (unsigned p = 0; p < WINDOW; p++)
            m[chosen][p] = input_at(t, i, p);
        m[chosen++][WINDOW] = number(t, values[i]);
    }
    for (unsigned p = 0; p < WINDOW; p++) {
        unsigned best = p;
        for (unsigned r = p + 1; r < WINDOW; r++)
            best = fabs(m[r][p]) > fabs(m[best][p]) ? r : best;
        for (unsigned c = p; c <= WINDOW; c++) {
            const double swapped = m[p][c];
            m[p][c] = m[best][c];
            m[best][c] = swapped;
        }
        for (unsigned r = 0; r < WINDOW && m[p][p] != 0; r++) {
            const double times = r == p ? 0 : m[r][p] / m[p][p];
            for (unsigned c = p; c <= WINDOW && times != 0; c++)
                m[r][c] -= times * m[p][c];
        }
        if (m[p][p] == 0)
            return false;
    }
    for (unsigned p = 0; p < WINDOW; p++) {
        const double exact = m[p][WINDOW] / m[p][p];
        if (!(fabs(exact) < 1000))
            return false;
        factor[p] = (int)lround(exact);
    }
    for (int64_t i = 0; i < total; i++)
        if (is_inner(t, i) && (!set || element_set_has(set, (uint64_t)i)) &&
            !fits(t, values, i, factor))
            return false;
    return true;
}

static const char *name_place(const struct terms *t, unsigned place, char text[ARRAYS_NAME])
{
    const int row = (int)(place / SIDE) - REACH, col = (int)(place % SIDE) - REACH;
    char r[16] = "r", c[16] = "c";
    if (row)
        snprintf(r, sizeof r, "r %c %d", row < 0 ? '-' : '+', abs(row));
    if (col)
        snprintf(c, sizeof c, "c %c %d", col < 0 ? '-' : '+', abs(col));
    snprintf(text, ARRAYS_NAME, "%s[%s][%s]", t->in_name, r, c);
    return text;
}

/* Describe the factor of one place, which exceeds the factor of the reference by `more`. */
static void report_factor(const struct terms *t, const char *where, unsigned place, int more,
                          bool is_outside, struct report *report)
{
    char name[ARRAYS_NAME];
    const int right = t->factor[place];
    name_place(t, place, name);
    if (is_outside)
        report_add(report, FINDING_TERM_ADDED,
                   "%s: %s is outside of the matrix. Its address belongs to an element of another "
                   "row, and the kernel adds that element",
                   where, name);
    else if (!right)
        report_add(report, FINDING_TERM_ADDED,
                   "%s: %s is not a correct term, but is added with the factor %d", where, name,
                   more);
    else if (more == -right)
        report_add(report, FINDING_TERM_MISSING, "%s: the term %s is missing", where, name);
    else if (more == right)
        report_add(report, FINDING_TERM_REPEATED, "%s: the term %s is added twice", where, name);
    else
        report_add(report, FINDING_TERM_WEIGHT, "%s: %s has the factor %d instead of %d", where,
                   name, right + more, right);
}

/* If place < WINDOW, the kernel adds the element at this place `more` times. If place is REPLACED,
 * the kernel replaces the term of place `more` by the element that is `offset` elements after the
 * result. If place is OUTSIDE, the kernel counts elements outside of the matrix as `more`. */
struct rule {
    unsigned place;
    int more;
    int64_t offset;
};

static bool is_inside(const struct terms *t, int64_t index, int place)
{
    const int64_t row = index / t->cols + place / SIDE - REACH,
                  col = index % t->cols + place % SIDE - REACH;
    return row >= 0 && row < t->rows && col >= 0 && col < t->cols;
}

static bool rule_fits(const struct terms *t, const struct rule *rule, int64_t index)
{
    const double difference = wrong_by(t, index);
    if (rule->place < WINDOW)
        return rule->more * input_at(t, index, rule->place) == difference;
    int outside = 0;
    for (int place = 0; rule->place == OUTSIDE && place < WINDOW; place++)
        outside += is_inside(t, index, place) ? 0 : t->factor[place];
    if (rule->place == OUTSIDE)
        return outside && (double)rule->more * outside == difference;
    const int64_t at = index + rule->offset;
    if (at < 0 || at >= t->rows * t->cols)
        return false;
    return t->factor[rule->more] *
               (number(t, t->in[at]) -
                (is_inside(t, index, rule->more) ? input_at(t, index, (unsigned)rule->more) : 0)) ==
           difference;
}

/* Find the rule that explains the most samples. Returns the number of these samples. */
static unsigned find_rule(const struct terms *t, const int64_t *samples, unsigned count,
                          struct rule *best)
{
    unsigned most = 0;
    for (unsigned place = 0; place <= OUTSIDE; place++)
        for (int more = -FACTOR_MOST; more <= FACTOR_MOST && place != REPLACED; more++) {
            const struct rule rule = {place, more, 0};
            unsigned explained = 0;
            for (unsigned i = 0; i < count && more; i++)
                explained += rule_fits(t, &rule, samples[i]);
            if (explained > most) {
                most = explained;
                *best = rule;
            }
        }
    /* Test each offset of a replaced term on four samples. If one fits, test it on all samples. */
    for (unsigned i = 0; 2 * most < count && i < count; i += count / 4 + 1)
        for (int place = 0; place < WINDOW; place++)
            for (int64_t at = 0; t->factor[place] && at < t->rows * t->cols; at++) {
                const struct rule rule = {REPLACED, place, at - samples[i]};
                unsigned explained = 0;
                if (!rule_fits(t, &rule, samples[i]))
                    continue;
                for (unsigned k = 0; k < count; k++)
                    explained += rule_fits(t, &rule, samples[k]);
                if (explained > most) {
                    most = explained;
                    *best = rule;
                }
            }
    return most;
}

static void report_rule(const struct terms *t, const struct rule *rule,
                        const struct element_set *set, int64_t example, struct report *report)
{
    struct pattern pattern;
    char where[PATTERN_TEXT_SIZE], name[ARRAYS_NAME], instead[ARRAYS_NAME], of[ARRAYS_NAME];
    const unsigned output = t->origin->output, input = t->origin->input;
    const struct arrays *arrays = t->origin->result->arrays;
    if (pattern_describe(set, t->out_name, NULL, 0, &pattern))
        snprintf(where, sizeof where, "%s", pattern.text);
    else
        snprintf(where, sizeof where, "%" PRIu64 " elements, such as %s", set->count,
                 arrays_name_element(arrays, output, (uint64_t)example, of));
    if (rule->place < WINDOW) {
        const int64_t col = example % t->cols + rule->place % SIDE - REACH;
        report_factor(t, where, rule->place, rule->more, col < 0 || col >= t->cols, report);
        return;
    }
    if (rule->place == OUTSIDE) {
        report_add(report, FINDING_TERM_OUTSIDE,
                   "%s: the elements outside of the matrix count as %d instead of 0", where,
                   rule->more);
        return;
    }
    report_add(report, FINDING_TERM_REPLACED, "%s: %s has %s in place of %s", where,
               arrays_name_element(arrays, output, (uint64_t)example, of),
               arrays_name_element(arrays, input, (uint64_t)(example + rule->offset), instead),
               name_place(t, (unsigned)rule->more, name));
}

/* Explain the elements of `rest`, and remove the explained elements from `rest`. */
static bool explain_rules(const struct terms *t, struct element_set *rest, struct report *report)
{
    const uint64_t total = rest->count;
    struct report found = {.lines = 0};
    unsigned rules = 0;
    while (rest->count * 10 > total && rules < RULES_MOST) {
        struct element_set explained, left;
        int64_t samples[SAMPLES], example = -1;
        unsigned count = 0;
        uint64_t seen = 0;
        struct rule rule = {0};
        for (int64_t i = 0; i < t->rows * t->cols && count < SAMPLES; i++)
            if (element_set_has(rest, (uint64_t)i) && seen++ * SAMPLES >= count * rest->count)
                samples[count++] = i;
        const unsigned most = find_rule(t, samples, count, &rule);
        if (6 * most < count || most < (total > 2 ? 2 : 1))
            break;
        if (!element_set_make(&explained, rest->rows, rest->cols))
            return false;
        if (!element_set_make(&left, rest->rows, rest->cols)) {
            element_set_free(&explained);
            return false;
        }
        for (int64_t i = 0; i < t->rows * t->cols; i++)
            if (element_set_has(rest, (uint64_t)i)) {
                const bool good = rule_fits(t, &rule, i);
                element_set_add(good ? &explained : &left, (uint64_t)i);
                example = good && example < 0 ? i : example;
            }
        report_rule(t, &rule, &explained, example, &found);
        rules++;
        element_set_free(&explained);
        element_set_free(rest);
        *rest = left;
    }
    /* If more than half of the elements remain, the rules fit by chance. */
    if (2 * rest->count > total)
        return false;
    report_join(report, &found);
    return rules;
}

/* Report results that are multiples of the correct results, or are at wrong places. */
static bool explain_whole(const struct terms *t, const struct element_set *wrong,
                          struct report *report)
{
    const int64_t total = t->rows * t->cols;
    double ratio = 0;
    int64_t first = 0;
    bool scaled = wrong->count > 2;
    while (!element_set_has(wrong, (uint64_t)first))
        first++;
    for (int64_t i = 0; i < total && scaled; i++) {
        const double right = number(t, t->expected[i]), found = number(t, t->out[i]);
        if (right != 0 && ratio == 0)
            ratio = found / right;
        scaled = fabs(found - ratio * right) <= 1e-5 * fabs(found);
    }
    if (scaled)
        return report_add(report, FINDING_RESULT_SCALED,
                          "every element of %s is multiplied by %.6g", t->out_name, ratio);
    bool turned = wrong->count > 2;
    for (int64_t i = 0; i < total && turned; i++)
        turned = t->out[i] == t->expected[i % t->rows * t->cols + i / t->rows];
    if (turned)
        return report_add(report, FINDING_RESULT_MOVED, "%s is the transpose of the correct result",
                          t->out_name);
    for (int64_t from = 0; from < total; from++) {
        uint64_t same = 0;
        for (int64_t i = first; i < total && (i == first || 2 * same > (uint64_t)(i - first) / 64);
             i++)
            same += element_set_has(wrong, (uint64_t)i) && i + from - first >= 0 &&
                    i + from - first < total && t->out[i] == t->expected[i + from - first];
        char element[2][ARRAYS_NAME];
        const struct arrays *arrays = t->origin->result->arrays;
        if (wrong->count > 4 && 4 * same >= 3 * wrong->count)
            return report_add(
                report, FINDING_RESULT_MOVED, "%s holds the correct value of %s, and so on",
                arrays_name_element(arrays, t->origin->output, (uint64_t)first, element[0]),
                arrays_name_element(arrays, t->origin->output, (uint64_t)from, element[1]));
    }
    return false;
}

/* Returns true if a row or column is not close to the edge of a tile. */
static bool is_within(uint64_t index)
{
    enum { TILE = 32, MARGIN = 4 };
    return index % TILE >= MARGIN && index % TILE < TILE - MARGIN;
}

/* Report factors that are the factors of the reference for an adjacent element. */
static bool report_shift(const struct terms *t, const int factor[WINDOW], struct report *report)
{
    char name[ARRAYS_NAME];
    for (int shift = -SIDE - 1; shift <= SIDE + 1; shift++) {
        bool same = shift && abs((shift + CENTRE) % SIDE - REACH) <= 1;
        for (int p = 0; p < WINDOW && same; p++)
            same = factor[p] == (p - shift < 0 || p - shift >= WINDOW ? 0 : t->factor[p - shift]);
        if (same)
            return report_add(report, FINDING_RESULT_MOVED,
                              "each element of %s is computed around %s, not around %s[r][c]: all "
                              "elements that the kernel reads are shifted",
                              t->out_name, name_place(t, (unsigned)(CENTRE + shift), name),
                              t->in_name);
    }
    return false;
}

/* Explain wrong elements by other factors. If `inner` is true, use only elements that are not close
 * to the edge of a tile of 32 x 32. */
static bool explain_factors(const struct terms *t, const struct element_set *wrong, bool inner,
                            struct report *report)
{
    int factor[WINDOW];
    struct pattern pattern;
    struct element_set set;
    const unsigned before = report->lines;
    if (!element_set_make(&set, wrong->rows, wrong->cols))
        return false;
    for (uint64_t i = 0; i < wrong->rows * wrong->cols; i++)
        if (element_set_has(wrong, i) &&
            (!inner || (is_within(i / wrong->cols) && is_within(i % wrong->cols))))
            element_set_add(&set, i);
    const bool fitted = find_factors(t, t->out, &set, factor),
               known = fitted && pattern_describe(&set, t->out_name, NULL, 0, &pattern);
    element_set_free(&set);
    if (!fitted)
        return false;
    if (report_shift(t, factor, report))
        return true;
    /* Missing terms are reported first, because another element may replace a missing element. */
    for (unsigned pass = 0; pass < 2; pass++)
        for (unsigned p = 0; p < WINDOW && report->lines <= before + RULES_MOST; p++)
            if (factor[p] != t->factor[p] && (factor[p] == 0) == !pass)
                report_factor(t,
                              inner   ? "inside of each tile"
                              : known ? pattern.text
                                      : t->out_name,
                              p, factor[p] - t->factor[p], false, report);
    return report->lines > before;
}

bool origin_explain_terms(const struct origin *origin, struct report *report)
{
    const struct arrays_result *result = origin->result;
    const struct arrays *arrays = result->arrays;
    const struct form_parameter *out = &arrays->form->parameters[origin->output];
    struct terms t = {.origin = origin,
                      .cols =
                          (int64_t)form_extent(arrays->form, out->cols, arrays->rows, arrays->cols),
                      .in = arrays->words[origin->input],
                      .out = arrays->words[origin->output],
                      .expected = result->expected[origin->output],
                      .type = out->type,
                      .in_name = arrays->form->parameters[origin->input].name,
                      .out_name = out->name};
    struct element_set wrong;
    const uint64_t total = arrays_elements(arrays, origin->output);
    t.rows = (int64_t)total / t.cols;
    if (arrays_elements(arrays, origin->input) != total || total > 1 << 16 ||
        !find_factors(&t, t.expected, NULL, t.factor) ||
        !element_set_make(&wrong, (uint64_t)t.rows, (uint64_t)t.cols))
        return false;
    bool written = true;
    for (uint64_t i = 0; i < total; i++)
        if (t.out[i] != t.expected[i] && wrong_by(&t, (int64_t)i) != 0) {
            element_set_add(&wrong, i);
            written &= t.out[i] != MATRIX_POISON;
        }
    const bool explained =
        written && wrong.count &&
        (explain_factors(&t, &wrong, false, report) || explain_whole(&t, &wrong, report) ||
         explain_factors(&t, &wrong, true, report) || explain_rules(&t, &wrong, report));
    element_set_free(&wrong);
    return explained;
}
