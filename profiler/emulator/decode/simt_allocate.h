/* simt_allocate.h: register allocation. The compiler's PTX uses a new virtual register for almost
 * every result. With one place per register, a warp's frame would be larger than the host's L1
 * cache. So registers with disjoint lives share a place (linear scan: Poletto and Sarkar, 1999). */
#ifndef SIMT_ALLOCATE_H
#define SIMT_ALLOCATE_H

#include "emulator/ptx/ptx.h"

/* Set apart[r], which is initially false, to true for each register r that must not share its
 * place. In `early`, bit r is set if a lane may read register r before the lane has written r.
 * Returns true if lanes read registers of other lanes, or if memory is exhausted. */
typedef bool choose_apart(const struct ptx_function *function, const uint64_t *early, bool *apart);

/* Set offsets[r] to the byte offset of register r in the frame, and increase *frame_bytes. A
 * register has LANES elements of 2, 4 or 8 bytes; a predicate has 4 bytes. If the analysis would
 * take too long, no two registers share a place, `choose` is not called, and *reads_early is true.
 * Returns false if memory is exhausted.
 *
 * The places of registers that `choose` sets apart begin at *apart_begin, after all other places.
 * *reads_early is also true if a register may be read before its write, or if `choose` returns
 * true. */
bool simt_allocate_registers(const struct ptx_function *function, uint32_t *offsets,
                             uint64_t *frame_bytes, choose_apart *choose, bool *apart,
                             uint64_t *apart_begin, bool *reads_early);

/* Call `visit` for each read and each write of a register by an instruction. A guarded write is
 * also a read, because some lanes retain the old value. */
typedef void visit_register(void *context, int32_t number, bool is_write);
void registers_visit(const struct ptx_function *function, const struct ptx_instruction *instruction,
                     visit_register *visit, void *context);

#endif
