/* verify.c: see verify.h. Theory of operation. No reference is stored. The correct values of a row
 * of the output have input indices with a constant stride. Computing these values (matrix_equal) is
 * faster than loading them from the input across its rows. The output and the input are divided
 * into equal parts, one per thread. A thread stops comparing a part at the first difference. If
 * there are differences, the slow diagnosis starts in one thread (diagnose.h). */
#include "diagnose/verify.h"

#include "course/element_map.h"
#include "diagnose/diagnose.h"
#include "process/parallel.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

enum { PART_MIN = 1 << 16 };

static bool output_is_correct(const struct verify_input *input, uint64_t first, uint64_t end)
{
    uint64_t out_rows, out_cols;
    problem_output_shape(&input->problem, &out_rows, &out_cols);
    for (uint64_t index = first, length; index < end; index += length) {
        struct problem_run run =
            problem_source_run(&input->problem, index / out_cols, index % out_cols);
        length = run.length < end - index ? run.length : end - index;
        if (!matrix_equal(input->problem.seed, run.first, run.stride, input->output + index,
                          length))
            return false;
    }
    return true;
}

static bool is_unwritten(const uint32_t *output, uint64_t length)
{
    return output[0] == MATRIX_POISON &&
           !memcmp(output, output + 1, (length - 1) * sizeof *output); /* all are equal */
}

bool verify_stored(const struct verify_input *input, uint32_t *restored, uint64_t *stored)
{
    enum { PART = 16, SKIPPED = 8 * PART };
    const struct problem *problem = &input->problem;
    struct problem_run run = {.length = 0};
    uint64_t out_rows, out_cols;
    problem_output_shape(problem, &out_rows, &out_cols);
    *stored = 0;
    for (uint64_t index = 0, length; index < out_rows * out_cols; index += length) {
        const uint32_t *output = input->output + index;
        uint64_t found = 0;
        if (!run.length)
            run = problem_source_run(problem, index / out_cols, index % out_cols);
        length = run.length < SKIPPED ? run.length : SKIPPED;
        if (!is_unwritten(output, length)) {
            length = run.length < PART ? run.length : PART;
            for (uint64_t i = 0; i < length; i++)
                found += output[i] != MATRIX_POISON;
        }
        if (found && (found < length ||
                      !matrix_equal(problem->seed, run.first, run.stride, output, (size_t)length)))
            return false;
        if (found)
            wmemset((wchar_t *)restored + index, (wchar_t)MATRIX_POISON, (size_t)length);
        *stored += found;
        run.first += length * (uint64_t)run.stride;
        run.length -= length;
    }
    return true;
}

struct comparison {
    const struct verify_input *input;
    atomic_bool output_wrong, input_changed;
};

static void compare_part(void *context, unsigned index, unsigned count)
{
    struct comparison *comparison = context;
    const struct verify_input *input = comparison->input;
    uint64_t total = input->problem.rows * input->problem.cols;
    uint64_t first = total * index / count, end = total * (index + 1) / count;
    if (!output_is_correct(input, first, end))
        atomic_store(&comparison->output_wrong, true);
    if (!input->is_unwritten &&
        !matrix_equal(input->problem.seed, first, 1, input->input + first, end - first))
        atomic_store(&comparison->input_changed, true);
}

static void comparison_run(struct comparison *comparison)
{
    const struct verify_input *input = comparison->input;
    uint64_t parts = input->problem.rows * input->problem.cols / PART_MIN;
    unsigned threads = parts < input->threads ? (unsigned)parts : input->threads;
    parallel_run(threads ? threads : 1, compare_part, comparison);
}

static void report_value(const struct verify_input *input, uint32_t bits, char *text, size_t size)
{
    uint32_t source;
    uint64_t cols = input->problem.cols;
    if (matrix_index(input->problem.seed, bits, input->problem.rows * cols, &source))
        snprintf(text, size, "%s[%" PRIu64 "][%" PRIu64 "]", input->input_name, source / cols,
                 source % cols);
    else if (bits == MATRIX_POISON)
        snprintf(text, size, "the initial content of %s", input->output_name);
    else
        snprintf(text, size, "%.9g", matrix_float(bits));
}

static bool guard_check(const struct verify_input *input, const uint32_t *matrix, const char *name,
                        bool is_after, struct report *report)
{
    uint64_t total = input->problem.rows * input->problem.cols;
    size_t damaged = 0, nearest = 0;
    uint32_t bits = 0;
    for (size_t distance = 1; distance <= input->guard_elements; distance++) {
        uint32_t found = is_after ? matrix[total + distance - 1] : *(matrix - distance);
        if (found == MATRIX_GUARD)
            continue;
        if (!damaged++) {
            nearest = distance;
            bits = found;
        }
    }
    if (!damaged)
        return true;
    char value[120], more[80] = "";
    report_value(input, bits, value, sizeof value);
    if (damaged > 1)
        snprintf(more, sizeof more, "; %zu elements are overwritten in total", damaged);
    report_add(report, FINDING_GUARD_OVERWRITTEN, "element %zu %s %s was overwritten with %s%s",
               nearest, is_after ? "past the end of" : "before the start of", name, value, more);
    return false;
}

static bool guards_check(const struct verify_input *input, struct report *report)
{
    bool unchanged = true;
    for (int is_after = 0; is_after < 2; is_after++)
        unchanged &= guard_check(input, input->output, input->output_name, is_after, report);
    for (int is_after = 0; is_after < 2; is_after++)
        unchanged &= guard_check(input, input->input, input->input_name, is_after, report);
    return unchanged;
}

static void report_changed_input(const struct verify_input *input, struct report *report)
{
    uint64_t cols = input->problem.cols, total = input->problem.rows * cols, count = 0, first = 0;
    for (uint64_t i = 0; i < total; i++)
        if (input->input[i] != matrix_value(input->problem.seed, (uint32_t)i) && !count++)
            first = i;
    report_add(report, FINDING_INPUT_MODIFIED, "%s was modified: %s[%" PRIu64 "][%" PRIu64 "]%s",
               input->input_name, input->input_name, first / cols, first % cols,
               count > 1 ? " and other elements" : "");
}

static void add_map(const struct verify_input *input, struct failure *failure)
{
    const struct problem *problem = &input->problem;
    struct element_map map;
    uint64_t rows, cols;
    problem_output_shape(problem, &rows, &cols);
    element_map_begin(&map, rows, cols);
    for (uint64_t i = 0; i < rows * cols; i++) {
        const uint64_t source = problem_source(problem, i / cols, i % cols);
        if (input->output[i] != matrix_value(problem->seed, (uint32_t)source))
            element_map_mark(&map, i, input->output[i] == MATRIX_POISON);
    }
    element_map_add(&map, input->output_name, "never written", failure);
}

bool verify_output(const struct verify_input *input, struct failure *failure)
{
    struct comparison comparison = {.input = input};
    struct report report = {.lines = 0};
    if (!problem_check(&input->problem, failure))
        return false;
    comparison_run(&comparison);
    bool guards_unchanged = guards_check(input, &report);
    if (!comparison.output_wrong && !comparison.input_changed && guards_unchanged)
        return true;

    if (comparison.input_changed)
        report_changed_input(input, &report);
    if (comparison.output_wrong && !diagnose_output(input, &report, failure))
        return false;
    report_fail(&report, guards_unchanged ? STATUS_WRONG_RESULT : STATUS_OUT_OF_BOUNDS, failure);
    if (comparison.output_wrong && !input->is_brief)
        add_map(input, failure);
    return false;
}
