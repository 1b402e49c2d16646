/* simt_fuse.h: what accesses of a basic block have in common: which shared loads of the PTX the
 * assembler makes into one, and which accesses have the addresses of an earlier one but for a
 * constant (instruction.h, `kept`).
 *
 * ptxas gathers neighbouring loads of a basic block: where two elements of an aligned pair, or
 * three or four of an aligned quad, are loaded, one wider LDS takes their place (and loads a fourth
 * that nobody asked for). So the hardware counts fewer requests than the PTX has loads. The rule
 * was read off the code that ptxas of CUDA 13.0 makes for sm_80, sm_86, sm_90 and sm_100, which
 * agree:
 *
 *  - elements are of one size, 2, 4 or 8 bytes (never 1); a vector load counts as its elements; the
 *    wide load has at most 4 elements and 16 bytes;
 *  - the addresses are one register plus constants, and the alignment follows from how the register
 *    is computed (the address of a variable, products, shifts, masks), also around loops;
 *  - loads under a predicate, volatile and generic ones are left alone;
 *  - between them stands nothing that orders or changes shared memory: a store to it (to whatever
 *    address), an atomic on it, a barrier, a fence. Global accesses do not matter.
 *
 * Global loads are never fused. What ptxas fuses beyond that, across a branch that it turned into
 * predicates, or between rounds of a loop that it unrolled, is not found.
 */
#ifndef SIMT_FUSE_H
#define SIMT_FUSE_H

#include "emulator/decode/simt_decode.h"

/* Set `fused` of a decoded function's shared loads, and `kept` of loads and stores; its pool and
 * code must be there. False: no memory. */
bool fuse_shared_loads(struct program_function *function);

#endif
