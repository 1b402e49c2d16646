/* undefined.h: registers with undefined values, which were read from uninitialized memory.
 *
 * Reading uninitialized memory is harmless by itself: a kernel may read a whole row of a tile and
 * then store only the elements inside the matrix. So each warp records undefined values by register
 * and lane, and follows them through arithmetic, shuffles, shared and local memory. Only their
 * *use* is a bug: as an address, as a value for global memory, in an atomic operation, as the
 * distance of a shuffle, or as a condition. Valgrind's memcheck has a similar rule.
 *
 * If some bytes of an element are defined, its other bytes count as padding. Values that cannot be
 * followed (parameters of calls, more registers than the set can hold) count as defined. */
#ifndef SIMT_UNDEFINED_H
#define SIMT_UNDEFINED_H

#include "emulator/warp/simt_state.h"

enum { UNDEFINED_REGISTERS = 16 };

struct undefined_reader {
    const struct program_function *function;
    uint32_t number;
    enum ptx_space space;
};

struct undefined_register {
    const struct frame *frame;
    uint32_t begin, end;
    uint32_t lanes;
    struct undefined_reader reader;
    uint64_t address[LANES]; /* For each lane: the address from which the value was read. */
    bool is_computed;        /* The value is a result of arithmetic, not a copy of a read value. */
};

struct undefined_registers {
    unsigned count;
    struct undefined_register registers[UNDEFINED_REGISTERS];
};

/* Record that the lanes of `mask` read undefined values from these addresses into `destination`. */
void undefined_add(struct undefined_registers *set, const struct frame *frame,
                   const struct operand *destination, const struct undefined_reader *reader,
                   uint32_t mask, const uint64_t *address);

/* Returns a register that overlaps the operand and is undefined in at least one lane of `mask`;
 * NULL if there is none. `set` may be NULL. */
const struct undefined_register *undefined_find(const struct undefined_registers *set,
                                                const struct frame *frame,
                                                const struct operand *operand, uint32_t mask);

/* Follow a shuffle. Each lane of `mask` receives the first operand of lane from[lane], or parts of
 * the first operands of lanes from[lane] and also_from[lane]. */
void undefined_shuffle(struct undefined_registers *set, const struct frame *frame,
                       const struct instruction *instruction, uint32_t mask,
                       const uint32_t from[LANES], const uint32_t also_from[LANES]);

/* Follow an instruction before it is executed for the lanes of `mask`, in which the guard is true.
 * `fragment_mask` contains the lanes that test the guard. Returns the undefined register that the
 * instruction uses, or NULL. *lane receives the lowest lane that uses the register. */
const struct undefined_register *undefined_follow(struct undefined_registers *set,
                                                  const struct frame *frame,
                                                  const struct instruction *instruction,
                                                  uint32_t fragment_mask, uint32_t mask,
                                                  unsigned *lane);

#endif
