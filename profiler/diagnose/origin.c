#include "diagnose/origin.h"

#include "diagnose/diagnose.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One matrix of a batch. Values from the input are replaced by values that show their index. */
struct moved {
    uint64_t rows, cols; /* size of the input */
    uint64_t wrong;      /* number of elements that belong to another matrix */
    uint64_t matrix;     /* the matrix to which most of these elements belong */
    uint32_t *input, *output;
};

static void find_matrix(const struct origin *origin, uint64_t plane, struct moved *moved)
{
    const struct arrays *arrays = origin->result->arrays;
    const uint64_t size = moved->rows * moved->cols, count = arrays_elements(arrays, origin->input);
    const uint32_t *out = arrays->words[origin->output] + plane * size;
    const uint64_t seed = arrays_seed(arrays, origin->input);
    uint64_t of[64] = {0};
    uint32_t index;
    for (uint64_t i = 0; i < size; i++) {
        const bool known = matrix_index(seed, out[i], count, &index);
        moved->output[i] = known ? matrix_value(seed, index % (uint32_t)size) : out[i];
        if (known && index / size != plane && index / size < 64)
            moved->wrong += 1, of[index / size]++;
    }
    for (uint64_t m = 0; m < 64; m++)
        moved->matrix = of[m] > of[moved->matrix] ? m : moved->matrix;
}

/* Explain one matrix by another matrix of the batch, or by a map of the matrix. If the report
 * contains examples of wrong elements, *described becomes true. */
static bool explain_moved(const struct origin *origin, uint64_t plane, struct moved *moved,
                          bool *described, struct report *report)
{
    const struct arrays *arrays = origin->result->arrays;
    const struct form *form = arrays->form;
    const char *in = form->parameters[origin->input].name,
               *out = form->parameters[origin->output].name;
    const struct verify_input input = {
        .problem = {.rows = moved->rows,
                    .cols = moved->cols,
                    .reference = REFERENCE_TRANSPOSE,
                    .seed = arrays_seed(arrays, origin->input)},
        .output = moved->output,
        .input = moved->input,
        .threads = 1,
        .has_no_races = true,
        .output_name = out,
        .input_name = in,
    };
    struct report named = {.lines = 0};
    struct failure unseen = {0};
    *described = false;
    find_matrix(origin, plane, moved);
    if (2 * moved->wrong > moved->rows * moved->cols)
        return report_add(report, FINDING_BATCH_MATRIX,
                          "matrix %" PRIu64 " of %s holds elements of matrix %" PRIu64
                          " of %s. How far apart are two matrices in memory, and which matrix does "
                          "the block load?",
                          plane, out, moved->matrix, in);
    const uint32_t *before = origin->result->before[origin->output];
    bool unchanged = before;
    for (uint64_t e = 0; e < moved->rows * moved->cols && unchanged; e++)
        unchanged = arrays->words[origin->output][e] == before[e] ||
                    arrays->words[origin->output][e] == origin->result->expected[origin->output][e];
    if (unchanged) /* arrays.c describes unchanged elements */
        return false;
    /* The wrong elements of an inout array are described only if their origin is unknown. */
    if (form->parameters[origin->output].role != FORM_INOUT || !diagnose_name(&input, &named))
        *described = diagnose_output(&input, &named, &unseen);
    struct report whole = {.findings = named.findings};
    if (form->matrices > 1)
        snprintf(whole.text, sizeof whole.text, "in matrix %" PRIu64 " of the batch, ", plane);
    snprintf(whole.text + strlen(whole.text), sizeof whole.text - strlen(whole.text), "%.3900s",
             named.text);
    whole.lines = named.lines;
    report_join(report, &whole);
    return named.lines;
}

static bool explain_moves(const struct origin *origin, bool *described, struct report *report)
{
    const struct arrays_result *result = origin->result;
    const struct arrays *arrays = result->arrays;
    const uint64_t size = arrays->rows * arrays->cols,
                   count = arrays_elements(arrays, origin->output);
    const uint32_t *out = arrays->words[origin->output],
                   *expected = result->expected[origin->output];
    struct moved moved = {.rows = arrays->rows, .cols = arrays->cols};
    uint64_t first = 0;
    while (first < count && out[first] == expected[first])
        first++;
    moved.input = malloc(size * sizeof *moved.input);
    moved.output = malloc(size * sizeof *moved.output);
    bool explained = false;
    if (moved.input && moved.output && first < count && count % size == 0) {
        matrix_fill(arrays_seed(arrays, origin->input), 0, moved.input, size);
        explained = explain_moved(origin, first / size, &moved, described, report);
    }
    free(moved.input);
    free(moved.output);
    return explained;
}

static bool is_sum(const struct origin *origin)
{
    const struct arrays *arrays = origin->result->arrays;
    uint32_t sum = 0;
    for (uint64_t i = 0; i < arrays_elements(arrays, origin->input); i++)
        sum += arrays->words[origin->input][i];
    return arrays_elements(arrays, origin->output) == 1 &&
           sum == *origin->result->expected[origin->output];
}

/* Explain wrong counts. The sum of all correct counts is the number of input elements. */
static bool explain_counts(const struct origin *origin, struct report *report)
{
    const struct arrays *arrays = origin->result->arrays;
    const uint64_t inputs = arrays_elements(arrays, origin->input);
    uint64_t found = 0, expected = 0;
    for (uint64_t e = 0; e < arrays_elements(arrays, origin->output); e++) {
        found += arrays->words[origin->output][e];
        expected += origin->result->expected[origin->output][e];
    }
    const uint64_t times = inputs ? found / inputs : 0;
    bool is_scaled = times > 1 && expected == inputs;
    for (uint64_t e = 0; is_scaled && e < arrays_elements(arrays, origin->output); e++)
        is_scaled =
            arrays->words[origin->output][e] == times * origin->result->expected[origin->output][e];
    if (is_scaled)
        return report_add(report, FINDING_RESULT_SCALED,
                          "each element is counted %" PRIu64
                          " times: which threads, warps or blocks add the same counts?",
                          times);
    return expected == inputs &&
           report_add(report,
                      found < inputs   ? FINDING_SUM_PARTIAL
                      : found > inputs ? FINDING_SUM_REPEATED
                                       : FINDING_SUM_OTHER,
                      "the results add up to %" PRIu64 ", and there are %" PRIu64 " elements: %s",
                      found, inputs,
                      found < inputs   ? "some elements are not counted, or counts are overwritten"
                      : found > inputs ? "some elements are counted more than once"
                                       : "some elements are counted in the wrong bin");
}

bool origin_explain(const struct arrays_result *result, struct report *report)
{
    bool described = false;
    const struct form *form = result->arrays->form;
    for (unsigned o = 0; o < form->count; o++)
        for (unsigned i = 0; form_writes(&form->parameters[o]) && i < form->count; i++) {
            const struct origin origin = {result, o, i};
            const enum form_type type = form->parameters[o].type;
            if (!form_reads(&form->parameters[i]) || form->parameters[i].type != type)
                continue;
            if (result->arrays->moves ? explain_moves(&origin, &described, report)
                : type == FORM_UNSIGNED
                    ? (is_sum(&origin) && *result->arrays->words[o] != *result->expected[o] &&
                       origin_explain_sum(&origin, report)) ||
                          explain_counts(&origin, report)
                    : i != o && origin_explain_terms(&origin, report))
                return described;
        }
    return false;
}
