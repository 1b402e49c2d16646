/* compile_attempt.c: results of compilers, and the execution of compilers that are programs. */
#define _GNU_SOURCE
#include "base/wording.h"
#include "compile/compile_backend.h"
#include "process/allocate.h"

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
    FORMAT(attempt->why, sizeof attempt->why, format);
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
    return compile_attempt_end(attempt, ATTEMPT_EXHAUSTED, "wrote more than %zu MiB of PTX",
                               limits->output_bytes >> 20);
}

void compile_add_request(struct arguments *options, const struct compile_request *request)
{
    arguments_add(options, "-std=" COMPILE_LANGUAGE);
    arguments_add(options, "-D" COMPILE_HARNESS_MACRO);
    for (size_t i = 0; i < request->define_count; i++)
        arguments_add(options, "-D%s", request->defines[i]);
    if (request->include_directory != NULL)
        arguments_add(options, "-I%s", request->include_directory);
}

static void attempt_reject(struct compile_attempt *attempt, const struct child_result *child,
                           const struct child_limits *limits, const struct machine_fault *faults)
{
    while (faults->phrase != NULL && strstr(attempt->messages, faults->phrase) == NULL)
        faults++;
    if (child->end != CHILD_EXITED)
        compile_attempt_exhausted(attempt, child, limits);
    else if (child->code == CHILD_CANNOT_RUN)
        compile_attempt_end(attempt, ATTEMPT_UNAVAILABLE, "%s", attempt->messages);
    else if (faults->phrase != NULL)
        compile_attempt_end(attempt, ATTEMPT_UNAVAILABLE, "%s", faults->why);
    else if (messages_show_exhaustion(attempt->messages))
        compile_attempt_end(attempt, ATTEMPT_EXHAUSTED, "ran out of memory or stack, or crashed");
    else
        attempt->end = ATTEMPT_REJECTED;
}

bool compile_attempt_run(struct compile_attempt *attempt, struct arguments *arguments,
                         const char *const *environment, const char *directory,
                         const struct child_limits *limits, const struct machine_fault *faults,
                         struct child_result *child, struct failure *failure)
{
    bool done = child_run_program((const char *const *)arguments->words, environment, directory,
                                  limits, child, failure);
    arguments_free(arguments);
    if (!done)
        return false;
    attempt->messages = child->messages;
    child->messages = NULL;
    if (child->end != CHILD_EXITED || child->code != 0)
        attempt_reject(attempt, child, limits, faults);
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
