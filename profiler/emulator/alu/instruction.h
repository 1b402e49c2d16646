/* instruction.h: a decoded instruction, and its register file. Registers are in a *frame*: one
 * array of bytes per function activation of a warp. A register is an array of LANES elements of 2,
 * 4 or 8 bytes. A predicate is one uint32_t with bit l for lane l. Immediates and addresses are
 * arrays of the same format in the function's constant pool, so that handlers treat all operands
 * alike. All arrays are 64-byte aligned. */
#ifndef INSTRUCTION_H
#define INSTRUCTION_H

#include "emulator/ptx/ptx.h"

#include <stdint.h>

enum bank { BANK_FRAME, BANK_POOL, BANK_COUNT };

struct operand {
    uint32_t offset; /* Bytes from the start of the bank. */
    uint8_t bank;
    uint8_t stride; /* Bytes per lane: 2, 4 or 8; 0 for a predicate. */
    bool used;
    bool negated;
};

/* Addresses of the active frame (BANK_FRAME) and of its function's constant pool (BANK_POOL). The
 * first four bytes of every frame are the carry flags (CC.CF), one bit per lane. */
struct lanes {
    unsigned char *bytes[BANK_COUNT];
};

/* lane_bit[l] is 1 << l. Compilers vectorize the lookup in this table on every host. */
static const uint32_t lane_bit[LANES] = {
    1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,
    1u << 8,  1u << 9,  1u << 10, 1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15,
    1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21, 1u << 22, 1u << 23,
    1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31,
};

struct instruction;

/* Execute an instruction on the lanes of `mask` (never 0). Inactive lanes do not change. A handler
 * cannot fail: a division by zero, for example, has the result of the hardware. */
typedef void alu_handler(const struct instruction *instruction, const struct lanes *lanes,
                         uint32_t mask);

struct instruction {
    alu_handler *handler; /* NULL if the instruction is not arithmetic. */
    uint16_t kind;        /* A value of enum simt_kind (simt_decode.h). */
    uint16_t opcode;
    /* 1 + the number of the invariant register (simt_invariant.c) that the instruction writes, or
     * that contains the address of its access. 0 if there is none. */
    uint16_t invariant, invariant_address;
    /* 1 + number of this shared access if its address is invariant, or 0. */
    uint16_t invariant_access;
    /* Number of consecutive instructions, including this one, that write invariant registers. */
    uint16_t invariant_run;
    struct operand destination, destination2;
    struct operand source[4];
    struct operand guard; /* Predicate of @%p; negated for @!%p. */
    uint32_t control;
    uint32_t target;     /* Branches: index of the target instruction. */
    uint32_t reconverge; /* Branches: index of the instruction at which the lanes reconverge. */
    uint32_t number;     /* Number of the PTX instruction in its function. */
    int64_t immediate;   /* Memory: byte offset of the address. Arithmetic: data of the handler. */
    uint8_t bytes;       /* Memory: bytes of one element. */
    uint8_t vector;      /* Memory: number of elements. */
    uint8_t space;       /* Memory: enum ptx_space. */
    uint8_t flags;       /* Memory: SIMT_* flags (simt_decode.h). */
    /* Shared loads: bytes of the wider load that includes this load, or 0. SIMT_FUSED_AWAY if
     * another load is counted instead of this load (simt_fuse.c). */
    uint8_t fused;
    bool is_fast;   /* True for a non-volatile load or store of one element of 4 or 8 bytes in
                           * global or shared memory. The element is as wide as its register. */
    uint32_t extra; /* Index into the program's side tables. */
    /* Loads and stores: 1 + the slot in which the warp caches the addresses, or 0. Instruction
     * address_source, which may be this instruction, fills the slot. Its addresses differ only by
     * `immediate` (simt_fuse.c). */
    uint8_t address_slot;
    uint32_t address_source;
};

#endif
