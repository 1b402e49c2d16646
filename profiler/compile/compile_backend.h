/* compile_backend.h: the interface between compile.c and the three compilers. Outside this module,
 * only the grader's sandbox and tests include this header. */
#ifndef COMPILE_BACKEND_H
#define COMPILE_BACKEND_H

#include "compile/compile_request.h"
#include "process/child.h"

struct compile_unit {
    const struct compile_request *request;
    const char *name;   /* Path; "./-x.cu" for "-x.cu", which looks like an option. */
    const char *source; /* NUL-terminated, without a byte order mark. */
    size_t source_bytes;
    const char *support; /* Directory of clang_cuda.h and stand_ins/. */
    struct child_limits limits;
    bool to_cubin;
};

enum attempt_end { ATTEMPT_COMPILED, ATTEMPT_REJECTED, ATTEMPT_EXHAUSTED, ATTEMPT_UNAVAILABLE };

struct compile_attempt {
    enum attempt_end end;
    /* PTX or a cubin, malloc'd and NUL-terminated; NULL unless `end` is ATTEMPT_COMPILED. */
    char *code;
    size_t code_bytes;
    char *messages; /* The compiler's messages, malloc'd, or NULL. */
    char version[64];
    char why[512];
};

/* Every compilation defines this macro in addition to the request's macros. */
#define COMPILE_HARNESS_MACRO "LAB_HARNESS"
#define COMPILE_LANGUAGE "c++17"

struct compile_backend {
    enum compiler compiler;
    const char *name;
    /* Returns false for a harness failure. Otherwise, `attempt` contains the result. */
    bool (*compile)(const struct compile_unit *unit, struct compile_attempt *attempt,
                    struct failure *failure);
    /* Returns false and sets found->why if the compiler is not usable. */
    bool (*probe)(struct compiler_found *found);
    /* Called by compile_preload; may be NULL. Returns false if the compiler is not usable. */
    bool (*preload)(struct compiler_found *memory);
};
extern const struct compile_backend nvrtc_backend, nvcc_backend, clang_backend;

void compile_attempt_free(struct compile_attempt *attempt);

/* Set attempt->end to `end`, and attempt->why to the reason. Always returns true. */
bool compile_attempt_end(struct compile_attempt *attempt, enum attempt_end end, const char *format,
                         ...) __attribute__((format(printf, 3, 4)));

bool compile_attempt_exhausted(struct compile_attempt *attempt, const struct child_result *child,
                               const struct child_limits *limits);

/* Add the language, the macros and the directory of lab.h as options for NVRTC or clang. */
void compile_add_request(struct arguments *options, const struct compile_request *request);

/* A compiler that prints `phrase` cannot run, for the reason `why`. A NULL phrase ends a table. */
struct machine_fault {
    const char *phrase, *why;
};

/* Run a compiler with `arguments`, which are freed. The compiler's standard error becomes
 * attempt->messages. After a success, the caller reads the code from the child's output or from a
 * file. The caller frees `child`. Returns false for a harness failure. */
bool compile_attempt_run(struct compile_attempt *attempt, struct arguments *arguments,
                         const char *const *environment, const char *directory,
                         const struct child_limits *limits, const struct machine_fault *faults,
                         struct child_result *child, struct failure *failure);

bool compile_attempt_cut(struct compile_attempt *attempt, const struct child_limits *limits);

extern const struct child_limits compile_probe_limits;

bool compile_program_ask(const char *program, const char *option, char *answer, size_t answer_size);

/* Copy the first errors of a compiler's messages to `text`. Control characters are replaced. */
void messages_summarise_errors(const char *messages, char *text, size_t text_size);

/* Returns true if the messages report that the compiler ran out of memory or crashed. */
bool messages_show_exhaustion(const char *messages);

char *text_replace(const char *text, const char *from, const char *to);

/* Escape `path` for #line and .file. Returns false if `text` is too small. */
bool path_escape(const char *path, char *text, size_t text_size);

/* Returns the FNV-1a hash of PTX without comments, debug sections and parts that contain paths. */
uint64_t ptx_hash(const char *ptx);

uint64_t cubin_hash(const char *cubin, size_t bytes);

/* Returns a malloc'd copy of the PTX in which the source's .file line contains `source_path`. */
char *ptx_name_source(const char *ptx, const char *source_path);

#endif
