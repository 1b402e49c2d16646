/* compile_nvrtc.c: compile with NVRTC, the toolkit's run-time compilation library, in a child
 * process, because a hostile source can make a compiler crash, hang or exhaust memory. NVRTC's C
 * interface has been stable since CUDA 11.1, so this file includes no CUDA header. */
#define _GNU_SOURCE
#include "compile/compile_backend.h"
#include "process/allocate.h"
#include "process/frame.h"
#include "process/toolkit.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

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
    X(int, nvrtcGetCUBIN, (nvrtc_program program, char *code))                                     \
    X(int, nvrtcDestroyProgram, (nvrtc_program * program))

struct nvrtc {
    void *library;
    int major, minor;
#define X(type, name, parameters) type(*name) parameters;
    NVRTC_FUNCTIONS(X)
#undef X
};

/* The child's work: the compilation of `source`, or only a search for NVRTC if `source` is NULL. */
struct job {
    const char *name, *source;
    struct arguments options;
    bool to_cubin, is_trial;
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
static void options_fill(struct job *job, const struct compile_unit *unit)
{
    const struct compile_request *request = unit->request;
    struct arguments *options = &job->options;
    if (unit->to_cubin) {
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
    arguments_add(options, "-I%s/stand_ins", unit->support);
    arguments_add(options, "-I%s/stand_ins/host", unit->support);
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
    if (job->to_cubin)
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

static int program_compile(const struct job *job, const struct nvrtc *nvrtc, size_t count,
                           nvrtc_program *program)
{
    if (*program != NULL)
        nvrtc->nvrtcDestroyProgram(program);
    *program = NULL;
    int result = nvrtc->nvrtcCreateProgram(program, job->source, job->name, 0, NULL, NULL);
    return result != NVRTC_SUCCESS
               ? result
               : nvrtc->nvrtcCompileProgram(*program, (int)count,
                                            (const char *const *)job->options.words);
}

/* With --minimal, NVRTC is a sixth faster, because it does not declare textures and launches from
 * kernels. A source that needs these declarations does not compile. So after a compile error, or if
 * NVRTC rejects the option, compile again without --minimal. */
static int compile_in_child(int output, const struct job *job, const struct nvrtc *nvrtc)
{
    const size_t count = job->options.count;
    nvrtc_program program = NULL;
    int result = program_compile(job, nvrtc, count, &program);
    if (result == NVRTC_ERROR_COMPILATION || result == NVRTC_ERROR_INVALID_OPTION)
        result = program_compile(job, nvrtc, count - 1, &program);
    if (result == NVRTC_ERROR_INVALID_OPTION && job->is_trial)
        result = program_compile(job, nvrtc, count - 2, &program);
    if (program == NULL)
        return report_send(output, nvrtc, end_of_result(result), nvrtc->nvrtcGetErrorString(result),
                           "", 0);
    size_t log_bytes, code_bytes = 0;
    char *log = program_text(program, nvrtc->nvrtcGetProgramLogSize, nvrtc->nvrtcGetProgramLog,
                             &log_bytes),
         *code = result == NVRTC_SUCCESS ? program_code(job, nvrtc, program, &code_bytes) : NULL;
    enum attempt_end end = end_of_result(result);
    bool is_unexplained = end != ATTEMPT_COMPILED && log[0] == '\0';
    int status =
        report_send(output, nvrtc, end, is_unexplained ? nvrtc->nvrtcGetErrorString(result) : log,
                    code != NULL ? code : "", code_bytes);
    nvrtc->nvrtcDestroyProgram(&program);
    free(log);
    free(code);
    return status;
}

static int job_run(int output, void *context)
{
    const struct job *job = context;
    struct nvrtc nvrtc;
    char why[256];
    if (!nvrtc_open(job, &nvrtc, why, sizeof why))
        return report_send(output, &nvrtc, ATTEMPT_UNAVAILABLE, why, "", 0);
    if (job->source == NULL)
        return report_send(output, &nvrtc, ATTEMPT_COMPILED, "", "", 0);
    return compile_in_child(output, job, &nvrtc);
}

static bool report_read(struct frame_reader report, struct compile_attempt *attempt)
{
    size_t log_bytes, code_bytes;
    const enum attempt_end end = (enum attempt_end)frame_number(&report, ATTEMPT_UNAVAILABLE);
    const unsigned major = (unsigned)frame_number(&report, UINT16_MAX);
    const unsigned minor = (unsigned)frame_number(&report, UINT16_MAX);
    const char *log = frame_text(&report, report.left, &log_bytes);
    const char *code = frame_bytes(&report, report.left, &code_bytes);
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

static bool report_take(const struct child_result *child, const struct child_limits *limits,
                        struct compile_attempt *attempt)
{
    struct frame_reader output = {child->output, child->output_bytes, false}, report;
    if (child->end != CHILD_EXITED || child->code != 0)
        return compile_attempt_exhausted(attempt, child, limits);
    if (child->output_cut)
        return compile_attempt_cut(attempt, limits);
    frame_next(&output, child->output_bytes, &report);
    return report_read(report, attempt);
}

/* Protects the variables below. No thread may fork while another thread is in dlopen. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* Open NVRTC once in this process: its children inherit the opened library, and the compilation of
 * a kernel takes a third less time. Sources are compiled in the children only. */
static void open_for_children(const struct job *job)
{
    static char opened[sizeof job->toolkit.nvrtc];
    struct nvrtc nvrtc;
    char why[256];
    pthread_mutex_lock(&mutex);
    if (strcmp(opened, job->toolkit.nvrtc) != 0 && nvrtc_open(job, &nvrtc, why, sizeof why))
        snprintf(opened, sizeof opened, "%s", job->toolkit.nvrtc);
    pthread_mutex_unlock(&mutex);
}

/* A child that compiles trials, which are variants of a source that was compiled before. After the
 * first trial, a trial takes a third of the time that a new process takes. The first trial sets the
 * memory limit. */
static struct child trials;
static pid_t owner; /* the process that started `trials` */

static int trials_main(int channel, void *context)
{
    const struct child_limits *limits = context;
    const int null = open("/dev/null", O_RDWR);
    struct job job = {0};
    struct nvrtc nvrtc;
    char why[256];
    for (int i = 0; i < 3; i++)
        dup2(null, i);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0});
    setrlimit(RLIMIT_DATA, &(struct rlimit){limits->memory_bytes, limits->memory_bytes});
    toolkit_find(&job.toolkit);
    if (!nvrtc_open(&job, &nvrtc, why, sizeof why))
        return 1;
    for (int status = 0; status == 0;) {
        struct frame frame = {0};
        struct frame_reader reader;
        size_t length;
        if (!frame_receive(channel, SIZE_MAX / 2, &frame, &reader))
            return 0;
        job = (struct job){.is_trial = true};
        job.name = frame_copy(&reader, reader.left, &length);
        job.source = frame_copy(&reader, reader.left, &length);
        while (reader.left > 0 && !reader.bad) {
            char *word = frame_copy(&reader, reader.left, &length);
            arguments_add(&job.options, "%s", word != NULL ? word : "");
            free(word);
        }
        status = reader.bad ? 1 : compile_in_child(channel, &job, &nvrtc);
        arguments_free(&job.options);
        free((char *)job.name);
        free((char *)job.source);
        frame_free(&frame);
    }
    return 1;
}

/* Compile in the child for trials. Returns false if this fails for any reason; the caller then
 * compiles in a new child, which explains the failure. */
static bool trial_compile(const struct job *job, const struct child_limits *limits,
                          struct compile_attempt *attempt)
{
    struct frame request = {0}, answer = {0};
    struct frame_reader report;
    struct failure failure = {0};
    if (pthread_mutex_trylock(&mutex) != 0)
        return false;
    if (owner != getpid())
        trials = (struct child){0};
    bool good = trials.pid != 0 || child_start(&trials, trials_main, (void *)limits, &failure);
    owner = getpid();
    frame_put_text(&request, job->name);
    frame_put_text(&request, job->source);
    for (size_t i = 0; i < job->options.count; i++)
        frame_put_text(&request, job->options.words[i]);
    good = good && frame_send(&request, trials.channel) && child_await(&trials, limits->seconds) &&
           frame_receive(trials.channel, limits->output_bytes, &answer, &report) &&
           report_read(report, attempt);
    frame_free(&answer);
    good = good && attempt->end != ATTEMPT_EXHAUSTED;
    if (!good) {
        child_end(&trials, true);
        compile_attempt_free(attempt);
        *attempt = (struct compile_attempt){0};
    }
    pthread_mutex_unlock(&mutex);
    return good;
}

/* Compile `unit`. If `unit` is NULL, only search for NVRTC. */
static bool job_start(const struct compile_unit *unit, const struct child_limits *limits,
                      struct compile_attempt *attempt, struct failure *failure)
{
    struct job job = {0};
    struct child_result child;
    toolkit_find(&job.toolkit);
    if (toolkit_is_hidden())
        return compile_attempt_end(attempt, ATTEMPT_UNAVAILABLE, "%s", job.toolkit.why);
    open_for_children(&job);
    if (unit != NULL) {
        job.name = unit->name;
        job.source = unit->source;
        job.to_cubin = unit->to_cubin;
        job.is_trial = unit->request->is_trial;
        options_fill(&job, unit);
    }
    bool done = job.is_trial && !job.to_cubin && trial_compile(&job, limits, attempt);
    if (!done && child_run_function(job_run, &job, limits, &child, failure)) {
        done = report_take(&child, limits, attempt);
        child_result_free(&child);
    }
    arguments_free(&job.options);
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
