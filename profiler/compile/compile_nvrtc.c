/* compile_nvrtc.c: compile with NVRTC, the toolkit's run-time compilation library, in a child
 * process, because a hostile source can make a compiler crash, hang or exhaust memory. NVRTC's C
 * interface has been stable since CUDA 11.1, so this file includes no CUDA header. */
#define _GNU_SOURCE
#include "compile/compile_backend.h"
#include "process/allocate.h"
#include "process/frame.h"
#include "process/toolkit.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    NVRTC_SUCCESS = 0,
    NVRTC_ERROR_OUT_OF_MEMORY = 1,
    NVRTC_ERROR_INVALID_OPTION = 5,
    NVRTC_ERROR_COMPILATION = 6,
    NVRTC_ERROR_BUILTIN_OPERATION_FAILURE = 7
};

typedef void *nvrtc_program;

#define NVRTC_FUNCTIONS(X)                                                                         \
    X(int, nvrtcVersion, (int *major, int *minor))                                                 \
    X(const char *, nvrtcGetErrorString, (int result))                                             \
    X(int, nvrtcCreateProgram,                                                                     \
      (nvrtc_program * program, const char *source, const char *name, int header_count,            \
       const char *const *headers, const char *const *header_names))                               \
    X(int, nvrtcCompileProgram,                                                                    \
      (nvrtc_program program, int option_count, const char *const *options))                       \
    X(int, nvrtcGetProgramLogSize, (nvrtc_program program, size_t * size))                         \
    X(int, nvrtcGetProgramLog, (nvrtc_program program, char *text))                                \
    X(int, nvrtcGetPTXSize, (nvrtc_program program, size_t * size))                                \
    X(int, nvrtcGetPTX, (nvrtc_program program, char *text))                                       \
    X(int, nvrtcGetCUBINSize, (nvrtc_program program, size_t * size))                              \
    X(int, nvrtcGetCUBIN, (nvrtc_program program, char *code))

struct nvrtc {
    void *library;
    int major, minor;
#define X(type, name, parameters) type(*name) parameters;
    NVRTC_FUNCTIONS(X)
#undef X
};

/* The child's work: the compilation of `unit`, or only a search for NVRTC if `unit` is NULL. */
struct job {
    const struct compile_unit *unit;
    struct toolkit toolkit;
};

static int report_send(int output, const struct nvrtc *nvrtc, enum attempt_end end, const char *log,
                       const char *code, size_t code_bytes)
{
    struct frame report = {0};
    frame_put_number(&report, end);
    frame_put_number(&report, (uint64_t)nvrtc->major);
    frame_put_number(&report, (uint64_t)nvrtc->minor);
    frame_put_text(&report, log);
    frame_put_bytes(&report, code, code_bytes);
    return frame_send(&report, output) ? 0 : 1;
}

/* NVRTC opens its library of built-ins by name. This fails if the toolkit is not on the loader's
 * path, unless the library in NVRTC's directory is already open. */
static void builtins_open(const struct nvrtc *nvrtc, const char *library)
{
    char path[TOOLKIT_PATH_SIZE + 64];
    const char *slash = strrchr(library, '/');
    if (slash == NULL)
        return;
    snprintf(path, sizeof path, "%.*s/libnvrtc-builtins.so.%d.%d", (int)(slash - library), library,
             nvrtc->major, nvrtc->minor);
    dlopen(path, RTLD_NOW | RTLD_GLOBAL);
}

