/* sandbox_inside.h: what happens inside the compiler's sandbox. */
#ifndef SANDBOX_INSIDE_H
#define SANDBOX_INSIDE_H

#include <stdbool.h>
#include <stddef.h>

struct compile_memory;

/* Names of places inside: absolute, without a slash at their end. The working directory is
 * `submission`. */
struct sandbox_inside {
    const char *submission, *include, *support;
    unsigned architecture; /* of machine code to be made beside PTX: 90 for sm_90; 0: none */
    size_t bytes;          /* of PTX and machine code, of all files together */
    const struct compile_memory *memory; /* of compilers; set by sandbox_inside_compile */
    bool walls; /* what lies outside cannot be read: else it is looked for in what compilers say */
};

/* The first frame: the process inside has come so far. */
enum { SANDBOX_READY = 0xffffffff };

/* Compile each file by its name and send a frame of it to `output`. False: nobody reads. */
bool sandbox_inside_compile(const struct sandbox_inside *inside, const char *const *files,
                            size_t count, int output);

#endif
