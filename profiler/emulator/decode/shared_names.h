/* shared_names.h: describe a shared-memory address by the names of the source. */
#ifndef SHARED_NAMES_H
#define SHARED_NAMES_H

#include "emulator/decode/simt_decode.h"

/* Describe the byte at `offset` of a block's shared memory, for an access of kernel number `kernel`
 * to elements of `element_bytes` bytes. The text is "tile[4][7]" if program->shapes has the array,
 * "element 139 of tile (byte 556)" if not, or "shared memory, byte 556". */
void shared_describe(const struct program *program, int kernel, uint64_t offset,
                     unsigned element_bytes, char *text, size_t size);

/* Find the array at `offset`: its name as in the source, and the offset in it. False: no array. */
bool shared_find_array(const struct program *program, int kernel, uint64_t offset, char *name,
                       size_t size, uint64_t *byte);

#endif
