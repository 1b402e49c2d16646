/* sandbox_cubin.h: check a student's machine code before a GPU runs it.
 *
 * A cubin is an ELF file (64 bits, little-endian; CUDA Binary Utilities guide, "cuobjdump"). A lab
 * needs its kernels, shared memory, and the name that LAB() stores. Forbidden are:
 *   - other kernels or global symbols;
 *   - variables in global or constant memory, with or without a name, which keep their values from
 *     one launch to the next;
 *   - functions of the device runtime (vprintf, malloc, launches), which are undefined symbols;
 *   - sections of an unknown kind.
 */
#ifndef SANDBOX_CUBIN_H
#define SANDBOX_CUBIN_H

#include "base/failure.h"

#include <stddef.h>

/* Check a cubin. The bytes are untrusted and need no alignment. False: a student failure
 * STATUS_UNTRUSTED. */
bool sandbox_cubin_check(const void *bytes, size_t count, struct failure *failure);

#endif
