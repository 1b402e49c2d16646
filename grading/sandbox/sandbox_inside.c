/* sandbox_inside.c: theory of operation. This process parses only one kind of untrusted bytes: the
 * submission's text, to find #include lines. Each compiler runs in a child (compile.h) with
 * restricted rights, so that a compromised compiler affects no other file. */
#define _GNU_SOURCE
#include "sandbox/sandbox_inside.h"
#include "commands/command.h"
#include "compile/compile_backend.h"
#include "process/allocate.h"
#include "process/child.h"
#include "run/options.h"
#include "sandbox/sandbox.h"
#include "sandbox/sandbox_confine.h"
#include "sandbox/sandbox_frame.h"
#include "sandbox/sandbox_include.h"
#include "sandbox/sandbox_view.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const struct child_limits compiler_limits = {.seconds = 10 * SANDBOX_PATIENCE,
                                                    .tree_seconds = 10,
                                                    .memory_bytes = 2ull << 30,
                                                    .data_bytes = 288 << 20,
                                                    .output_bytes = SANDBOX_PTX_MAX,
                                                    .confine = sandbox_confine_compiler};

enum { ARCHITECTURE_MAX = 999 };

/* Returns a malloc'd copy, truncated to `most` bytes. In the copy, paths relative to the submission
 * or to the course replace paths of the sandbox. */
static char *text_localise(const struct sandbox_inside *inside, const char *text, size_t most)
{
    char names[3][PATH_SIZE + 2];
    snprintf(names[0], sizeof names[0], "%s/", inside->submission);
    snprintf(names[1], sizeof names[1], "%s/", inside->include);
    snprintf(names[2], sizeof names[2], "%s/", inside->support);
    char *result = allocate_checked(strdup(text));
    for (int i = 0; i < 3; i++) {
        char *replaced = text_replace(result, names[i], i == 0 ? "" : i == 1 ? "include/" : "");
        free(result);
        result = replaced;
    }
    if (strlen(result) > most)
        result[most] = '\0';
    return result;
}

static bool path_is_inside(const struct sandbox_inside *inside, const char *path, size_t length)
{
    const char *roots[] = {inside->submission, inside->include,     inside->support,
                           "/usr/include",     "/usr/lib",          getenv("TLAB_CUDA"),
                           "/usr/local/cuda",  getenv("CUDA_HOME"), getenv("CUDA_PATH")};
    char name[PATH_MAX], file[PATH_MAX], root[PATH_MAX];
    struct stat status;
    if (length >= sizeof name)
        return false;
    memcpy(name, path, length);
    name[length] = '\0';
    if (stat(name, &status) != 0 || !S_ISREG(status.st_mode) || realpath(name, file) == NULL)
        return true;
    for (size_t i = 0; i < sizeof roots / sizeof roots[0]; i++) {
        if (roots[i] == NULL || realpath(roots[i], root) == NULL)
            continue;
        size_t bytes = strlen(root);
        if (strncmp(file, root, bytes) == 0 && file[bytes] == '/')
            return true;
    }
    return false;
}

/* Returns true if a .file line, or a message ("PATH(3): " or "PATH:3:"), names an outside file. */
static bool text_names_outside(const struct sandbox_inside *inside, const char *text)
{
    for (const char *line = text; *line != '\0'; line += strcspn(line, "\n")) {
        line += *line == '\n';
        line += strspn(line, " \t");
        const char *path = line, *end = line + strcspn(line, "(:\n");
        if (strncmp(line, ".file", 5) == 0) {
            path = line + strcspn(line, "\"\n");
            path += *path == '"';
            end = path + strcspn(path, "\"\n");
        }
        if (end > path && !path_is_inside(inside, path, (size_t)(end - path)))
            return true;
    }
    return false;
}

static void failure_localise(const struct sandbox_inside *inside, struct failure *failure)
{
    char *text = text_localise(inside, failure->text, sizeof failure->text - 1);
    strcpy(failure->text, text);
    free(text);
}

static bool result_send(const struct sandbox_inside *inside, size_t index,
                        struct sandbox_compiled *compiled, int output)
{
    char *warnings = compiled->result.warnings;
    failure_localise(inside, &compiled->failure);
    failure_localise(inside, &compiled->no_cubin);
    if (warnings != NULL)
        compiled->result.warnings = text_localise(inside, warnings, SANDBOX_WARNINGS_MAX);
    free(warnings);
    return sandbox_frame_send(output, (uint32_t)index, compiled);
}

static struct compile_request file_request(const struct sandbox_inside *inside, const char *file,
                                           unsigned architecture)
{
    return (struct compile_request){.source_path = file,
                                    .include_directory = inside->include,
                                    .is_lab = true,
                                    .architecture = architecture,
                                    .support_directory = inside->support,
                                    .memory = inside->memory,
                                    .limits = &compiler_limits};
}

