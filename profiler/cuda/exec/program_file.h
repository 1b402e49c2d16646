/* program_file.h: check, from an ELF file, whether a program can run on the emulated runtime. */
#ifndef PROGRAM_FILE_H
#define PROGRAM_FILE_H

#include "base/failure.h"

#include <stddef.h>

/* Returns true if the program may run on the emulated runtime. `program` is looked up in PATH.
 * Returns false for a harness failure: the program is linked with the static or an unsupported
 * runtime, requires a library for real GPUs, or contains machine code without PTX. Scripts and
 * programs without CUDA code are accepted, because they may start or load CUDA programs. */
bool program_file_check(const char *program, struct failure *failure);

/* Like program_file_check, for the bytes of the file `name`. */
bool program_bytes_check(const char *name, const void *bytes, size_t size, struct failure *failure);

#endif
