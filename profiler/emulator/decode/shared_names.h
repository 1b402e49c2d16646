/* shared_names.h: describe a shared-memory address by the names in the source. */
#ifndef SHARED_NAMES_H
#define SHARED_NAMES_H

#include "emulator/decode/simt_decode.h"

/* Describe the byte at `offset` of shared memory, for an access of kernel number `kernel` to
 * elements of `element_bytes` bytes: "tile[4][7]" if program->shapes contains the array, otherwise
 * "element 139 of tile (byte 556)", or "shared memory, byte 556" without an array. */
void shared_describe(const struct program *program, int kernel, uint64_t offset,
                     unsigned element_bytes, char *text, size_t size);

/* Find the array that contains `offset`. `name` receives the array's name in the source, and *byte
 * the offset in the array. Returns false if no array contains `offset`. */
bool shared_find_array(const struct program *program, int kernel, uint64_t offset, char *name,
                       size_t size, uint64_t *byte);

#endif
