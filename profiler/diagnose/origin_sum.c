/* origin_sum.c: find the elements that a wrong sum contains. Theory of operation. The sum of random
 * 32-bit numbers identifies its set of elements among a few million possible sets. The search tests
 * the sets that loops, trees and grids select: all elements with an index in an interval, modulo a
 * power of two. Prefix sums give the sum of each set. The search tests whether the result is only
 * this sum, lacks this sum, or contains it more than once. */
#include "diagnose/origin.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Limits of a wrong neutral element, of a period, and of the number of parts of a period. WARP and
 * TREE are the numbers of elements that a warp and a block add. */
enum { NEUTRAL_MOST = 1 << 12, PERIOD_MOST = 1 << 12, PARTS_MOST = 256, WARP = 32, TREE = 1024 };

struct sum {
    const char *name;
    const uint32_t *values;
    uint64_t count;
    uint32_t found, expected;
    struct report *report;
};

/* Test the elements with an index, modulo `period`, in [from, to]. `part` is their sum. If `period`
 * is 0, the interval is a part of the whole array. */
static bool explain_interval(const struct sum *s, uint32_t part, uint64_t period, uint64_t from,
                             uint64_t to)
{
    const uint32_t more = s->found - s->expected;
    const uint64_t whole = period ? period : s->count;
    char set[160];
    unsigned times = 0;
    /* A prefix may occur many times, for example if each block adds the first elements. */
    for (unsigned t = 1; t <= TREE && !times; t += period || from ? t : 1)
        times = s->found == t * part ? t : more == (t - 1) * part && t > 1 ? t : 0;
    const bool is_only = times && s->found == times * part, lacks = s->expected - s->found == part;
    if (!times && !lacks)
        return false;
    /* If the larger part is missing, name the smaller part, which the sum contains. */
    if (lacks && 2 * (to + 1 - from) > whole && (!from || to + 1 == whole)) {
        const uint64_t first = from ? 0 : to + 1;
        to = from ? from - 1 : whole - 1;
        from = first;
        times = 1;
    }
    const uint64_t size = to + 1 - from;
    if (period)
        snprintf(set, sizeof set,
                 "%" PRIu64 " of every %" PRIu64 " elements: %" PRIu64 " to %" PRIu64 ", and so on",
                 size, period, from, to);
    else
        snprintf(set, sizeof set, "elements %" PRIu64 "..%" PRIu64, from, to);
    if (times == 1 && !period)
        return report_add(s->report, FINDING_SUM_PARTIAL,
                          "%s is the sum of %s only. Are the other partial sums overwritten or "
                          "lost?",
                          s->name, set);
    if (times > 1)
        return report_add(s->report, FINDING_SUM_REPEATED,
                          "%s contains these elements %u times%s: %s", s->name, times,
                          is_only ? ", and no other elements" : "", set);
    return report_add(s->report, FINDING_SUM_PARTIAL, "%s %s %s", s->name,
                      times ? "has only" : "lacks", set);
}

/* Test intervals of at most PARTS_MOST equal parts of a period. Period 0 is the whole array. */
static bool explain_period(const struct sum *s, uint64_t period)
{
    uint32_t prefix[PARTS_MOST + 1] = {0};
    const uint64_t whole = period ? period : s->count,
                   each = period ? (period + PARTS_MOST - 1) / PARTS_MOST
                                 : (s->count / PARTS_MOST + WARP) / WARP * WARP,
                   parts = (whole + each - 1) / each;
    for (uint64_t i = 0; i < s->count; i++)
        prefix[i % whole / each + 1] += s->values[i];
    for (uint64_t part = 0; part < parts; part++)
        prefix[part + 1] += prefix[part];
    for (uint64_t from = 0; from < parts; from++)
        for (uint64_t to = parts; to > from; to--)
            if ((from || to < parts) &&
                explain_interval(s, prefix[to] - prefix[from], period, from * each,
                                 (to * each < whole ? to * each : whole) - 1))
                return true;
    return false;
}

