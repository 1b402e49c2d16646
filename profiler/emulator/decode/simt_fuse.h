/* simt_fuse.h: find shared loads that the assembler fuses, and accesses with addresses that differ
 * by a constant from those of an earlier access (instruction.h, `address_slot`).
 *
 * ptxas fuses neighbouring loads of a basic block. If two elements of an aligned pair, or three or
 * four elements of an aligned quad, are loaded, one wider LDS replaces the loads. The LDS may load
 * an unused fourth element. So the hardware counts fewer requests than the PTX has loads. The
 * following rule was derived from the code that ptxas of CUDA 13.0 generates for sm_80, sm_86,
 * sm_90 and sm_100:
 *
 * - Elements have one size, 2, 4 or 8 bytes (never 1). A vector load counts as its elements. The
 *   wide load has at most 4 elements and 16 bytes.
 * - The addresses are one register plus constants, and the alignment follows from the computation
 *   of the register (the address of a variable, products, shifts, masks), also in loops.
 * - Predicated, volatile and generic loads are not fused.
 * - No instruction between the loads orders or changes shared memory: no store or atomic operation
 *   on shared memory (at any address), barrier, or fence.
 *
 * ptxas also fuses loads across a branch that it replaced by predicates, or across iterations of a
 * loop that it unrolled. The emulator does not fuse such loads. */
#ifndef SIMT_FUSE_H
#define SIMT_FUSE_H

#include "emulator/decode/simt_decode.h"

/* Set `fused` of shared loads, and `address_slot` of loads and stores. The function's pool and code
 * must be complete. Returns false if memory is exhausted. */
bool fuse_shared_loads(struct program_function *function);

#endif
