/* instruction.h: a decoded instruction, and its register file.
 *
 * The LANES lanes of a warp execute together: an instruction's handler is a loop over the lanes,
 * which the compiler vectorizes. (On the device `toy`, which has narrower warps, the upper lanes
 * are never active.)
 *
 * Registers are in a *frame*: one block of bytes per function activation of a warp. A register of
 * 1, 2, 4 or 8 bytes is an array of LANES elements of 2, 2, 4 or 8 bytes; a predicate is one
 * uint32_t with bit l for lane l. Immediates and addresses are arrays of the same format in the
 * function's constant pool, so that handlers treat all operands in the same way. All arrays are
 * 64-byte aligned.
 */
#ifndef INSTRUCTION_H
#define INSTRUCTION_H

#include "emulator/ptx/ptx.h"

#include <stdint.h>

/* The block of bytes that contains an operand. */
enum bank { BANK_FRAME, BANK_POOL, BANK_COUNT };

/* One operand of a decoded instruction. */
struct operand {
    uint32_t offset; /* Bytes from the bank's start. */
    uint8_t bank;    /* enum bank */
    uint8_t stride;  /* Bytes per lane: 2, 4 or 8; 0 for a predicate. */
    bool used;
    bool negated; /* A predicate operand written `!%p`. */
};

/* The active frame (BANK_FRAME) and the constant pool of its function (BANK_POOL). The first four
 * bytes of every frame are the carry flags (CC.CF), one bit per lane. */
struct lanes {
    unsigned char *bytes[BANK_COUNT];
};

/* The mask bit of each lane. A table lookup vectorizes on all instruction sets. */
static const uint32_t lane_bit[LANES] = {
    1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,
    1u << 8,  1u << 9,  1u << 10, 1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15,
    1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21, 1u << 22, 1u << 23,
    1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31,
};

struct instruction;

/* Execute an instruction on the lanes of `mask` (never 0); other lanes do not change. A handler
 * cannot fail: a division by zero, for example, has the result of the hardware. */
typedef void alu_handler(const struct instruction *instruction, const struct lanes *lanes,
                         uint32_t mask);

struct instruction {
    alu_handler *handler; /* Arithmetic: called by the interpreter. Other kinds: NULL. */
    uint16_t kind;        /* enum simt_kind, see simt_decode.h */
    uint16_t opcode;      /* enum ptx_opcode */
    /* 1 + the number of an invariant register (simt_invariant.h): the register that the instruction
     * writes, and the register that holds its addresses; 0: none. */
    uint16_t invariant, invariant_address;
    uint16_t invariant_access; /* 1 + the number of the access at invariant addresses; 0: none. */
    uint16_t invariant_run;    /* Number of consecutive instructions in its basic block, including
                                  this instruction, that write invariant registers. */
    struct operand destination, destination2;
    struct operand source[4];
    struct operand guard; /* Predicate of @%p; negated: @!%p. */
    uint32_t control;     /* Data of the handler: a comparison, a rounding mode, ... */
    uint32_t target;      /* Branches: instruction number. */
    uint32_t reconverge;  /* Branches: instruction number at which the lanes reconverge. */
    uint32_t number;      /* Number of the PTX instruction in its function. */
    int64_t immediate;    /* Memory: address offset; arithmetic: data of the handler. */
    uint8_t bytes;        /* Memory: bytes of one element. */
    uint8_t vector;       /* Memory: number of elements. */
    uint8_t space;        /* Memory: enum ptx_space. */
    uint8_t flags;        /* Memory: SIMT_* flags, see simt_decode.h. */
    uint8_t fused;        /* Shared loads: bytes of the wider load that includes this load; 0: none;
                             SIMT_FUSED_AWAY: another load is counted instead (simt_fuse.h). */
    bool is_fast;   /* A non-volatile load or store of global or shared memory: one element of 4 or
                       8 bytes, as wide as its register. */
    uint32_t extra; /* Index into the program's side tables. */
    /* Loads and stores: 1 + the slot in which the warp caches their addresses; 0: none. The decoded
     * instruction address_source fills the slot. It is this instruction, or an instruction whose
     * addresses differ only by `immediate` (simt_fuse.h). */
    uint8_t address_slot;
    uint32_t address_source;
};

#endif
