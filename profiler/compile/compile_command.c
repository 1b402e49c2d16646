/* compile_command.c: compile with the programs nvcc and clang.
 *
 * Theory of operation. Both run as children with an argument vector, never through a shell. nvcc,
 * however, hands its arguments to a shell itself, where a file named `$(reboot).cu` would do as it
 * says; so nvcc only ever sees names that we chose: it runs in a temporary directory that holds a
 * copy of the source (behind the request's macros and a #line directive that gives the name back)
 * and symbolic links to the directories of includes. What it then says of those names is translated
 * back. clang takes any name, and needs no temporary file: its PTX comes on standard output.
 *
 * clang compiles in two ways. First against our small headers alone (clang_cuda.h for CUDA's
 * built-ins, stand_ins/ for the headers that students include by habit), which gives the same PTX
 * on every machine; then, if a header is missing there, against those of the host too.
 */
#define _GNU_SOURCE
#include "base/scratch.h"
#include "base/toolkit.h"
#include "compile/compile_backend.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_ARGUMENTS = 256 };

/* Links in nvcc's directory, named so that they can be found again in its messages. */
#define LINK_INCLUDE "tlab-include"
#define LINK_SOURCE "tlab-source"
/* The file that nvcc writes there. */
#define NVCC_OUTPUT "unit.code"

/* An argument vector; strings are borrowed or from `storage`. */
struct arguments {
    const char *items[MAX_ARGUMENTS + 1];
    size_t count;
    bool full;
};

static void arguments_add(struct arguments *arguments, const char *argument)
{
    if (arguments->count == MAX_ARGUMENTS)
        arguments->full = true;
    else
        arguments->items[arguments->count++] = argument;
    arguments->items[arguments->count] = NULL;
}

/* Phrases by which a compiler says that the machine, not the source, is at fault. */
struct machine_fault {
    const char *phrase, *why;
};

static const struct machine_fault nvcc_faults[] = {
    {"Failed to preprocess host compiler", "it needs a host compiler: apt-get install g++"},
    {"cannot execute", "it needs a C++ host compiler: apt-get install g++"},
    {"gcc: not found", "it needs a host compiler: apt-get install g++"},
    {"unsupported GNU version", "its version does not support this machine's gcc"},
    {"is not defined for option 'gpu-architecture'", "its version lacks this GPU architecture"},
    {"Unsupported gpu architecture", "its version lacks this GPU architecture"},
    {NULL, NULL}};

static const struct machine_fault clang_faults[] = {
    {"No available targets are compatible", "it was built without the NVPTX back end"},
    {"unsupported CUDA gpu architecture", "its version lacks this GPU architecture"},
    {NULL, NULL}};

static const char *machine_fault_find(const struct machine_fault *faults, const char *messages)
{
    for (; faults->phrase != NULL; faults++)
        if (strstr(messages, faults->phrase) != NULL)
            return faults->why;
    return NULL;
}

