/* sandbox_inside.h: compile files inside the compiler's sandbox. */
#ifndef SANDBOX_INSIDE_H
#define SANDBOX_INSIDE_H

#include <stdbool.h>
#include <stddef.h>

struct compiler_found;

/* Paths are absolute, without a final slash. `submission` is the working directory. */
struct sandbox_inside {
    const char *submission, *include, *support;
    unsigned architecture; /* target of machine code (90: sm_90); 0 if only PTX is required */
    size_t bytes;          /* limit for PTX and machine code of all files together */
    const struct compiler_found *memory;
    /* If false, the compiler can read outside files, so its messages are searched for them. */
    bool isolated;
};

/* Index of the first frame, which reports that the process in the sandbox has started. */
enum { SANDBOX_READY = 0xffffffff };

/* Compile each file and send its frame to `output`. Returns false if the pipe is closed. */
bool sandbox_inside_compile(const struct sandbox_inside *request, const char *const *files,
                            size_t count, int output);

#endif
