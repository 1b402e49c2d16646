/* simt_invariant.h: registers of a kernel that hold the same value in every block.
 *
 * If only one instruction writes a register, and computes the value only from parameters, constants
 * and thread indices, the register is *invariant*. Each lane has one value for all blocks.
 * Invariant registers do not share their places in the frame, and retain their values from block to
 * block. If all lanes of a warp have executed the writing instruction in an earlier block, the warp
 * skips this instruction, but counts it.
 *
 * A lane must not read a value of another block before it reaches the instruction. This excludes
 * registers that may be read before they are written, and kernels with reads of other lanes. */
#ifndef SIMT_INVARIANT_H
#define SIMT_INVARIANT_H

#include "emulator/decode/simt_allocate.h"
#include "emulator/decode/simt_decode.h"

/* Set invariant[r], which is initially false, to true for each invariant register r. */
choose_apart invariant_find;

/* Number the invariant registers and accesses of a decoded function, and set their counts. */
void invariant_number(struct program_function *function, const bool *invariant);

#endif
