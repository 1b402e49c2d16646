/* simt_allocate.h: places for registers.
 *
 * The compiler's PTX names a new virtual register for almost every result. Given a place each, a
 * warp's frame would be several times larger than the host's first-level cache; registers whose
 * lives do not overlap share a place instead (liveness, then linear scan: Poletto and Sarkar,
 * 1999).
 */
#ifndef SIMT_ALLOCATE_H
#define SIMT_ALLOCATE_H

#include "emulator/ptx/ptx.h"

/* offsets[r]: byte offset of register r in the frame, from *frame_bytes on, which grows. A register
 * is LANES elements of its lane stride, a predicate 4 bytes. Where the analysis would cost too
 * much, every register gets a place of its own. False: no memory. */
bool simt_allocate_registers(const struct ptx_function *function, uint32_t *offsets,
                             uint64_t *frame_bytes);

/* Call for each register that an instruction reads, and for each that it writes; a guarded write
 * also reads, namely what it keeps. */
typedef void visit_register(void *context, int32_t number, bool is_write);
void registers_visit(const struct ptx_function *function, const struct ptx_instruction *instruction,
                     visit_register *visit, void *context);

#endif
