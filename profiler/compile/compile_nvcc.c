/* compile_nvcc.c: compile with the program nvcc. nvcc passes its arguments to a shell, which would
 * execute the command in the name `$(reboot).cu`. Therefore, nvcc runs in a temporary directory
 * with a copy of the source and links to the include directories. This file chooses all names. */
#define _GNU_SOURCE
#include "base/scratch.h"
#include "base/whole_file.h"
#include "compile/compile_backend.h"
#include "process/toolkit.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINK_INCLUDE "tlab-include"
#define LINK_SOURCE "tlab-source"
#define NVCC_OUTPUT "unit.code"

static const struct machine_fault nvcc_faults[] = {
    {"Failed to preprocess host compiler", "it needs a host compiler: apt-get install g++"},
    {"cannot execute", "it needs a C++ host compiler: apt-get install g++"},
    {"gcc: not found", "it needs a host compiler: apt-get install g++"},
    {"unsupported GNU version", "this version does not support this machine's gcc"},
    {"is not defined for option 'gpu-architecture'", "this version does not support this GPU"},
    {"Unsupported gpu architecture", "this version does not support this GPU"},
    {NULL, NULL}};

struct workplace {
    char directory[PATH_SIZE];
    char source_directory[PATH_MAX];
};

static bool workplace_link(const struct workplace *place, const char *target, const char *name,
                           struct failure *failure)
{
    char real[PATH_MAX], link[PATH_MAX + 64];
    if (realpath(target, real) == NULL)
        return failure_harness(failure, "cannot read directory %s: %s", target, strerror(errno));
    snprintf(link, sizeof link, "%s/%s", place->directory, name);
    if (symlink(real, link) != 0)
        return failure_harness(failure, "cannot write %s: %s", link, strerror(errno));
    return true;
}

static bool workplace_write_source(const struct workplace *place, const struct compile_unit *unit,
                                   struct failure *failure)
{
    const struct compile_request *request = unit->request;
    char path[PATH_MAX + 64], name[2 * PATH_MAX];
    if (!path_escape(request->source_path, name, sizeof name))
        return failure_harness(failure, "the path of the source is too long");
    snprintf(path, sizeof path, "%s/unit.cu", place->directory);
    FILE *file = fopen(path, "we");
    if (file == NULL)
        return failure_harness(failure, "cannot write %s: %s", path, strerror(errno));
    fprintf(file, "#define " COMPILE_HARNESS_MACRO " 1\n");
    for (size_t i = 0; i < request->define_count; i++) {
        const char *define = request->defines[i], *equals = strchr(define, '=');
        int length = equals != NULL ? (int)(equals - define) : (int)strlen(define);
        fprintf(file, "#define %.*s %s\n", length, define, equals != NULL ? equals + 1 : "1");
    }
    fprintf(file, "#line 1 \"%s\"\n", name);
    fwrite(unit->source, 1, unit->source_bytes, file);
    bool written = !ferror(file);
    written = fclose(file) == 0 && written;
    return written || failure_harness(failure, "cannot write %s: %s", path, strerror(errno));
}

static bool workplace_fill(struct workplace *place, const struct compile_unit *unit,
                           struct failure *failure)
{
    const char *path = unit->request->source_path, *slash = strrchr(path, '/');
    int length = slash == NULL ? 0 : (int)(slash - path) + 1;
    snprintf(place->source_directory, sizeof place->source_directory, "%.*s", length, path);
    const char *directory = length > 0 ? place->source_directory : ".";
    const char *include = unit->request->include_directory;
    return workplace_link(place, directory, LINK_SOURCE, failure) &&
           (include == NULL || workplace_link(place, include, LINK_INCLUDE, failure)) &&
           workplace_write_source(place, unit, failure);
}

/* Replace nvcc's file names by the caller's names. Frees `text`. */
static char *workplace_translate(const struct workplace *place, const struct compile_unit *unit,
                                 char *text, bool is_ptx)
{
    char directory[sizeof place->directory + 1], include[2 * PATH_MAX], source[2 * PATH_MAX];
    const char *include_from = unit->request->include_directory;
    snprintf(directory, sizeof directory, "%s/", place->directory);
    snprintf(include, sizeof include, "%s", include_from != NULL ? include_from : "");
    snprintf(source, sizeof source, "%s", place->source_directory);
    if (is_ptx &&
        (!path_escape(include_from != NULL ? include_from : "", include, sizeof include) ||
         !path_escape(place->source_directory, source, sizeof source)))
        return text;
    const char *const names[][2] = {
        {directory, ""}, {LINK_INCLUDE, include}, {LINK_SOURCE "/", source}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char *translated = text_replace(text, names[i][0], names[i][1]);
        free(text);
        text = translated;
    }
    return text;
}

static void nvcc_version_read(const char *text, char *version, size_t version_size)
{
    const char *found = strstr(text, "release ");
    size_t length = found == NULL ? 0 : strspn(found + 8, "0123456789.");
    if (length > 0)
        snprintf(version, version_size, "%.*s", (int)length, found + 8);
    else
        snprintf(version, version_size, "of unknown version");
}