static bool nvrtc_bind(struct nvrtc *nvrtc)
{
#define X(type, name, parameters)                                                                  \
    nvrtc->name = (type(*) parameters)dlsym(nvrtc->library, #name);                                \
    if (nvrtc->name == NULL)                                                                       \
        return false;
    NVRTC_FUNCTIONS(X)
#undef X
    return nvrtc->nvrtcVersion(&nvrtc->major, &nvrtc->minor) == NVRTC_SUCCESS;
}

/* Open the toolkit's NVRTC. If this fails and TLAB_CUDA is unset, search the loader's path. */
static bool nvrtc_open(const struct job *job, struct nvrtc *nvrtc, char *why, size_t why_size)
{
    static const char *const loader_names[] = {"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12",
                                               "libnvrtc.so.11.2"};
    const char *chosen = getenv("TLAB_CUDA");
    *nvrtc = (struct nvrtc){0};
    snprintf(why, why_size, "libnvrtc.so not found");
    if (job->toolkit.nvrtc[0] != '\0') {
        nvrtc->library = dlopen(job->toolkit.nvrtc, RTLD_NOW | RTLD_LOCAL);
        if (nvrtc->library != NULL && nvrtc_bind(nvrtc)) {
            builtins_open(nvrtc, job->toolkit.nvrtc);
            return true;
        }
        const char *reason = dlerror();
        snprintf(why, why_size, "%s", reason != NULL ? reason : "libnvrtc.so is not usable");
    }
    if (chosen != NULL && chosen[0] != '\0')
        return false;
    for (size_t i = 0; i < sizeof loader_names / sizeof loader_names[0]; i++) {
        nvrtc->library = dlopen(loader_names[i], RTLD_NOW | RTLD_LOCAL);
        if (nvrtc->library != NULL && nvrtc_bind(nvrtc))
            return true;
    }
    return false;
}

/* Add the options. The last options can be omitted, because some versions of NVRTC reject them. */
static void options_fill(struct arguments *options, const struct job *job)
{
    const struct compile_request *request = job->unit->request;
    if (job->unit->to_cubin) {
        arguments_add(options, "--gpu-architecture=sm_%u", request->architecture);
    } else {
        arguments_add(options, "--gpu-architecture=compute_%u", request->architecture);
        arguments_add(options, "--generate-line-info");
    }
    compile_add_request(options, request);
    if (job->toolkit.include[0] != '\0') {
        arguments_add(options, "-I%s", job->toolkit.include);
        arguments_add(options, "-I%s/cccl", job->toolkit.include);
    }
    arguments_add(options, "-I%s/stand_ins", job->unit->support);
    arguments_add(options, "-I%s/stand_ins/host", job->unit->support);
    for (size_t i = 0; i < request->option_count; i++)
        arguments_add(options, "%s", request->options[i]);
    if (request->is_lab)
        arguments_add(options, "--device-as-default-execution-space");
    if (request->is_trial)
        arguments_add(options, "--Ofast-compile=mid"); /* `max` disables inlining */
    arguments_add(options, "--minimal");
}

static char *program_text(nvrtc_program program, int (*get_size)(nvrtc_program, size_t *),
                          int (*get_text)(nvrtc_program, char *), size_t *size)
{
    if (get_size(program, size) != NVRTC_SUCCESS)
        *size = 0;
    char *text = allocate_checked(calloc(*size + 1, 1));
    if (*size > 0)
        get_text(program, text);
    return text;
}

/* Returns the PTX or the cubin. *size does not count the final NUL of PTX. */
static char *program_code(const struct job *job, const struct nvrtc *nvrtc, nvrtc_program program,
                          size_t *size)
{
    if (job->unit->to_cubin)
        return program_text(program, nvrtc->nvrtcGetCUBINSize, nvrtc->nvrtcGetCUBIN, size);
    char *ptx = program_text(program, nvrtc->nvrtcGetPTXSize, nvrtc->nvrtcGetPTX, size);
    *size = strlen(ptx);
    return ptx;
}

static enum attempt_end end_of_result(int result)
{
    switch (result) {
    case NVRTC_SUCCESS:
        return ATTEMPT_COMPILED;
    case NVRTC_ERROR_COMPILATION:
        return ATTEMPT_REJECTED;
    case NVRTC_ERROR_OUT_OF_MEMORY:
        return ATTEMPT_EXHAUSTED;
    default: /* an unknown option, or a missing library of built-ins */
        return ATTEMPT_UNAVAILABLE;
    }
}

static int program_compile(const struct job *job, const struct nvrtc *nvrtc,
                           const struct arguments *options, size_t count, nvrtc_program *program)
{
    *program = NULL;
    int result =
        nvrtc->nvrtcCreateProgram(program, job->unit->source, job->unit->name, 0, NULL, NULL);
    return result != NVRTC_SUCCESS ? result
                                   : nvrtc->nvrtcCompileProgram(
                                         *program, (int)count, (const char *const *)options->words);
}

/* With --minimal, NVRTC is a sixth faster, because it does not declare textures and launches from
 * kernels. If a source needs them, or NVRTC rejects the option, compile again without it. */
static int unit_compile_in_child(int output, const struct job *job, const struct nvrtc *nvrtc)
{
    struct arguments options = {0};
    nvrtc_program program = NULL;
    options_fill(&options, job);
    int result = program_compile(job, nvrtc, &options, options.count, &program);
    if (result == NVRTC_ERROR_COMPILATION || result == NVRTC_ERROR_INVALID_OPTION)
        result = program_compile(job, nvrtc, &options, options.count - 1, &program);
    if (result == NVRTC_ERROR_INVALID_OPTION && job->unit->request->is_trial)
        result = program_compile(job, nvrtc, &options, options.count - 2, &program);
    if (program == NULL)
        return report_send(output, nvrtc, end_of_result(result), nvrtc->nvrtcGetErrorString(result),
                           "", 0);
    size_t log_bytes, code_bytes = 0;
    char *log =
        program_text(program, nvrtc->nvrtcGetProgramLogSize, nvrtc->nvrtcGetProgramLog, &log_bytes);
    const char *code =
        result == NVRTC_SUCCESS ? program_code(job, nvrtc, program, &code_bytes) : "";
    enum attempt_end end = end_of_result(result);
    if (end != ATTEMPT_COMPILED && log[0] == '\0')
        return report_send(output, nvrtc, end, nvrtc->nvrtcGetErrorString(result), "", 0);
    /* The end of the process frees the memory. */
    return report_send(output, nvrtc, end, log, code, code_bytes);
}

static int job_run(int output, void *context)
{
    const struct job *job = context;
    struct nvrtc nvrtc;
    char why[256];
    if (!nvrtc_open(job, &nvrtc, why, sizeof why))
        return report_send(output, &nvrtc, ATTEMPT_UNAVAILABLE, why, "", 0);
    if (job->unit == NULL)
        return report_send(output, &nvrtc, ATTEMPT_COMPILED, "", "", 0);
    return unit_compile_in_child(output, job, &nvrtc);
}

static bool report_take(const struct child_result *child, const struct child_limits *limits,
                        struct compile_attempt *attempt)
{
    struct frame_reader output = {child->output, child->output_bytes, false}, report;
    size_t log_bytes, code_bytes;
    if (child->end != CHILD_EXITED || child->code != 0)
        return compile_attempt_exhausted(attempt, child, limits);
    if (child->output_cut)
        return compile_attempt_cut(attempt, limits);
    frame_next(&output, child->output_bytes, &report);
    const enum attempt_end end = (enum attempt_end)frame_number(&report, ATTEMPT_UNAVAILABLE);
    const unsigned major = (unsigned)frame_number(&report, UINT16_MAX);
    const unsigned minor = (unsigned)frame_number(&report, UINT16_MAX);
    const char *log = frame_text(&report, child->output_bytes, &log_bytes);
    const char *code = frame_bytes(&report, child->output_bytes, &code_bytes);
    if (!frame_is_read(&report))
        return compile_attempt_end(attempt, ATTEMPT_EXHAUSTED, "crashed");
    attempt->end = end;
    snprintf(attempt->version, sizeof attempt->version, "%u.%u", major, minor);
    if (end == ATTEMPT_EXHAUSTED || end == ATTEMPT_UNAVAILABLE)
        return compile_attempt_end(attempt, end, "%.*s", (int)log_bytes, log);
    attempt->messages = allocate_checked(strndup(log, log_bytes));
    if (messages_show_exhaustion(attempt->messages))
        return compile_attempt_end(attempt, ATTEMPT_EXHAUSTED, "ran out of memory");
    if (end == ATTEMPT_COMPILED) {
        attempt->code = allocate_checked(calloc(code_bytes + 1, 1));
        attempt->code_bytes = code_bytes;
        memcpy(attempt->code, code, code_bytes);
    }
    return true;
}

static bool job_start(const struct compile_unit *unit, const struct child_limits *limits,
                      struct compile_attempt *attempt, struct failure *failure)
{
    struct job job = {.unit = unit};
    struct child_result child;
    toolkit_find(&job.toolkit);
    if (toolkit_is_hidden())
        return compile_attempt_end(attempt, ATTEMPT_UNAVAILABLE, "%s", job.toolkit.why);
    if (!child_run_function(job_run, &job, limits, &child, failure))
        return false;
    bool done = report_take(&child, limits, attempt);
    child_result_free(&child);
    return done;
}

static bool nvrtc_preload(struct compiler_found *memory)
{
    struct job job = {0};
    struct nvrtc nvrtc;
    toolkit_find(&job.toolkit);
    return !toolkit_is_hidden() && nvrtc_open(&job, &nvrtc, memory->why, sizeof memory->why);
}

static bool nvrtc_compile(const struct compile_unit *unit, struct compile_attempt *attempt,
                          struct failure *failure)
{
    return job_start(unit, &unit->limits, attempt, failure);
}

static bool nvrtc_probe(struct compiler_found *probed)
{
    struct compile_attempt attempt = {0};
    struct failure failure = {0};
    bool found = job_start(NULL, &compile_probe_limits, &attempt, &failure) &&
                 attempt.end == ATTEMPT_COMPILED;
    strcpy(probed->version, found ? attempt.version : "");
    if (!found)
        snprintf(probed->why, sizeof probed->why, "%.500s",
                 failure.text[0] != '\0' ? failure.text : attempt.why);
    compile_attempt_free(&attempt);
    return found;
}

const struct compile_backend nvrtc_backend = {COMPILER_NVRTC, "nvrtc", nvrtc_compile, nvrtc_probe,
                                              nvrtc_preload};
