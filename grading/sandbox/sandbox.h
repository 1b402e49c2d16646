/* sandbox.h: process untrusted bytes. Compilers run in bubblewrap. The interpreter
 * runs under seccomp.
 *
 * Theory of operation. There are two sandboxes:
 *   - The *compiler's*: bubblewrap makes a root directory with only the toolkit (or clang), the C
 *     headers, include/ and one submission, all read-only. There is no network, and process, IPC
 *     and user namespaces are new. Inside, a process of tlab with resource limits compiles the
 *     files, and sends a *frame* for each file through a pipe (sandbox_frame.h).
 *   - The *interpreter's*: a forked process gives up all system calls except those for memory, its
 *     pipe, futexes, clocks and exit. It then runs the PTX with limits, and sends structures of
 *     fixed size.
 * The parent checks every result: lengths, NULs and enumerations.
 *
 * Where bubblewrap does not work, as in some containers, the user can select SANDBOX_WEAK: seccomp,
 * limits, Landlock if the kernel has it, and a check that the module contains no outside file.
 */
#ifndef SANDBOX_H
#define SANDBOX_H

#include "base/failure.h"
#include "compile/compile.h"

enum sandbox { SANDBOX_BUBBLEWRAP, SANDBOX_WEAK };

/* Test the sandbox. Returns false for a harness failure with the reason and advice. */
bool sandbox_probe(enum sandbox sandbox, struct failure *failure);
/* Like sandbox_probe, but also compiles to machine code (`architecture` 90 is sm_90). */
bool sandbox_probe_machine(enum sandbox sandbox, unsigned architecture, struct failure *failure);

/* The remaining budget of a submission. Each sandbox deducts the time and bytes that it uses. With
 * NVRTC, eight labs take 0.1 MB of PTX and 0.7 s, or 15 s if all files include CUDA's barriers and
 * pipelines. The limit is higher, because processor times depend on the machine. */
struct sandbox_budget {
    double seconds; /* processor time */
    size_t bytes;
};
enum { SANDBOX_BUDGET_SECONDS = 24, SANDBOX_BUDGET_BYTES = 8 << 20 };
#define SANDBOX_BUDGET ((struct sandbox_budget){SANDBOX_BUDGET_SECONDS, SANDBOX_BUDGET_BYTES})

/* Set a student failure STATUS_TIMEOUT for an exhausted budget. Returns false. */
bool sandbox_budget_fail(struct failure *failure);

/* Wall-clock limit divided by processor-time limit; large, because the machine may be busy. */
enum { SANDBOX_PATIENCE = 4 };

struct sandbox_compiled {
    bool compiled;                /* if false, `failure` is a student failure */
    struct failure failure;       /* the text shows only lines of the student's files */
    struct compile_result result; /* PTX; if requested, machine code in `cubin` */
    struct failure no_cubin;      /* reason why `cubin` is NULL: a student or harness failure */
};

/* Compile `count` files (paths relative to `directory`, the staged submission) for emulation, in
 * one sandbox. Limits per file: 10 s, 288 MiB of data, 2 GiB of addresses, 2 MiB of PTX. Fills
 * results[0..count); free them with sandbox_compiled_free. The status of a file is STATUS_UNTRUSTED
 * if it includes a file outside the submission or crashes the sandbox's process. It is
 * STATUS_COMPILE_ERROR if the file does not compile within its limits, and STATUS_TIMEOUT if no
 * budget is left. Returns false for a harness failure, with nothing to free. Unless `architecture`
 * is 0, also compiles to machine code (90: sm_90; at most 8 MiB each), with failures in
 * no_cubin. */
bool sandbox_compile(enum sandbox sandbox, unsigned architecture, const char *directory,
                     const char *const *files, size_t count, struct sandbox_budget *budget,
                     struct sandbox_compiled *results, struct failure *failure);
void sandbox_compiled_free(struct sandbox_compiled *results, size_t count);

/* Runs inside the sandbox of sandbox_compile. Arguments: architecture, limit of bytes of PTX and
 * machine code, files in the working directory. Writes frames (sandbox_frame.h) to stdout. */
int command_compile_sandboxed(int count, char **values, struct failure *failure);

/* Check machine code before a GPU runs it. The bytes are untrusted and need no alignment. Returns
 * false for a student failure STATUS_UNTRUSTED. Causes are other kernels or global symbols,
 * functions of the CUDA device runtime (vprintf, malloc, launches) and unknown sections. Variables
 * in global or constant memory are also a cause, because they retain their values between
 * launches. */
bool sandbox_cubin_check(const void *bytes, size_t count, struct failure *failure);

struct sandbox_limits {
    unsigned seconds;      /* processor time */
    uint64_t memory_bytes; /* bytes of data; the data of the calling process are added */
};

/* Run `function` in the interpreter's sandbox, a copy of this process that can only compute.
 * `function` sends a frame (process/frame.h) with one object of `answer_size` bytes to `output` and
 * returns true; the object is copied to `answer`, unchecked. Any other result is a student failure:
 * STATUS_TIMEOUT (also if `budget`, which may be NULL, is used up), or STATUS_UNTRUSTED (out of
 * memory, killed by seccomp, a crash, false, a malformed answer). If no process can be started, the
 * failure is a harness failure. */
bool sandbox_interpret(bool (*function)(int output, void *context), void *context,
                       const struct sandbox_limits *limits, struct sandbox_budget *budget,
                       void *answer, size_t answer_size, struct failure *failure);

#endif