static bool nvcc_read_code(const char *nvcc, const struct workplace *place,
                           const struct compile_unit *unit, struct compile_attempt *attempt,
                           struct failure *failure)
{
    char path[PATH_MAX + 64], answer[1024] = "";
    snprintf(path, sizeof path, "%s/" NVCC_OUTPUT, place->directory);
    struct stat status;
    if (stat(path, &status) == 0 && (size_t)status.st_size > unit->limits.output_bytes)
        return compile_attempt_cut(attempt, &unit->limits);
    char *code = whole_file_read(path, unit->limits.output_bytes, &attempt->code_bytes, failure);
    if (code == NULL)
        return false;
    if (unit->to_cubin)
        compile_program_ask(nvcc, "--version", answer, sizeof answer);
    nvcc_version_read(unit->to_cubin ? answer : code, attempt->version, sizeof attempt->version);
    if (!unit->to_cubin) {
        code = workplace_translate(place, unit, code, true);
        attempt->code_bytes = strlen(code);
    }
    attempt->code = code;
    attempt->end = ATTEMPT_COMPILED;
    return true;
}

static bool nvcc_run(const char *nvcc, const struct workplace *place,
                     const struct compile_unit *unit, struct compile_attempt *attempt,
                     struct failure *failure)
{
    const struct compile_request *request = unit->request;
    char temporary[sizeof place->directory + 8];
    snprintf(temporary, sizeof temporary, "TMPDIR=%s", place->directory);
    struct arguments arguments = {0};
    arguments_add(&arguments, "%s", nvcc);
    arguments_add(&arguments, "-arch=%s_%u", unit->to_cubin ? "sm" : "compute",
                  request->architecture);
    /* Here gcc only preprocesses, so a gcc that is too new for nvcc gives the same PTX. */
    ARGUMENTS_ADD(&arguments, unit->to_cubin ? "-cubin" : "-ptx", "-std=" COMPILE_LANGUAGE,
                  "-allow-unsupported-compiler", "--expt-relaxed-constexpr", "-I" LINK_SOURCE);
    if (!unit->to_cubin)
        arguments_add(&arguments, "-lineinfo");
    if (request->include_directory != NULL)
        arguments_add(&arguments, "-I" LINK_INCLUDE);
    for (size_t i = 0; i < request->option_count; i++)
        arguments_add(&arguments, "%s", request->options[i]);
    ARGUMENTS_ADD(&arguments, "-o", NVCC_OUTPUT, "unit.cu");
    const char *const environment[] = {temporary, "NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS", NULL};
    struct child_limits limits = unit->limits;
    limits.starts_others = true;
    struct child_result child;
    if (!compile_attempt_run(attempt, &arguments, environment, place->directory, &limits,
                             nvcc_faults, &child, failure))
        return false;
    bool done =
        attempt->end != ATTEMPT_COMPILED || nvcc_read_code(nvcc, place, unit, attempt, failure);
    if (attempt->messages != NULL)
        attempt->messages = workplace_translate(place, unit, attempt->messages, false);
    child_result_free(&child);
    return done;
}

static bool nvcc_compile(const struct compile_unit *unit, struct compile_attempt *attempt,
                         struct failure *failure)
{
    struct toolkit toolkit;
    struct workplace place;
    const bool found = toolkit_find(&toolkit);
    if (toolkit.nvcc[0] == '\0')
        return compile_attempt_end(attempt, ATTEMPT_UNAVAILABLE, "%s",
                                   found ? "the toolkit has no nvcc" : toolkit.why);
    for (size_t i = 0; i < unit->request->option_count; i++)
        if (!text_is_plain(unit->request->options[i]))
            return failure_harness(
                failure, "compiler option %s: only letters, digits and _=+,.:/- are allowed",
                unit->request->options[i]);
    if (!scratch_make(place.directory, "nvcc", failure))
        return false;
    bool done = workplace_fill(&place, unit, failure) &&
                nvcc_run(toolkit.nvcc, &place, unit, attempt, failure);
    scratch_remove(place.directory);
    return done;
}

static bool nvcc_probe(struct compiler_found *found)
{
    struct toolkit toolkit;
    char answer[1024], compiler[PATH_MAX];
    if (!toolkit_find(&toolkit))
        strcpy(found->why, toolkit.why);
    else if (toolkit.nvcc[0] == '\0')
        snprintf(found->why, sizeof found->why, "%.400s has no nvcc", toolkit.root);
    else if (!compile_program_ask(toolkit.nvcc, "--version", answer, sizeof answer))
        snprintf(found->why, sizeof found->why, "%.400s does not run", toolkit.nvcc);
    else if (!program_find("gcc", compiler, sizeof compiler))
        strcpy(found->why, "it needs a host compiler: apt-get install g++");
    else
        nvcc_version_read(answer, found->version, sizeof found->version);
    return found->version[0] != '\0';
}

const struct compile_backend nvcc_backend = {COMPILER_NVCC, "nvcc", nvcc_compile, nvcc_probe, NULL};