/* Test shuffles in a wrong direction, and the use of the wrong lanes after correct shuffles.
 * Lane l has the elements i with i / each % lanes == l. `each` is 1, or WARP if lanes add sums
 * of warps. */
static bool explain_shuffles(const struct sum *s, uint64_t each, unsigned lanes)
{
    static const char *const directions[] = {"down", "up", "xor"};
    uint32_t of_lane[WARP] = {0};
    for (uint64_t i = 0; i < s->count; i++)
        of_lane[i / each % lanes] += s->values[i];
    for (unsigned direction = 0; direction < 3; direction++) {
        uint32_t own[WARP], other[WARP], all = 0;
        memcpy(own, of_lane, sizeof own);
        for (unsigned step = WARP / 2; step; step /= 2) {
            for (unsigned lane = 0; lane < WARP; lane++) {
                const unsigned from = direction == 0   ? lane + step
                                      : direction == 1 ? lane - step
                                                       : lane ^ step;
                other[lane] = own[from < WARP ? from : lane];
            }
            for (unsigned lane = 0; lane < WARP; lane++)
                own[lane] += other[lane];
        }
        for (unsigned lane = 0; lane < WARP; lane++)
            all += own[lane];
        const unsigned wrong = direction == 1 ? 0 : WARP - 1; /* the lane without the sum */
        if (s->found == all || s->found == own[wrong])
            return report_add(
                s->report, FINDING_SUM_REPEATED,
                "%s contains the %s %u after the shuffles (%s). Which lane has the sum?", s->name,
                s->found == all ? "results of all lanes 0 to" : "result of lane",
                s->found == all ? WARP - 1 : wrong, directions[direction]);
    }
    return false;
}

/* Test trees that subtract, and trees that lack steps and lose elements with certain index bits. */
static bool explain_trees(const struct sum *s)
{
    uint32_t of[TREE] = {0};
    for (uint64_t i = 0; i < s->count; i++)
        of[i % TREE] += s->values[i];
    for (unsigned mask = 1; mask < TREE; mask++) {
        uint32_t retained = 0, signs = 0;
        for (unsigned i = 0; i < TREE; i++) {
            retained += i & mask ? 0 : of[i];
            signs += __builtin_popcount(i & mask) % 2 ? -of[i] : of[i];
        }
        if (s->found == retained)
            return report_add(s->report, FINDING_SUM_PARTIAL,
                              "%s contains only the elements with (i & %u) == 0, where i is the "
                              "index. Are steps of the tree missing, such as step %u?",
                              s->name, mask, mask & -mask);
        if (s->found == signs)
            return report_add(s->report, FINDING_SUM_OTHER,
                              "%s subtracts each element with an index i for which i & %u has "
                              "an odd number of set bits",
                              s->name, mask);
    }
    return false;
}

