/* sandbox_inside.h: compile files inside the compiler's sandbox. */
#ifndef SANDBOX_INSIDE_H
#define SANDBOX_INSIDE_H

#include <stdbool.h>
#include <stddef.h>

struct compiler_found;

/* Paths inside: absolute, without a slash at the end. The working directory is `submission`. */
struct sandbox_inside {
    const char *submission, *include, *support;
    unsigned architecture;               /* architecture of additional machine code; 0: none */
    size_t bytes;                        /* limit of PTX and machine code of all files together */
    const struct compiler_found *memory; /* the compilers; set by sandbox_inside_compile */
    /* True if the compiler cannot read files outside. If false, the messages of compilers are
     * searched for names of such files. */
    bool isolated;
};

/* The index of the first frame: the process inside has started. */
enum { SANDBOX_READY = 0xffffffff };

/* Compile each file and send a frame for it to `output`. Returns false if the pipe is closed. */
bool sandbox_inside_compile(const struct sandbox_inside *inside, const char *const *files,
                            size_t count, int output);

#endif