/* Judge a compiler's run that gave no code, and keep its messages. */
static bool attempt_reject(struct compile_attempt *attempt, struct child_result *child,
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

static const struct child_limits probe_limits = {
    .seconds = 20, .memory_bytes = 4ull << 30, .output_bytes = 1 << 16};

/* First line of what `program option` prints. */
static bool program_ask(const char *program, const char *option, char *answer, size_t answer_size)
{
    const char *const argv[] = {program, option, NULL};
    struct failure failure = {0};
    struct child_result child;
    if (!child_run_program(argv, NULL, NULL, &probe_limits, &child, &failure))
        return false;
    bool done = child.end == CHILD_EXITED && child.code == 0;
    if (done)
        snprintf(answer, answer_size, "%s", child.output);
    child_result_free(&child);
    return done;
}

/* ---- nvcc ---- */

/* Is this text harmless in a shell? */
static bool text_is_plain(const char *text)
{
    for (; *text != '\0'; text++)
        if (!isalnum((unsigned char)*text) && strchr("_=+,.:/-", *text) == NULL)
            return false;
    return true;
}

/* nvcc's working directory, and names inside it. */
struct workplace {
    char directory[256];
    char source_directory[PATH_MAX]; /* as the source's path spells it */
};

static bool workplace_link(const struct workplace *place, const char *target, const char *name,
                           struct failure *failure)
{
    char real[PATH_MAX], link[PATH_MAX];
    if (realpath(target, real) == NULL)
        return failure_harness(failure, "cannot read directory %s: %s", target, strerror(errno));
    snprintf(link, sizeof link, "%s/%s", place->directory, name);
    if (symlink(real, link) != 0)
        return failure_harness(failure, "cannot write %s: %s", link, strerror(errno));
    return true;
}

/* Write macros and source. The #line directive gives messages and .file the source's own name. */
static bool workplace_write_source(const struct workplace *place, const struct compile_unit *unit,
                                   struct failure *failure)
{
    const struct compile_request *request = unit->request;
    char path[PATH_MAX], name[2 * PATH_MAX];
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

/* Make nvcc's directory. Its name, too, comes to nvcc's shell. */
static bool workplace_make(struct workplace *place, struct failure *failure)
{
    const char *parent = getenv("TMPDIR");
    if (parent == NULL || parent[0] != '/' || strlen(parent) > 200 || !text_is_plain(parent))
        parent = "/tmp";
    snprintf(place->directory, sizeof place->directory, "%s/tlab-XXXXXX", parent);
    if (mkdtemp(place->directory) != NULL)
        return true;
    return failure_harness(failure, "cannot make a directory in %s: %s", parent, strerror(errno));
}

/* Translate nvcc's names back into the caller's. Takes `text`; NULL without memory. */
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
    for (size_t i = 0; i < sizeof names / sizeof names[0] && text != NULL; i++) {
        char *translated = text_replace(text, names[i][0], names[i][1]);
        free(text);
        text = translated;
    }
    return text;
}

/* The release in the PTX's heading: "// Cuda compilation tools, release 13.0, V13.0.88". */
static void nvcc_version_read(const char *text, char *version, size_t version_size)
{
    const char *found = strstr(text, "release ");
    size_t length = found == NULL ? 0 : strspn(found + 8, "0123456789.");
    if (length > 0)
        snprintf(version, version_size, "%.*s", (int)length, found + 8);
    else
        snprintf(version, version_size, "of unknown version");
}

/* Names in the PTX are translated; the version of nvcc is in its heading, and for a cubin is asked
 * for. NULL without memory. */
static char *nvcc_take_code(const char *nvcc, const struct workplace *place,
                            const struct compile_unit *unit, char *code,
                            struct compile_attempt *attempt)
{
    char answer[1024] = "";
    if (!unit->to_cubin) {
        nvcc_version_read(code, attempt->version, sizeof attempt->version);
        code = workplace_translate(place, unit, code, true);
        attempt->code_bytes = code != NULL ? strlen(code) : 0;
        return code;
    }
    program_ask(nvcc, "--version", answer, sizeof answer);
    nvcc_version_read(answer, attempt->version, sizeof attempt->version);
    return code;
}

/* Read the file that a run wrote. */
static bool nvcc_read_code(const char *nvcc, const struct workplace *place,
                           const struct compile_unit *unit, struct compile_attempt *attempt,
                           struct failure *failure)
{
    char path[PATH_MAX];
    size_t limit = unit->limits.output_bytes;
    snprintf(path, sizeof path, "%s/" NVCC_OUTPUT, place->directory);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return failure_harness(failure, "nvcc wrote no code: %s", strerror(errno));
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    if (size < 0 || (size_t)size > limit) {
        fclose(file);
        return compile_attempt_end(attempt, ATTEMPT_EXHAUSTED, "made more than %zu MB of PTX",
                                   limit >> 20);
    }
    char *code = malloc((size_t)size + 1);
    if (code != NULL) {
        attempt->code_bytes = fread(code, 1, (size_t)size, file);
        code[attempt->code_bytes] = '\0';
        code = nvcc_take_code(nvcc, place, unit, code, attempt);
    }
    fclose(file);
    if (code == NULL)
        return failure_harness(failure, "out of memory for PTX");
    attempt->end = ATTEMPT_COMPILED;
    attempt->code = code;
    return true;
}

static bool nvcc_run(const char *nvcc, const struct workplace *place,
                     const struct compile_unit *unit, struct compile_attempt *attempt,
                     struct failure *failure)
{
    const struct compile_request *request = unit->request;
    char architecture[64], temporary[sizeof place->directory + 8];
    snprintf(architecture, sizeof architecture, "-arch=%s_%u", unit->to_cubin ? "sm" : "compute",
             request->architecture);
    snprintf(temporary, sizeof temporary, "TMPDIR=%s", place->directory);
    /* A gcc newer than nvcc knows makes the same PTX: it only preprocesses. */
    struct arguments arguments = {.items = {nvcc, unit->to_cubin ? "-cubin" : "-ptx", architecture,
                                            "-std=" COMPILE_LANGUAGE, "-allow-unsupported-compiler",
                                            "-I" LINK_SOURCE},
                                  .count = 6};
    if (!unit->to_cubin)
        arguments_add(&arguments, "-lineinfo");
    if (request->include_directory != NULL)
        arguments_add(&arguments, "-I" LINK_INCLUDE);
    for (size_t i = 0; i < request->option_count; i++)
        arguments_add(&arguments, request->options[i]);
    arguments_add(&arguments, "-o");
    arguments_add(&arguments, NVCC_OUTPUT);
    arguments_add(&arguments, "unit.cu");
    if (arguments.full)
        return failure_harness(failure, "too many compiler options");

    const char *const environment[] = {temporary, "NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS", NULL};
    struct child_limits limits = unit->limits;
    limits.starts_others = true;
    struct child_result child;
    if (!child_run_program(arguments.items, environment, place->directory, &limits, &child,
                           failure))
        return false;
    bool done = true;
    if (child.end == CHILD_EXITED && child.code == 0) {
        done = nvcc_read_code(nvcc, place, unit, attempt, failure);
        attempt->messages = child.messages;
        child.messages = NULL;
    } else {
        attempt_reject(attempt, &child, &unit->limits, nvcc_faults);
    }
    if (attempt->messages != NULL)
        attempt->messages = workplace_translate(place, unit, attempt->messages, false);
    child_result_free(&child);
    return done;
}

bool nvcc_compile(const struct compile_unit *unit, struct compile_attempt *attempt,
                  struct failure *failure)
{
    struct toolkit toolkit;
    struct workplace place;
    char why[256];
    bool found = toolkit_find(&toolkit, why, sizeof why);
    if (!found || toolkit.nvcc[0] == '\0')
        return compile_attempt_end(attempt, ATTEMPT_UNAVAILABLE, "%s",
                                   found ? "the toolkit holds no nvcc" : why);
    for (size_t i = 0; i < unit->request->option_count; i++)
        if (!text_is_plain(unit->request->options[i]))
            return failure_harness(failure, "compiler option %s: only letters, digits and _=+,.:/-",
                                   unit->request->options[i]);
    if (!workplace_make(&place, failure))
        return false;
    bool done = workplace_fill(&place, unit, failure) &&
                nvcc_run(toolkit.nvcc, &place, unit, attempt, failure);
    scratch_remove(place.directory);
    return done;
}

/* ---- clang ---- */

/* Debian's clang 14 is the oldest that we know to work; newer ones are tried from the newest. */
static const char *const clang_names[] = {"clang",    "clang-21", "clang-20",
                                          "clang-19", "clang-18", "clang-17",
                                          "clang-16", "clang-15", "clang-14"};
enum { CLANG_OLDEST = 14 };

/* The version of a program that was asked before, where answers are to be remembered: clang takes
 * as long to say it as for a third of a lab's compilation. */
static struct {
    bool wanted;
    char program[PATH_MAX], version[64];
} remembered;

void clang_remember_version(void)
{
    remembered.wanted = true;
}

static bool clang_ask_version(const char *program, char *version, size_t version_size)
{
    if (remembered.wanted && strcmp(remembered.program, program) == 0) {
        snprintf(version, version_size, "%s", remembered.version);
        return true;
    }
    if (!program_ask(program, "-dumpversion", version, version_size))
        return false;
    version[strcspn(version, "\n")] = '\0';
    if (remembered.wanted) {
        snprintf(remembered.program, sizeof remembered.program, "%s", program);
        snprintf(remembered.version, sizeof remembered.version, "%s", version);
    }
    return true;
}

/* A clang in PATH that is new enough, with its version. */
static bool clang_find(char *program, size_t program_size, char *version, size_t version_size,
                       char *why, size_t why_size)
{
    snprintf(why, why_size, "no clang in PATH: apt-get install clang");
    for (size_t i = 0; i < sizeof clang_names / sizeof clang_names[0]; i++) {
        if (!program_find(clang_names[i], program, program_size))
            continue;
        if (!clang_ask_version(program, version, version_size)) {
            snprintf(why, why_size, "%s does not run", program);
            continue;
        }
        if (atoi(version) >= CLANG_OLDEST)
            return true;
        snprintf(why, why_size, "%s is version %s; %d or newer is needed", program, version,
                 CLANG_OLDEST);
    }
    version[0] = '\0';
    return false;
}

/* Texts that clang's arguments point into. */
struct clang_texts {
    char architecture[64], builtins[PATH_MAX + 16], stand_ins[PATH_MAX + 16];
};

/* Everything but the headers' places and the request's macros. */
static const char *const clang_options[] = {
    "-x", "cuda", "--cuda-device-only", "-nocudainc", "-nocudalib", "--cuda-path=/nonexistent",
    /* An instruction set version that has all of sm_80; no toolkit tells clang of one. */
    "-Xclang", "-target-feature", "-Xclang", "+ptx75", "-O3", "-g1", "-S", "-o", "-",
    "-std=" COMPILE_LANGUAGE, "-D" COMPILE_HARNESS_MACRO, "-fno-crash-diagnostics",
    "-fno-color-diagnostics", "-Wno-unknown-cuda-version", "-Wno-return-type-c-linkage"};

static bool clang_arguments(const char *program, const struct compile_unit *unit, bool with_host,
                            struct clang_texts *texts, char **defines, struct arguments *arguments)
{
    const struct compile_request *request = unit->request;
    *arguments = (struct arguments){0};
    snprintf(texts->architecture, sizeof texts->architecture, "--cuda-gpu-arch=sm_%u",
             request->architecture);
    snprintf(texts->builtins, sizeof texts->builtins, "%s/clang_cuda.h", unit->support);
    snprintf(texts->stand_ins, sizeof texts->stand_ins, "%s/stand_ins", unit->support);
    arguments_add(arguments, program);
    for (size_t i = 0; i < sizeof clang_options / sizeof clang_options[0]; i++)
        arguments_add(arguments, clang_options[i]);
    arguments_add(arguments, texts->architecture);
    for (size_t i = 0; i < request->define_count; i++)
        arguments_add(arguments, defines[i]);
    arguments_add(arguments, "-include");
    arguments_add(arguments, texts->builtins);
    if (request->include_directory != NULL) {
        arguments_add(arguments, "-I");
        arguments_add(arguments, request->include_directory);
    }
    if (!with_host) {
        arguments_add(arguments, "-nostdinc");
        arguments_add(arguments, "-nostdinc++");
    }
    /* Behind the host's headers, where those are in use. */
    arguments_add(arguments, "-idirafter");
    arguments_add(arguments, texts->stand_ins);
    arguments_add(arguments, unit->name);
    return !arguments->full;
}

/* "-DNAME=VALUE" for each macro; NULL without memory. Free with defines_free. */
static void defines_free(char **defines, size_t count)
{
    for (size_t i = 0; defines != NULL && i < count; i++)
        free(defines[i]);
    free(defines);
}

static char **defines_make(const struct compile_request *request)
{
    char **defines = calloc(request->define_count + 1, sizeof *defines);
    for (size_t i = 0; defines != NULL && i < request->define_count; i++)
        if (asprintf(&defines[i], "-D%s", request->defines[i]) < 0) {
            defines[i] = NULL;
            defines_free(defines, request->define_count);
            return NULL;
        }
    return defines;
}

/* One run of clang. */
static bool clang_run(const char *program, const struct compile_unit *unit, bool with_host,
                      char **defines, struct compile_attempt *attempt, struct failure *failure)
{
    struct clang_texts texts;
    struct arguments arguments;
    struct child_result child;
    if (!clang_arguments(program, unit, with_host, &texts, defines, &arguments))
        return failure_harness(failure, "too many compiler options");
    if (!child_run_program(arguments.items, NULL, NULL, &unit->limits, &child, failure))
        return false;
    if (child.end == CHILD_EXITED && child.code == 0 && child.output_cut) {
        compile_attempt_end(attempt, ATTEMPT_EXHAUSTED, "made more than %zu MB of PTX",
                            unit->limits.output_bytes >> 20);
    } else if (child.end == CHILD_EXITED && child.code == 0) {
        attempt->end = ATTEMPT_COMPILED;
        attempt->code = child.output;
        attempt->code_bytes = child.output_bytes;
        attempt->messages = child.messages;
        child.output = child.messages = NULL;
    } else {
        attempt_reject(attempt, &child, &unit->limits, clang_faults);
    }
    child_result_free(&child);
    return true;
}

bool clang_compile(const struct compile_unit *unit, struct compile_attempt *attempt,
                   struct failure *failure)
{
    const struct compile_request *request = unit->request;
    char program[PATH_MAX], version[sizeof attempt->version], why[256];
    if (unit->to_cubin)
        return compile_attempt_end(attempt, ATTEMPT_UNAVAILABLE, "it has no assembler for GPUs");
    if (!clang_find(program, sizeof program, version, sizeof version, why, sizeof why))
        return compile_attempt_end(attempt, ATTEMPT_UNAVAILABLE, "%s", why);
    if (request->option_count > 0)
        return compile_attempt_end(attempt, ATTEMPT_UNAVAILABLE,
                                   "the option %s is for NVRTC and nvcc", request->options[0]);
    char builtins[PATH_MAX + 16];
    snprintf(builtins, sizeof builtins, "%s/clang_cuda.h", unit->support);
    if (access(builtins, R_OK) != 0)
        return failure_harness(failure, "cannot read %s, which comes with this program: %s",
                               builtins, strerror(errno));
    char **defines = defines_make(request);
    if (defines == NULL)
        return failure_harness(failure, "out of memory");
    bool done = clang_run(program, unit, false, defines, attempt, failure);
    if (done && attempt->end == ATTEMPT_REJECTED && strstr(attempt->messages, "file not found")) {
        compile_attempt_free(attempt);
        done = clang_run(program, unit, true, defines, attempt, failure);
    }
    snprintf(attempt->version, sizeof attempt->version, "%s", version);
    defines_free(defines, request->define_count);
    return done;
}

/* ---- probes ---- */

bool nvcc_probe(char *version, size_t version_size, char *why, size_t why_size)
{
    struct toolkit toolkit;
    char answer[1024];
    version[0] = '\0';
    if (!toolkit_find(&toolkit, why, why_size))
        return false;
    if (toolkit.nvcc[0] == '\0') {
        snprintf(why, why_size, "%s holds no nvcc", toolkit.root);
        return false;
    }
    if (!program_ask(toolkit.nvcc, "--version", answer, sizeof answer)) {
        snprintf(why, why_size, "%s does not run", toolkit.nvcc);
        return false;
    }
    char compiler[PATH_MAX];
    if (!program_find("gcc", compiler, sizeof compiler)) {
        snprintf(why, why_size, "it needs a host compiler: apt-get install g++");
        return false;
    }
    nvcc_version_read(answer, version, version_size);
    return true;
}

bool clang_probe(char *version, size_t version_size, char *why, size_t why_size)
{
    char program[PATH_MAX];
    return clang_find(program, sizeof program, version, version_size, why, why_size);
}
