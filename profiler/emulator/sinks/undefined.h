/* undefined.h: registers that hold what was read from memory that nobody wrote.
 *
 * Reading such memory does no harm by itself: a kernel may read a whole row of a tile and then
 * store only the elements inside of the matrix. So a warp remembers which lanes of which registers
 * hold undefined values, follows them through arithmetic, shuffles, shared and local memory, and
 * only their *use* is a bug: as an address, as a value that is stored in global memory, in an
 * atomic operation, as the distance of a shuffle, or as a condition. (Valgrind's memcheck draws the
 * line at the same place: Seward and Nethercote, 2005.) There is work to do only while such
 * registers exist.
 *
 * Of an element of several bytes that are not all defined it is taken that the others are padding.
 * Where the trail is lost (parameters of calls, more registers than are remembered), values count
 * as defined: a bug may be missed, but none is invented.
 */
#ifndef SIMT_UNDEFINED_H
#define SIMT_UNDEFINED_H

#include "emulator/warp/simt_state.h"

enum { UNDEFINED_REGISTERS = 16 }; /* of a warp, at a time */

/* Who read an undefined value: an instruction of a function. */
struct undefined_reader {
    const struct program_function *function;
    uint32_t number;
    enum ptx_space space;
};

/* Where an undefined value came from, for each lane that has one. */
struct undefined_register {
    const struct frame *frame;
    uint32_t begin, end; /* its bytes in the frame */
    uint32_t lanes;
    struct undefined_reader reader;
    uint64_t address[LANES];
    bool is_computed; /* and not only moved since it was read */
};

struct undefined_registers {
    unsigned count;
    struct undefined_register registers[UNDEFINED_REGISTERS];
};

/* The lanes of `mask` now have undefined values in an element of a load, which were read from these
 * addresses. */
void undefined_add(struct undefined_registers *set, const struct frame *frame,
                   const struct operand *destination, const struct undefined_reader *reader,
                   uint32_t mask, const uint64_t *address);

/* The first register of the set that the operand reads an undefined lane of `mask` from; NULL:
 * there is none. The set may be NULL. */
const struct undefined_register *undefined_find(const struct undefined_registers *set,
                                                const struct frame *frame,
                                                const struct operand *operand, uint32_t mask);

/* The lanes of `mask` take each the first operand of lane from[lane]: what was undefined there
 * is so here. */
void undefined_shuffle(struct undefined_registers *set, const struct frame *frame,
                       const struct instruction *instruction, uint32_t mask,
                       const uint32_t from[LANES]);

/* Follow an instruction that is about to be executed for the lanes of `mask` (its guard lets them
 * through; `fragment_mask` are those that ask the guard). The register that it uses, or NULL; *lane
 * is then the lowest lane that does. */
const struct undefined_register *undefined_follow(struct undefined_registers *set,
                                                  const struct frame *frame,
                                                  const struct instruction *instruction,
                                                  uint32_t fragment_mask, uint32_t mask,
                                                  unsigned *lane);

#endif
