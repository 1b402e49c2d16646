/* sandbox_cubin.h: what a student's machine code holds, before a GPU runs it.
 *
 * A cubin is an ELF file (64 bits, little-endian; CUDA Binary Utilities guide, "cuobjdump"). A lab
 * needs its kernels, shared memory, and the name that LAB() stores; nothing else may be there:
 *   - no other kernel or global symbol than the lab's;
 *   - no variable in global or constant memory, which would keep its value from one launch to the
 *     next, also under no name;
 *   - no function of the device's runtime (vprintf, malloc, launches of kernels), whose symbols a
 *     cubin leaves undefined;
 *   - no section of a kind that is not known.
 */
#ifndef SANDBOX_CUBIN_H
#define SANDBOX_CUBIN_H

#include "base/failure.h"

#include <stddef.h>

/* `bytes` may be anything, and needs no alignment. What is wrong is a student failure
 * STATUS_UNTRUSTED. */
bool sandbox_cubin_check(const void *bytes, size_t count, struct failure *failure);

#endif
