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

/* Say which registers need places of their own: apart[r], all false before. `early` has a bit for
 * each register that may be read before it is written, by the way that a lane takes. */
typedef void choose_apart(const struct ptx_function *function, const uint64_t *early, bool *apart);

/* offsets[r]: byte offset of register r in the frame, from *frame_bytes on, which grows. A register
 * is LANES elements of its lane stride, a predicate 4 bytes. Where the analysis would cost too
 * much, every register gets a place of its own. False: no memory.
 *
 * apart[r], all false before: whether r has a place of its own, behind all others, from
 * *apart_begin on. Where the analysis would cost too much, none has. */
bool simt_allocate_registers(const struct ptx_function *function, uint32_t *offsets,
                             uint64_t *frame_bytes, choose_apart *choose, bool *apart,
                             uint64_t *apart_begin);

/* Call for each register that an instruction reads, and for each that it writes; a guarded write
 * also reads, namely what it keeps. */
typedef void visit_register(void *context, int32_t number, bool is_write);
void registers_visit(const struct ptx_function *function, const struct ptx_instruction *instruction,
                     visit_register *visit, void *context);

#endif
