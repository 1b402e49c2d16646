/* sandbox.h: where untrusted bytes are handled: by compilers in bubblewrap, and by the interpreter
 * under seccomp.
 *
 * Theory of operation. Two sandboxes:
 *   - the *compiler's*: bubblewrap gives a new root with only the toolkit (or clang), the C
 *     headers that it needs, include/ and the one submission, all read-only, no network, own
 *     process, IPC and user namespaces; inside are resource limits and one of our own
 *     processes, which compiles each file and sends what came of it through a pipe, a *frame*
 *     for each file (sandbox_frame.h);
 *   - the *interpreter's*: a forked process that has everything it needs in memory, gives up
 *     every system call but memory, reading and writing its pipe, threads' futexes, clocks and
 *     exit, and runs the PTX with budgets. It answers with fixed records.
 * The parent believes nothing that comes out: lengths, NULs and enums are checked.
 *
 * Where bubblewrap cannot work (some containers), SANDBOX_WEAK replaces the first by seccomp,
 * limits, Landlock where the kernel has it, and a check that the module was made of no file
 * outside; only when asked for by name.
 */
#ifndef SANDBOX_H
#define SANDBOX_H

#include "base/failure.h"
#include "compile/compile.h"

enum sandbox { SANDBOX_BUBBLEWRAP, SANDBOX_WEAK };

/* Can this machine make the sandbox, and compile in it? Tried for real; a harness failure says
 * why not and what to do ("--sandbox seccomp"). */
bool sandbox_probe(enum sandbox sandbox, struct failure *failure);
/* Can it make machine code for that architecture (90: sm_90) there? A harness failure says why. */
bool sandbox_probe_machine(enum sandbox sandbox, unsigned architecture, struct failure *failure);

/* What one submission may still use in all of its sandboxes together, so that its author alone pays
 * for it: each sandbox takes off what it used. A submission of eight labs takes 0.7 s with NVRTC,
 * 15 s when each of them includes all of CUDA's barriers and pipelines, and 0.1 MB of PTX.
 * Processor time differs by machine: who comes near the limit is far from a lab. */
struct sandbox_budget {
    double seconds; /* of processor time */
    size_t bytes;   /* of PTX and machine code */
};
enum { SANDBOX_BUDGET_SECONDS = 24, SANDBOX_BUDGET_BYTES = 8 << 20 };
#define SANDBOX_BUDGET ((struct sandbox_budget){SANDBOX_BUDGET_SECONDS, SANDBOX_BUDGET_BYTES})

/* Fails with STATUS_TIMEOUT: nothing is left of the seconds. */
bool sandbox_budget_fail(struct failure *failure);

/* So many times as much as of processor time may pass on the clock, for machines that have other
 * things to do. */
enum { SANDBOX_PATIENCE = 4 };

/* What compiling one file gave. */
struct sandbox_compiled {
    bool compiled;                /* else `failure` is the student's */
    struct failure failure;       /* messages show only lines of the student's own files */
    struct compile_result result; /* with machine code in `cubin`, if it was asked for and made */
    struct failure no_cubin;      /* why there is none: the student's failure or the machine's */
};

/* Compile `count` files (paths relative to `directory`, the staged submission) for emulation, in
 * one sandbox: 10 s, 288 MB of data, 2 GB of addresses and 2 MB of PTX a file, and of all what
 * `budget` holds. Fills results[0..count), to be freed. A file that includes what is no part of
 * the submission, or breaks the sandbox's process, is STATUS_UNTRUSTED; one that does not compile
 * within its limits STATUS_COMPILE_ERROR; one for which nothing is left STATUS_TIMEOUT. False:
 * harness failure, and nothing to free. Unless `architecture` is 0, files are compiled to
 * machine code as well (90: sm_90), at most 8 MB a file. One that compiles to PTX only is
 * compiled, and has its no_cubin. */
bool sandbox_compile(enum sandbox sandbox, unsigned architecture, const char *directory,
                     const char *const *files, size_t count, struct sandbox_budget *budget,
                     struct sandbox_compiled *results, struct failure *failure);
void sandbox_compiled_free(struct sandbox_compiled *results, size_t count);

/* sandbox_compile starts the program that is running once more, inside the sandbox, with the
 * words "compile-sandboxed", the architecture, the bytes of PTX that it may make, and the files;
 * main must then call this (command.h). It compiles them from the working directory, and writes
 * frames (sandbox_frame.h) to standard output. */
int command_compile_sandboxed(int count, char **values, struct failure *failure);

/* What the interpreter's sandbox allows. */
struct sandbox_limits {
    unsigned seconds;      /* of processor time */
    uint64_t memory_bytes; /* of data, beyond what this process has */
};

/* Run `function` in the interpreter's sandbox: in a copy of this process that can do nothing but
 * compute, and start no thread. It sends a frame (process/frame.h) to `output` whose one field is
 * an object of `answer_size` bytes, and returns true; the object comes to `answer`, and what it
 * holds is yet to be checked. How it ended otherwise is a student failure: STATUS_TIMEOUT, or
 * STATUS_UNTRUSTED (out of memory, killed by seccomp, a crash, false, another answer). `budget` may
 * be NULL; when nothing is left of it, nothing is run (STATUS_TIMEOUT). Harness failure: no process
 * could be made. */
bool sandbox_interpret(bool (*function)(int output, void *context), void *context,
                       const struct sandbox_limits *limits, struct sandbox_budget *budget,
                       void *answer, size_t answer_size, struct failure *failure);

#endif
