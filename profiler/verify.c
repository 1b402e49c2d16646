/* verify.c: is the output right, is the input unchanged, are the guards whole?
 *
 * Theory of operation. Nothing is compared with a stored reference: the values that belong into a
 * row of the output are those of evenly spaced input indices, and making them (matrix_equal) is
 * faster than fetching them from the input across its rows. The output and the input are split into
 * equal shares for the threads, each of which stops at its first difference. Only if there is one
 * does the slow work begin, in one thread (diagnose.h).
 */
#include "verify.h"

#include "diagnose.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { MAX_THREADS = 64, SHARE_MIN = 1 << 16 };

/* ---- The comparison ---- */

/* One thread's share: elements first..end-1 of both matrices. */
struct share {
    const struct verify_input *input;
    uint64_t first, end;
    bool output_right, input_unchanged;
};

static bool output_is_right(const struct verify_input *input, uint64_t first, uint64_t end)
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

static void *share_compare(void *argument)
{
    struct share *share = argument;
    const struct verify_input *input = share->input;
    share->output_right = output_is_right(input, share->first, share->end);
    share->input_unchanged = matrix_equal(input->problem.seed, share->first, 1,
                                          input->input + share->first, share->end - share->first);
    return NULL;
}

/* Compare in as many threads as are worth while; a thread that cannot be had is done without. */
static void matrices_compare(const struct verify_input *input, bool *output_right,
                             bool *input_unchanged)
{
    struct share shares[MAX_THREADS];
    pthread_t threads[MAX_THREADS];
    bool started[MAX_THREADS] = {false};
    uint64_t total = input->problem.rows * input->problem.cols;
    uint64_t count = total / SHARE_MIN < input->threads ? total / SHARE_MIN : input->threads;
    count = count < 1 ? 1 : count > MAX_THREADS ? MAX_THREADS : count;

    for (uint64_t i = 0; i < count; i++) {
        shares[i] = (struct share){input, total * i / count, total * (i + 1) / count, false, false};
        started[i] = i && pthread_create(&threads[i], NULL, share_compare, &shares[i]) == 0;
    }
    *output_right = *input_unchanged = true;
    for (uint64_t i = 0; i < count; i++) {
        if (!started[i])
            share_compare(&shares[i]);
        else
            pthread_join(threads[i], NULL);
        *output_right &= shares[i].output_right;
        *input_unchanged &= shares[i].input_unchanged;
    }
}

/* ---- What was found, in words ---- */

static void report_value(const struct verify_input *input, uint32_t bits, char *text, size_t size)
{
    uint32_t source;
    float value;
    uint64_t cols = input->problem.cols;
    memcpy(&value, &bits, sizeof value);
    if (matrix_index(input->problem.seed, bits, input->problem.rows * cols, &source))
        snprintf(text, size, "%s[%" PRIu64 "][%" PRIu64 "]", input->input_name, source / cols,
                 source % cols);
    else if (bits == MATRIX_POISON)
        snprintf(text, size, "what was in %s before the launch", input->output_name);
    else
        snprintf(text, size, "%.9g", value);
}

/* Distances count from the matrix: element 1 behind odata is the first that is not its own. */
static bool guard_check(const struct verify_input *input, int i, struct report *report)
{
    const uint32_t *guard = input->guards[i];
    size_t count = guard ? input->guard_elements[i] : 0, damaged = 0, nearest = 0;
    bool before = count && !strncmp(input->guard_names[i], "before", strlen("before"));
    uint32_t bits = 0;
    for (size_t distance = 1; distance <= count; distance++) {
        uint32_t found = guard[before ? count - distance : distance - 1];
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
        snprintf(more, sizeof more, ", and %zu more", damaged - 1);
    report_add(report, "element %zu %s was overwritten (with %s)%s", nearest, input->guard_names[i],
               value, more);
    return false;
}

static void report_changed_input(const struct verify_input *input, struct report *report)
{
    uint64_t cols = input->problem.cols, total = input->problem.rows * cols, count = 0, first = 0;
    for (uint64_t i = 0; i < total; i++)
        if (input->input[i] != matrix_value(input->problem.seed, (uint32_t)i) && !count++)
            first = i;
    report_add(report, "%s was modified: %s[%" PRIu64 "][%" PRIu64 "]%s", input->input_name,
               input->input_name, first / cols, first % cols, count > 1 ? " and others" : "");
}

bool verify_output(const struct verify_input *input, struct failure *failure)
{
    bool output_right, input_unchanged, guards_whole = true;
    struct report report = {.lines = 0};
    if (!problem_check(&input->problem, failure))
        return false;
    matrices_compare(input, &output_right, &input_unchanged);
    for (int i = 0; i < 4; i++)
        guards_whole &= guard_check(input, i, &report);
    if (output_right && input_unchanged && guards_whole)
        return true;

    if (!input_unchanged)
        report_changed_input(input, &report);
    if (!output_right && !diagnose_output(input, &report, failure))
        return false;
    return failure_student(failure, guards_whole ? STATUS_WRONG_RESULT : STATUS_OUT_OF_BOUNDS, "%s",
                           report.text);
}
