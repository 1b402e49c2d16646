#define _GNU_SOURCE
#include "compile/compile.h"
#include "base/paths.h"
#include "base/whole_file.h"
#include "base/wording.h"
#include "compile/compile_backend.h"
#include "process/allocate.h"
#include "text/code_text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    SOURCE_MAX_BYTES = 64 << 20,
    COMPILE_SECONDS = 60,
    /* The compilation of a typical kernel requires 0.2 GB. */
    COMPILE_MEMORY_GIB = 4,
    COMPILE_OUTPUT_BYTES = 64 << 20
};

static const struct child_limits default_limits = {.seconds = COMPILE_SECONDS,
                                                   .memory_bytes = (uint64_t)COMPILE_MEMORY_GIB
                                                                   << 30,
                                                   .output_bytes = COMPILE_OUTPUT_BYTES};

static const struct compile_backend *const compilers[] = {&nvrtc_backend, &nvcc_backend,
                                                          &clang_backend};
enum { COMPILER_TABLE_COUNT = sizeof compilers / sizeof compilers[0] };

static const char *const host_code_phrases[] = {
    "could not open source file",
    "cannot open source file",
    "host functions are not allowed",
    "host variables are not allowed",
    "identifier \"cuda",
    "\"std\"",
    "\"std::",
    NULL,
};

static const char install_hint[] =
    "install the CUDA Toolkit (for NVRTC or nvcc), or clang: apt-get install clang";

const char *compiler_name(enum compiler compiler)
{
    for (int i = 0; i < COMPILER_TABLE_COUNT; i++)
        if (compilers[i]->compiler == compiler)
            return compilers[i]->name;
    return "any";
}

bool compiler_probe(enum compiler compiler, struct compiler_found *found)
{
    for (int i = 0; i < COMPILER_TABLE_COUNT; i++) {
        if (compiler != COMPILER_ANY && compilers[i]->compiler != compiler)
            continue;
        *found = (struct compiler_found){0};
        if (compilers[i]->probe(found))
            return true;
    }
    return false;
}

static bool define_is_valid(const char *define)
{
    if (!isalpha((unsigned char)define[0]) && define[0] != '_')
        return false;
    while (isalnum((unsigned char)*define) || *define == '_')
        define++;
    return (*define == '\0' || *define == '=') && strpbrk(define, "\n\r") == NULL;
}

static bool request_check(const struct compile_request *request, struct failure *failure)
{
    for (size_t i = 0; i < request->define_count; i++)
        if (!define_is_valid(request->defines[i]))
            return failure_harness(failure, "-D needs NAME or NAME=VALUE on one line, not `%s`",
                                   request->defines[i]);
    if (strpbrk(request->source_path, "\n\r") != NULL)
        return failure_harness(failure, "a source file's name must not contain a line break");
    return true;
}

static bool compiler_choose(const struct compile_request *request, enum compiler *compiler,
                            struct failure *failure)
{
    const char *name = getenv("TLAB_COMPILER");
    *compiler = request->compiler;
    if (*compiler != COMPILER_ANY || name == NULL || name[0] == '\0')
        return true;
    for (int i = 0; i < COMPILER_TABLE_COUNT; i++)
        if (strcmp(compilers[i]->name, name) == 0) {
            *compiler = compilers[i]->compiler;
            return true;
        }
    return failure_harness(failure, "TLAB_COMPILER=%s: expected nvrtc, nvcc or clang", name);
}

static bool source_read(const char *path, char **text, size_t *bytes, struct failure *failure)
{
    struct stat status;
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode)) /* Reading a FIFO would block. */
        return failure_harness(failure, "cannot read %s: not a regular file", path);
    *text = whole_file_read(path, SOURCE_MAX_BYTES, bytes, failure);
    return *text != NULL;
}

/* Reject a source that contains a NUL. NVRTC would stop there without a message. */
static bool source_check(const char *path, const char *text, size_t bytes, struct failure *failure)
{
    const char *nul = memchr(text, '\0', bytes);
    if (nul == NULL)
        return true;
    return failure_student(
        failure, STATUS_COMPILE_ERROR,
        "%s(%u): error: NUL byte in the source. If the file is UTF-16, save it as "
        "UTF-8",
        path, code_line(text, nul));
}

static void result_take(struct compile_attempt *attempt, int index, const struct compile_unit *unit,
                        struct compile_result *result)
{
    const char *name = compilers[index]->name;
    result->compiler = compilers[index]->compiler;
    result->warnings = allocate_checked(strdup(attempt->messages != NULL ? attempt->messages : ""));
    text_defuse(result->warnings, "\n\t");
    if (unit->to_cubin) {
        result->cubin = attempt->code;
        result->cubin_bytes = attempt->code_bytes;
        attempt->code = NULL;
        snprintf(result->description, sizeof result->description, "%s %s sm_%u cubin:%016llx", name,
                 attempt->version, unit->request->architecture,
                 (unsigned long long)cubin_hash(result->cubin, result->cubin_bytes));
    } else {
        result->ptx = ptx_name_source(attempt->code, unit->request->source_path);
        result->ptx_bytes = strlen(result->ptx);
        snprintf(result->description, sizeof result->description, "%s %s ptx:%016llx", name,
                 attempt->version, (unsigned long long)ptx_hash(result->ptx));
    }
}

