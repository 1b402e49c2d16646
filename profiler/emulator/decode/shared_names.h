/* shared_names.h: a shared-memory address in the words of the source. */
#ifndef SHARED_NAMES_H
#define SHARED_NAMES_H

#include "emulator/decode/simt_decode.h"

/* Describe the byte at `offset` of a block's shared memory, in a kernel (number of the function),
 * for an access to elements of `element_bytes`: "tile[4][7]" where the program knows the array's
 * rows (program->shapes), else "element 139 of tile (byte 556)". Where no variable is, "shared
 * memory, byte 556". */
void shared_describe(const struct program *program, int kernel, uint64_t offset,
                     unsigned element_bytes, char *text, size_t size);

/* The array at `offset`, its name as in the source, and the byte of it; false where none is. */
bool shared_find_array(const struct program *program, int kernel, uint64_t offset, char *name,
                       size_t size, uint64_t *byte);

/* Where a shared variable of a function's own begins. */
uint64_t shared_variable_begin(const struct program *program, int function,
                               const struct ptx_variable *variable);

#endif
