/* simt_invariant.h: registers of a kernel that hold the same in every block.
 *
 * What is computed of parameters, constants and thread indices alone, by instructions that are the
 * only ones to write their register, is the same whenever a warp of that number comes there:
 * offsets in shared memory, conditions on the thread's index. Such registers are *invariant*. They
 * have places of their own in the frame, which blocks leave as they are, and a warp whose lanes
 * have all been there passes over the instructions (counting them). No lane sees what another
 * block left before it comes to the instruction itself: kernels are left out where a register may
 * be read before it is written, or by another lane.
 */
#ifndef SIMT_INVARIANT_H
#define SIMT_INVARIANT_H

#include "emulator/decode/simt_allocate.h"
#include "emulator/decode/simt_decode.h"

/* invariant[r], all false before: whether register r is. */
choose_apart invariant_find;

/* Set `invariant`, `invariant_address` and `invariant_access` of a decoded function's
 * instructions, and its invariant_count and invariant_accesses. */
void invariant_number(struct program_function *function, const bool *invariant);

#endif
