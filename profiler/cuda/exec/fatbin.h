/* fatbin.h: the PTX in a fat binary, the container that nvcc puts into programs.
 *
 * A fat binary is a header and entries: PTX or machine code, each for one architecture, as it is or
 * compressed (LZ4, or Zstandard since CUDA 12.4). NVIDIA describes it nowhere; this is what nvcc
 * 12 and 13 write. fatbin_test.c reads what they made.
 */
#ifndef FATBIN_H
#define FATBIN_H

#include "base/failure.h"

#include <stddef.h>
#include <stdint.h>

/* Bytes of the fat binary that begins here, with its header; 0: none does. `size` bytes can be
 * read; SIZE_MAX where only the header tells. */
size_t fatbin_bytes(const void *bytes, size_t size);

/* What was found. */
struct fatbin_ptx {
    char *text; /* malloc'd; not NUL-terminated */
    size_t length;
    unsigned architecture; /* 80 for compute_80 */
};

/* Take the PTX out that suits the emulator best: for `wanted` (80), or the next lower
 * architecture, or the lowest. Harness failures name the remedy: there is no PTX, or it cannot
 * be decompressed. */
bool fatbin_read(const void *bytes, size_t size, unsigned wanted, struct fatbin_ptx *ptx,
                 struct failure *failure);

#endif