static bool explain_other(const struct sum *s)
{
    uint32_t xored = 0, most = 0, ored = 0;
    for (uint64_t i = 0; i < s->count; i++) {
        xored ^= s->values[i];
        ored |= s->values[i];
        most = s->values[i] > most ? s->values[i] : most;
    }
    const struct {
        uint32_t value;
        const char *meaning;
    } others[] = {{(uint32_t)s->count, "the number of elements"},
                  {(uint32_t)(s->count * (s->count - 1) / 2), "the sum of the indices"},
                  {xored, "the exclusive or of the elements"},
                  {ored, "the bitwise or of the elements"},
                  {most, "the largest element"},
                  {-s->expected, "the negative sum: the elements are subtracted"}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (s->found == others[i].value)
            return report_add(s->report, FINDING_SUM_OTHER, "%s is %s", s->name, others[i].meaning);
    return false;
}

bool origin_explain_sum(const struct origin *origin, struct report *report)
{
    const struct arrays *arrays = origin->result->arrays;
    char name[ARRAYS_NAME], value[ARRAYS_NAME];
    const struct sum s = {.name = arrays_name_element(arrays, origin->output, 0, name),
                          .values = arrays->words[origin->input],
                          .count = arrays_elements(arrays, origin->input),
                          .found = *arrays->words[origin->output],
                          .expected = *origin->result->expected[origin->output],
                          .report = report};
    const uint64_t seed = arrays_seed(arrays, origin->input);
    const uint32_t more = s.found - s.expected,
                   neutral = s.count > NEUTRAL_MOST ? (uint32_t)(4 * s.count) : NEUTRAL_MOST;
    uint32_t index, sum = 0;
    if (more == -more && matrix_index(seed, more, s.count, &index))
        return report_add(report, FINDING_SUM_REPEATED,
                          "%s is wrong by the value of %s: the kernel omits this element, or adds "
                          "it an even number of times",
                          name, arrays_name_element(arrays, origin->input, index, value));
    if (matrix_index(seed, -more, s.count, &index))
        return report_add(report, FINDING_SUM_PARTIAL, "%s contains all elements except %s", name,
                          arrays_name_element(arrays, origin->input, index, value));
    if (matrix_index(seed, more, s.count, &index))
        return report_add(report, FINDING_SUM_REPEATED, "%s contains %s twice", name,
                          arrays_name_element(arrays, origin->input, index, value));
    /* Threads past the end may load the first or the last element. */
    for (uint64_t end = 0; s.count > 1 && end < s.count; end += s.count - 1)
        for (uint32_t times = 2; times < TREE; times++)
            if (more == times * s.values[end])
                return report_add(report, FINDING_SUM_NEUTRAL,
                                  "%s contains %s %" PRIu32
                                  " times. Which threads have no element, and what do they add?",
                                  name, arrays_name_element(arrays, origin->input, end, value),
                                  times + 1);
    for (uint64_t i = 0; i < s.count; i++) {
        if (i && sum == s.found)
            return report_add(report, FINDING_SUM_PARTIAL,
                              "%s is the sum of the first %" PRIu64 " of %" PRIu64
                              " elements. Do the grid and the loops reach the remaining elements, "
                              "and does each block add its result?",
                              name, i, s.count);
        if (i && more == s.expected - sum)
            return report_add(
                report, FINDING_SUM_REPEATED,
                "%s contains all elements from index %" PRIu64
                " to the end twice. Which threads of which blocks read these elements?",
                name, i);
        sum += s.values[i];
    }
    if (s.count > 1 && explain_other(&s))
        return true;
    if (more < neutral || -more < neutral)
        return report_add(
            report, FINDING_SUM_NEUTRAL,
            "The error of %s is %d, which is smaller in magnitude than every element. "
            "What do threads without an element add?",
            name, (int32_t)more);
    for (uint32_t times = 2; times <= 1024; times++)
        if (s.count > 1 && s.found == times * s.expected)
            return report_add(report, FINDING_SUM_REPEATED,
                              "%s contains every element %" PRIu32 " times%s", name, times,
                              times >= WARP ? ". Do several threads add the same partial sum, or "
                                              "several blocks the same elements?"
                                            : "");
    if (matrix_index(seed, s.found, s.count, &index))
        return report_add(report, FINDING_SUM_PARTIAL, "%s contains only %s", name,
                          arrays_name_element(arrays, origin->input, index, value));
    for (uint64_t step = 2; step <= 1024 && step < s.count; step++) {
        sum = 0;
        for (uint64_t i = 0; i < s.count; i += step)
            sum += s.values[i];
        if (sum == s.found)
            return report_add(report, FINDING_SUM_PARTIAL,
                              "%s contains only one of every %" PRIu64 " elements: 0, %" PRIu64
                              ", %" PRIu64 ", ...",
                              name, step, step, 2 * step);
    }
    for (uint64_t period = 2; period <= PERIOD_MOST && period < s.count; period *= 2)
        if (explain_period(&s, period))
            return true;
    if (explain_period(&s, 0) || explain_shuffles(&s, 1, WARP) || explain_trees(&s))
        return true;
    for (unsigned warps = 2; warps <= WARP; warps *= 2)
        if (explain_shuffles(&s, WARP, warps))
            return true;
    return false;
}
