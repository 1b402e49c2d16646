/* instruction.h: a decoded instruction, and the register file it works on.
 *
 * A warp has LANES lanes, executed together: an instruction's handler loops over the lanes, which
 * the compiler turns into vector code. (A device with narrower warps, `toy`, leaves the upper lanes
 * off.)
 *
 * Registers live in a *frame*: one block of bytes per function activation of a warp. A register of
 * 1, 2, 4 or 8 bytes is an array of LANES elements of 2, 2, 4 or 8 bytes; a predicate is one
 * uint32_t with bit l for lane l. Immediates and addresses are arrays of the same shape in the
 * function's constant pool, so that a handler never asks what an operand is. All arrays are 64-byte
 * aligned.
 */
#ifndef INSTRUCTION_H
#define INSTRUCTION_H

#include "emulator/ptx/ptx.h"

#include <stdint.h>

/* Which block of bytes an operand's offset counts from. */
enum bank { BANK_FRAME, BANK_POOL, BANK_COUNT };

/* One operand of a decoded instruction. */
struct operand {
    uint32_t offset; /* bytes from the bank's start */
    uint8_t bank;    /* enum bank */
    uint8_t stride;  /* bytes from lane to lane: 2, 4 or 8; 0 for a predicate */
    bool used;
    bool negated; /* a predicate operand written `!%p` */
};

/* The bytes that handlers work on: bytes[BANK_FRAME] of the active frame, bytes[BANK_POOL] of its
 * function. The first four bytes of every frame are the carry flags (CC.CF), one bit a lane. */
struct lanes {
    unsigned char *bytes[BANK_COUNT];
};

/* The mask's bit of each lane, as data: selecting lanes by it vectorises everywhere. */
static const uint32_t lane_bit[LANES] = {
    1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,
    1u << 8,  1u << 9,  1u << 10, 1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15,
    1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21, 1u << 22, 1u << 23,
    1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31,
};

struct instruction;

/* Carry out an instruction on the lanes of `mask` (never 0); other lanes keep their values.
 * A handler cannot fail: division by zero and the like have the value that the hardware gives. */
typedef void alu_handler(const struct instruction *instruction, const struct lanes *lanes,
                         uint32_t mask);

struct instruction {
    alu_handler *handler; /* arithmetic: called by the interpreter; NULL for everything else */
    uint16_t kind;        /* enum simt_kind, see simt_decode.h */
    uint16_t opcode;      /* enum ptx_opcode */
    /* 1 + the number of the register that it gives the same value in every block, 0: of none; and
     * of that which its addresses are in (simt_invariant.h). */
    uint16_t invariant, invariant_address;
    uint16_t invariant_access; /* 1 + the number of the shared access at such addresses, 0: none */
    struct operand destination, destination2;
    struct operand source[4];
    struct operand guard; /* used: predicate of @%p; negated: @!%p */
    uint32_t control;     /* handler's own: a LUT (lop3), a comparison, a rounding mode, ... */
    uint32_t target;      /* branches: instruction number */
    uint32_t reconverge;  /* branches: instruction number where the lanes meet again */
    uint32_t number;      /* of the PTX instruction in its function (source line, counters) */
    int64_t immediate;    /* memory: address offset; handlers: their own */
    uint8_t bytes;        /* memory: bytes of one element */
    uint8_t vector;       /* memory: elements */
    uint8_t space;        /* memory: enum ptx_space */
    uint8_t flags;        /* memory: SIMT_* flags, see simt_decode.h */
    uint8_t fused;        /* shared loads: bytes of the wider load that the assembler makes of this
                             and others, SIMT_FUSED_AWAY: another one's; 0: none (simt_fuse.h) */
    bool is_quick;  /* loads and stores of global or shared memory, not volatile: of one element
                             of 4 or 8 bytes, as wide as its register */
    uint32_t extra; /* index into the program's side tables */
    /* Loads and stores: 1 + the place where the warp keeps their addresses, 0 for none; and the
     * decoded instruction that puts them there: this one, or one whose addresses are the same but
     * for `immediate` (simt_fuse.h). */
    uint8_t kept;
    uint32_t keeper;
};

#endif