static bool file_compile(const struct sandbox_inside *inside, const char *file,
                         struct compile_result *result, struct failure *failure)
{
    struct compile_request request = file_request(inside, file, COMPILE_EMULATED_ARCHITECTURE);
    struct failure outside = {0};
    *result = (struct compile_result){0};
    if (!inside->isolated && !sandbox_includes_check(file, INCLUDE_STRICT, failure))
        return false;
    bool done = compile_to_ptx(&request, result, failure);
    if (done && result->ptx_bytes > SANDBOX_PTX_MAX)
        done = failure_student(failure, STATUS_COMPILE_ERROR,
                               "%s: error: the compiler produced more than %d MiB of PTX", file,
                               SANDBOX_PTX_MAX >> 20);
    if (done && result->ptx_bytes > inside->bytes)
        done = failure_student(failure, STATUS_COMPILE_ERROR,
                               "%s: error: the submission exceeds its limit of %d MiB of PTX", file,
                               SANDBOX_BUDGET_BYTES >> 20);
    if (inside->isolated &&
        !sandbox_includes_check(file, done ? INCLUDE_AFTER_SUCCESS : INCLUDE_AFTER_ERROR,
                                &outside)) {
        *failure = outside;
        done = false;
    }
    const char *text = done ? result->ptx : failure->text;
    if (!inside->isolated && text_names_outside(inside, text)) {
        *failure = (struct failure){0};
        done = failure_student(failure, STATUS_UNTRUSTED,
                               "%s: this code names a file outside of the submission", file);
    }
    if (!done)
        compile_result_free(result);
    return done;
}

static void file_compile_machine(const struct sandbox_inside *inside, const char *file,
                                 struct compile_result *result, struct failure *failure)
{
    struct compile_request request = file_request(inside, file, inside->architecture);
    struct compile_result machine = {0};
    if (inside->architecture == 0)
        return;
    if (!compile_to_cubin(&request, &machine, failure)) {
        if (!inside->isolated && text_names_outside(inside, failure->text))
            snprintf(failure->text, sizeof failure->text,
                     "%s: this code names a file outside of the submission", file);
        return;
    }
    if (machine.cubin_bytes > SANDBOX_CUBIN_MAX ||
        machine.cubin_bytes > inside->bytes - result->ptx_bytes) {
        failure_student(failure, STATUS_COMPILE_ERROR,
                        "%s: error: the compiler produced more than %d MiB of machine code", file,
                        SANDBOX_CUBIN_MAX >> 20);
    } else {
        result->cubin = machine.cubin;
        result->cubin_bytes = machine.cubin_bytes;
        machine.cubin = NULL;
        *failure = (struct failure){0};
    }
    compile_result_free(&machine);
}

bool sandbox_inside_compile(const struct sandbox_inside *request, const char *const *files,
                            size_t count, int output)
{
    const struct sandbox_compiled ready = {.failure.kind = FAILURE_HARNESS};
    struct compiler_found memory;
    struct sandbox_inside inside = *request;
    if (!sandbox_frame_send(output, SANDBOX_READY, &ready))
        return false;
    compile_preload(&memory);
    inside.memory = &memory;
    for (size_t i = 0; i < count; i++) {
        struct sandbox_compiled file = {0};
        if (file_compile(&inside, files[i], &file.result, &file.failure)) {
            file.failure = (struct failure){0};
            file_compile_machine(&inside, files[i], &file.result, &file.no_cubin);
        }
        bool sent = result_send(&inside, i, &file, output);
        inside.bytes -= file.result.ptx_bytes + file.result.cubin_bytes;
        sandbox_compiled_free(&file, 1);
        if (!sent)
            return false;
    }
    return true;
}

int command_compile_sandboxed(int count, char **values, struct failure *failure)
{
    struct sandbox_inside inside = {.submission = SANDBOX_SUBMISSION,
                                    .include = SANDBOX_ROOT "/include",
                                    .support = SANDBOX_ROOT "/profiler/compile",
                                    .isolated = true};
    uint64_t architecture, bytes;
    if (count < 2) {
        failure_harness(failure,
                        "compile-sandboxed needs an architecture, a number of bytes and files");
        return 2;
    }
    if (!options_number("compile-sandboxed", values[0], 0, ARCHITECTURE_MAX, &architecture,
                        failure) ||
        !options_number("compile-sandboxed", values[1], 0, SANDBOX_BUDGET_BYTES, &bytes, failure))
        return 2;
    inside.architecture = (unsigned)architecture;
    inside.bytes = bytes;
    if (sandbox_inside_compile(&inside, (const char *const *)values + 2, (size_t)count - 2, 1))
        return 0;
    failure_harness(failure, "cannot write to standard output");
    return 2;
}
