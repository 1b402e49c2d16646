/* program_file.h: what a program needs to run on the emulated runtime, as its ELF file says. */
#ifndef PROGRAM_FILE_H
#define PROGRAM_FILE_H

#include "base/failure.h"

#include <stddef.h>

/* Can the program be run on the emulated runtime? A harness failure says in a sentence why not,
 * and what to do: linked with the static runtime, or with one of another version; a library that
 * needs a real GPU; machine code without PTX. What is no ELF file (a script), or does not look
 * like a CUDA program (one that loads others), may. `program` is looked up in PATH. */
bool program_file_check(const char *program, struct failure *failure);

/* The same of a file's bytes. */
bool program_bytes_check(const char *name, const void *bytes, size_t size, struct failure *failure);

#endif
