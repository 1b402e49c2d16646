/* compile_clang.c: compile with the program clang. The first run uses only this module's headers
 * (clang_cuda.h and stand_ins/), so that the PTX is the same on every machine. If a header or a
 * name is missing, a second run also uses the host's headers. */
#define _GNU_SOURCE
#include "compile/compile_backend.h"
#include "process/toolkit.h"
#include "text/code_text.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct machine_fault clang_faults[] = {
    {"No available targets are compatible", "it was built without the NVPTX back end"},
    {"unsupported CUDA gpu architecture", "this version does not support this GPU"},
    {NULL, NULL}};

/* Names to try, in this order. Debian's clang 14 is the oldest tested version. */
static const char *const clang_names[] = {"clang",    "clang-21", "clang-20",
                                          "clang-19", "clang-18", "clang-17",
                                          "clang-16", "clang-15", "clang-14"};
enum { CLANG_OLDEST = 14 };

static bool clang_find(const struct compiler_found *memory, struct compiler_found *found)
{
    *found = (struct compiler_found){.why = "no clang in PATH: apt-get install clang"};
    for (size_t i = 0; i < sizeof clang_names / sizeof clang_names[0]; i++) {
        if (!program_find(clang_names[i], found->program, sizeof found->program))
            continue;
        if (memory != NULL && strcmp(memory->program, found->program) == 0)
            strcpy(found->version, memory->version);
        else if (!compile_program_ask(found->program, "-dumpversion", found->version,
                                      sizeof found->version)) {
            snprintf(found->why, sizeof found->why, "%.400s does not run", found->program);
            continue;
        }
        found->version[strcspn(found->version, "\n")] = '\0';
        if (atoi(found->version) >= CLANG_OLDEST)
            return true;
        snprintf(found->why, sizeof found->why,
                 "%.400s is version %s; version %d or newer is required", found->program,
                 found->version, CLANG_OLDEST);
    }
    found->program[0] = '\0';
    return false;
}

static const char *const clang_options[] = {
    "-x", "cuda", "--cuda-device-only", "-nocudainc", "-nocudalib", "--cuda-path=/nonexistent",
    /* Without a toolkit, clang requires a PTX version; ptx75 supports all of sm_80. */
    "-Xclang", "-target-feature", "-Xclang", "+ptx75", "-O3", "-g1", "-S", "-o", "-",
    "-fno-crash-diagnostics", "-fno-color-diagnostics", "-Wno-unknown-cuda-version",
    "-Wno-return-type-c-linkage", NULL};

static void clang_arguments(const char *program, const struct compile_unit *unit, bool with_host,
                            struct arguments *arguments)
{
    arguments_add(arguments, "%s", program);
    arguments_add_all(arguments, clang_options);
    arguments_add(arguments, "--cuda-gpu-arch=sm_%u", unit->request->architecture);
    compile_add_request(arguments, unit->request);
    arguments_add(arguments, "-include");
    arguments_add(arguments, "%s/clang_cuda.h", unit->support);
    if (!with_host)
        ARGUMENTS_ADD(arguments, "-nostdinc", "-nostdinc++");
    /* -idirafter places stand_ins/ after the host's headers in the search order. */
    arguments_add(arguments, "-idirafter%s/stand_ins", unit->support);
    arguments_add(arguments, "-idirafter%s/stand_ins/host", unit->support);
    arguments_add(arguments, "%s", unit->name);
}

static bool clang_run(const char *program, const struct compile_unit *unit, bool with_host,
                      struct compile_attempt *attempt, struct failure *failure)
{
    struct arguments arguments = {0};
    struct child_result child;
    clang_arguments(program, unit, with_host, &arguments);
    if (!compile_attempt_run(attempt, &arguments, NULL, NULL, &unit->limits, clang_faults, &child,
                             failure))
        return false;
    if (attempt->end == ATTEMPT_COMPILED && child.output_cut) {
        compile_attempt_cut(attempt, &unit->limits);
    } else if (attempt->end == ATTEMPT_COMPILED) {
        attempt->code = child.output;
        attempt->code_bytes = child.output_bytes;
        child.output = NULL;
    }
    child_result_free(&child);
    return true;
}

static bool needs_host(const char *messages)
{
    static const char *const phrases[] = {"file not found", "'std'",
                                          "'std::", "undeclared identifier", NULL};
    return text_has_one_of(messages, phrases);
}

/* Compile with the host's headers. If only this run lacks a header, the first result remains. */
static bool clang_run_with_host(const char *program, const struct compile_unit *unit,
                                struct compile_attempt *attempt, struct failure *failure)
{
    struct compile_attempt second = {0};
    if (!clang_run(program, unit, true, &second, failure))
        return false;
    bool worse = second.end == ATTEMPT_REJECTED &&
                 strstr(second.messages, "file not found") != NULL &&
                 strstr(attempt->messages, "file not found") == NULL;
    compile_attempt_free(worse ? &second : attempt);
    if (!worse)
        *attempt = second;
    return true;
}

static bool clang_compile(const struct compile_unit *unit, struct compile_attempt *attempt,
                          struct failure *failure)
{
    const struct compile_request *request = unit->request;
    struct compiler_found found;
    if (unit->to_cubin)
        return compile_attempt_end(attempt, ATTEMPT_UNAVAILABLE, "it has no assembler for GPUs");
    if (!clang_find(request->memory, &found))
        return compile_attempt_end(attempt, ATTEMPT_UNAVAILABLE, "%s", found.why);
    if (request->option_count > 0)
        return compile_attempt_end(attempt, ATTEMPT_UNAVAILABLE,
                                   "the option %s is for NVRTC and nvcc only", request->options[0]);
    char builtins[PATH_MAX + 16];
    snprintf(builtins, sizeof builtins, "%s/clang_cuda.h", unit->support);
    if (access(builtins, R_OK) != 0)
        return failure_harness(failure, "cannot read %s, which is a part of tlab: %s", builtins,
                               strerror(errno));
    bool done = clang_run(found.program, unit, false, attempt, failure);
    if (done && attempt->end == ATTEMPT_REJECTED && needs_host(attempt->messages))
        done = clang_run_with_host(found.program, unit, attempt, failure);
    strcpy(attempt->version, found.version);
    return done;
}

static bool clang_probe(struct compiler_found *found)
{
    return clang_find(NULL, found);
}

const struct compile_backend clang_backend = {COMPILER_CLANG, "clang", clang_compile, clang_probe,
                                              clang_probe};
