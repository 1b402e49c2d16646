/* compile_attempt.c: how an attempt of a compiler ends, and what the compilers that are programs
 * have in common.
 */
#include "compile/compile_backend.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void compile_attempt_free(struct compile_attempt *attempt)
{
    free(attempt->code);
    free(attempt->messages);
    *attempt = (struct compile_attempt){0};
}

bool compile_attempt_end(struct compile_attempt *attempt, enum attempt_end end, const char *format,
                         ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(attempt->why, sizeof attempt->why, format, arguments);
    va_end(arguments);
    attempt->end = end;
    return true;
}

bool compile_attempt_exhausted(struct compile_attempt *attempt, const struct child_result *child,
                               const struct child_limits *limits)
{
    char end[128];
    child_describe_end(child, limits, end, sizeof end);
    if (child->end == CHILD_TIMED_OUT)
        return compile_attempt_end(attempt, ATTEMPT_EXHAUSTED, "ran out of time (%s)", end);
    return compile_attempt_end(attempt, ATTEMPT_EXHAUSTED,
                               "ran out of memory or stack, or crashed (%s)", end);
}

bool compile_attempt_cut(struct compile_attempt *attempt, const struct child_limits *limits)
{
    return compile_attempt_end(attempt, ATTEMPT_EXHAUSTED, "made more than %zu MB of PTX",
                               limits->output_bytes >> 20);
}

/* ---- Programs ---- */

void compile_arguments_add(struct compile_arguments *arguments, const char *argument)
{
    enum { MOST = sizeof arguments->items / sizeof *arguments->items - 1 };
    if (arguments->count == MOST)
        arguments->full = true;
    else
        arguments->items[arguments->count++] = argument;
    arguments->items[arguments->count] = NULL;
}

static const char *machine_fault_find(const struct machine_fault *faults, const char *messages)
{
    for (; faults->phrase != NULL; faults++)
        if (strstr(messages, faults->phrase) != NULL)
            return faults->why;
    return NULL;
}

bool compile_attempt_reject(struct compile_attempt *attempt, struct child_result *child,
                            const struct child_limits *limits, const struct machine_fault *faults)
{
    const char *why = machine_fault_find(faults, child->messages);
    if (child->end != CHILD_EXITED)
        return compile_attempt_exhausted(attempt, child, limits);
    if (child->code == CHILD_CANNOT_RUN)
        return compile_attempt_end(attempt, ATTEMPT_UNAVAILABLE, "%s", child->messages);
    if (why != NULL)
        return compile_attempt_end(attempt, ATTEMPT_UNAVAILABLE, "%s", why);
    if (messages_show_exhaustion(child->messages))
        return compile_attempt_end(attempt, ATTEMPT_EXHAUSTED,
                                   "ran out of memory or stack, or crashed");
    attempt->end = ATTEMPT_REJECTED;
    attempt->messages = child->messages;
    child->messages = NULL;
    return true;
}

const struct child_limits compile_probe_limits = {
    .seconds = 20, .memory_bytes = 4ull << 30, .output_bytes = 1 << 16};

bool compile_program_ask(const char *program, const char *option, char *answer, size_t answer_size)
{
    const char *const argv[] = {program, option, NULL};
    struct failure failure = {0};
    struct child_result child;
    if (!child_run_program(argv, NULL, NULL, &compile_probe_limits, &child, &failure))
        return false;
    bool done = child.end == CHILD_EXITED && child.code == 0;
    if (done)
        snprintf(answer, answer_size, "%s", child.output);
    child_result_free(&child);
    return done;
}