struct verdicts {
    char unavailable[1024];
    struct failure rejection;
};

static void verdicts_add(struct verdicts *verdicts, int index, const struct compile_unit *unit,
                         const struct compile_attempt *attempt)
{
    const char *name = compilers[index]->name;
    char text[FAILURE_TEXT_SIZE];
    if (attempt->end == ATTEMPT_UNAVAILABLE) {
        APPEND(verdicts->unavailable, "%s%s: %s", verdicts->unavailable[0] != '\0' ? "; " : "",
               name, attempt->why);
        return;
    }
    verdicts->rejection = (struct failure){0};
    if (attempt->end == ATTEMPT_EXHAUSTED) {
        failure_student(&verdicts->rejection, STATUS_COMPILE_ERROR, "%s: error: the compiler %s",
                        unit->request->source_path, attempt->why);
        return;
    }
    messages_summarise_errors(attempt->messages != NULL ? attempt->messages : "", text,
                              sizeof text);
    failure_student(&verdicts->rejection, STATUS_COMPILE_ERROR, "%s",
                    text[0] != '\0' ? text : "the compiler rejected the file without a message");
}

static bool verdicts_fail(const struct verdicts *verdicts, struct failure *failure)
{
    if (verdicts->rejection.kind == FAILURE_STUDENT)
        return failure_student(failure, STATUS_COMPILE_ERROR, "%s", verdicts->rejection.text);
    return failure_harness(failure, "no usable compiler for CUDA (%s): %s", verdicts->unavailable,
                           install_hint);
}

static bool unit_compile(const struct compile_unit *unit, enum compiler chosen,
                         struct compile_result *result, struct failure *failure)
{
    struct verdicts verdicts = {0};
    for (int i = 0; i < COMPILER_TABLE_COUNT; i++) {
        if (chosen != COMPILER_ANY && chosen != compilers[i]->compiler)
            continue;
        struct compile_attempt attempt = {0};
        bool done = compilers[i]->compile(unit, &attempt, failure);
        bool compiled = done && attempt.end == ATTEMPT_COMPILED;
        if (compiled)
            result_take(&attempt, i, unit, result);
        else if (done)
            verdicts_add(&verdicts, i, unit, &attempt);
        bool judged = attempt.end == ATTEMPT_EXHAUSTED ||
                      (attempt.end == ATTEMPT_REJECTED &&
                       !(compilers[i]->compiler == COMPILER_NVRTC && attempt.messages != NULL &&
                         text_has_one_of(attempt.messages, host_code_phrases)));
        compile_attempt_free(&attempt);
        if (!done || compiled)
            return done;
        if (judged)
            break;
    }
    return verdicts_fail(&verdicts, failure);
}

static bool source_compile(const struct compile_request *request, bool to_cubin,
                           struct compile_result *result, struct failure *failure)
{
    static const char byte_order_mark[] = "\xef\xbb\xbf";
    char support[PATH_SIZE], name[PATH_SIZE], *text = NULL;
    size_t bytes = 0;
    enum compiler compiler;
    *result = (struct compile_result){0};
    if (!request_check(request, failure) || !compiler_choose(request, &compiler, failure) ||
        (request->support_directory == NULL &&
         !paths_in_root("profiler/compile", support, failure)) ||
        !source_read(request->source_path, &text, &bytes, failure))
        return false;
    size_t skip = strncmp(text, byte_order_mark, 3) == 0 ? 3 : 0;
    snprintf(name, sizeof name, "%s%s", request->source_path[0] == '-' ? "./" : "",
             request->source_path);
    struct compile_unit unit = {
        .request = request,
        .name = name,
        .source = text + skip,
        .source_bytes = bytes - skip,
        .support = request->support_directory != NULL ? request->support_directory : support,
        .limits = request->limits != NULL ? *request->limits : default_limits,
        .to_cubin = to_cubin,
    };
    bool done = source_check(request->source_path, unit.source, unit.source_bytes, failure) &&
                unit_compile(&unit, compiler, result, failure);
    free(text);
    return done;
}

bool compile_to_ptx(const struct compile_request *request, struct compile_result *result,
                    struct failure *failure)
{
    return source_compile(request, false, result, failure);
}

bool compile_to_cubin(const struct compile_request *request, struct compile_result *result,
                      struct failure *failure)
{
    return source_compile(request, true, result, failure);
}

void compile_preload(struct compiler_found *memory)
{
    const struct compile_request request = {.compiler = COMPILER_ANY};
    struct failure failure = {0};
    enum compiler chosen;
    *memory = (struct compiler_found){0};
    if (!compiler_choose(&request, &chosen, &failure))
        return;
    for (int i = 0; i < COMPILER_TABLE_COUNT; i++)
        if (compilers[i]->preload != NULL &&
            (chosen == COMPILER_ANY || chosen == compilers[i]->compiler) &&
            compilers[i]->preload(memory))
            return;
}

void compile_result_free(struct compile_result *result)
{
    free(result->ptx);
    free(result->cubin);
    free(result->warnings);
    *result = (struct compile_result){0};
}
