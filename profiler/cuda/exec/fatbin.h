/* fatbin.h: read a fat binary, the container that nvcc puts into programs. An entry is PTX or
 * machine code for one architecture, uncompressed or compressed (LZ4, or Zstandard since CUDA
 * 12.4). NVIDIA does not document the format. This module reads the format of nvcc 12 and 13. */
#ifndef FATBIN_H
#define FATBIN_H

#include "base/failure.h"

#include <stddef.h>
#include <stdint.h>

/* Returns the size in bytes of the fat binary at `bytes`, with its header; 0 if there is no fat
 * binary. `size` bytes can be read; SIZE_MAX if the size is unknown. */
size_t fatbin_bytes(const void *bytes, size_t size);

struct fatbin_ptx {
    char *text; /* PTX or machine code, malloc'd, without a final NUL */
    size_t length;
    unsigned architecture; /* 80 for compute_80 */
};

/* Extract the machine code for a GPU of the architecture `wanted`, such as 86. The result is the
 * entry of the same major version with the highest minor version up to `wanted`. Returns false if
 * this entry does not exist or cannot be decompressed. */
bool fatbin_read_cubin(const void *bytes, size_t size, unsigned wanted, struct fatbin_ptx *cubin);

/* Extract the PTX for the architecture `wanted` (such as 80), or else for the next lower
 * architecture, or else for the next higher architecture. Returns false for a harness failure. */
bool fatbin_read(const void *bytes, size_t size, unsigned wanted, struct fatbin_ptx *ptx,
                 struct failure *failure);

#endif
