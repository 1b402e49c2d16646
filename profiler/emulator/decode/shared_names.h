/* shared_names.h: describe a shared-memory address by the names of the source. */
#ifndef SHARED_NAMES_H
#define SHARED_NAMES_H

#include "emulator/decode/simt_decode.h"

/* Describe the byte at `offset` of a block's shared memory, in a kernel (number of the
 * function), for an access to elements of `element_bytes`: "tile[4][7]" if the program knows the
 * array's rows (program->shapes), else "element 139 of tile (byte 556)"; if there is no
 * variable, "shared memory, byte 556". */
void shared_describe(const struct program *program, int kernel, uint64_t offset,
                     unsigned element_bytes, char *text, size_t size);

/* Find the array at `offset`: its name as in the source, and the offset in the array. False:
 * none. */
bool shared_find_array(const struct program *program, int kernel, uint64_t offset, char *name,
                       size_t size, uint64_t *byte);

#endif
