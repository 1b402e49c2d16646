/* compile_backend.h: what compile.c and the three compilers share: compile.c has the table of them
 * and calls them; they call the helpers below. Nothing else includes it, except the sandbox of the
 * grader and the tests.
 */
#ifndef COMPILE_BACKEND_H
#define COMPILE_BACKEND_H

#include "compile/compile_request.h"
#include "process/child.h"

/* One compilation: the request, the text of its source and the places a compiler needs. */
struct compile_unit {
    const struct compile_request *request;
    const char *name;   /* the source's path; "./-x.cu" for "-x.cu", which would be an option */
    const char *source; /* NUL-terminated, without a byte order mark, no NUL inside */
    size_t source_bytes;
    const char *support; /* holds clang_cuda.h and stand_ins/ */
    struct child_limits limits;
    bool to_cubin; /* machine code, not PTX */
};

enum attempt_end {
    ATTEMPT_COMPILED,
    ATTEMPT_REJECTED,   /* the source does not compile: messages */
    ATTEMPT_EXHAUSTED,  /* the compiler ran out of time or memory, or crashed: why */
    ATTEMPT_UNAVAILABLE /* this machine lacks the compiler: why */
};

/* What one compiler made of a unit. */
struct compile_attempt {
    enum attempt_end end;
    /* PTX or, as the unit asks, a cubin: malloc'd, NUL-terminated; NULL unless compiled. */
    char *code;
    size_t code_bytes;
    char *messages; /* malloc'd; NULL or what the compiler said */
    char version[64];
    char why[512];
};

/* Every macro that a compilation defines, beside the request's own. */
#define COMPILE_HARNESS_MACRO "LAB_HARNESS"
#define COMPILE_LANGUAGE "c++17"

/* A compiler: compile_nvrtc.c, compile_nvcc.c, compile_clang.c. */
struct compile_backend {
    enum compiler compiler;
    const char *name;
    /* False: a harness failure; else attempt->end says how it went. */
    bool (*compile)(const struct compile_unit *unit, struct compile_attempt *attempt,
                    struct failure *failure);
    /* Is it there, and which version? False: why not. */
    bool (*probe)(char *version, size_t version_size, char *why, size_t why_size);
    /* For compile_preload; may be NULL. False: not usable here. */
    bool (*preload)(struct compile_memory *memory);
};
extern const struct compile_backend nvrtc_backend, nvcc_backend, clang_backend;

/* ---- Attempts (compile_attempt.c) ---- */

void compile_attempt_free(struct compile_attempt *attempt);

/* End an attempt as UNAVAILABLE or EXHAUSTED with a reason. Returns true: no harness failure. */
bool compile_attempt_end(struct compile_attempt *attempt, enum attempt_end end, const char *format,
                         ...) __attribute__((format(printf, 3, 4)));

/* A child that did not come to a normal end has exhausted its limits, or crashed. */
bool compile_attempt_exhausted(struct compile_attempt *attempt, const struct child_result *child,
                               const struct child_limits *limits);

/* The options of a compiler, or the argument vector of one that is a program: malloc'd, and a NULL
 * after them. Running out of memory shows as `failed`. */
struct compile_options {
    char **items;
    size_t count;
    bool failed;
};
void compile_options_add(struct compile_options *options, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* What NVRTC and clang spell alike: the language, the macros, the directory of lab.h. */
void compile_options_add_request(struct compile_options *options,
                                 const struct compile_request *request);
void compile_options_free(struct compile_options *options);

/* A phrase by which a compiler says that the machine, not the source, is at fault; a table of them
 * ends with NULL. */
struct machine_fault {
    const char *phrase, *why;
};

/* Run a program with these arguments, which are then freed. What it says becomes attempt->messages;
 * attempt->end is ATTEMPT_COMPILED if there is code, which is still to be taken from the output of
 * the child, which the caller frees, or from a file. False: a harness failure. */
bool compile_attempt_run(struct compile_attempt *attempt, struct compile_options *arguments,
                         const char *const *environment, const char *directory,
                         const struct child_limits *limits, const struct machine_fault *faults,
                         struct child_result *child, struct failure *failure);

/* An attempt of which the compiler made too much. */
bool compile_attempt_cut(struct compile_attempt *attempt, const struct child_limits *limits);

/* What probes are given. */
extern const struct child_limits compile_probe_limits;

/* What `program option` prints. False: it does not run. */
bool compile_program_ask(const char *program, const char *option, char *answer, size_t answer_size);

/* ---- Texts (compile_text.c) ---- */

/* Compose a student's text from a compiler's messages: the first few errors in full, then how many
 * more there are; warnings, totals and terminal control characters left out. */
void messages_summarise_errors(const char *messages, char *text, size_t text_size);

/* Do messages say that the compiler ran out of memory, or crashed? Drivers report such an end of
 * the compiler proper in words, not by dying themselves. */
bool messages_show_exhaustion(const char *messages);

/* The messages with control characters replaced; malloc'd, NULL without memory. */
char *messages_clean(const char *messages);

/* Replace every `from` in `text` by `to`; malloc'd, NULL without memory. */
char *text_replace(const char *text, const char *from, const char *to);

/* Write `path` with `"` and `\` escaped, as a #line or a .file directive wants it. False: does not
 * fit. */
bool path_escape(const char *path, char *text, size_t text_size);

/* FNV-1a of PTX, its comments, debug sections, .file lines and whatever else depends on the place
 * where it was compiled left out. */
uint64_t ptx_hash(const char *ptx);

/* FNV-1a of a cubin's bytes. */
uint64_t cubin_hash(const char *cubin, size_t bytes);

/* The PTX with the .file of the source spelled as `source_path`; malloc'd, NULL without memory. */
char *ptx_name_source(const char *ptx, const char *source_path);

#endif
