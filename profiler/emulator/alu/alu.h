/* alu.h: the arithmetic of PTX on 32 lanes.
 *
 * An instruction is arithmetic if its result in a lane depends only on that lane's operands. The
 * interpreter (simt_interpreter.c) executes all other instructions.
 *
 * alu_vector.c is compiled once per instruction set of the host (ISA=generic, avx2, avx512 on
 * x86-64; generic elsewhere), and alu_select chooses the best supported build. All builds give the
 * same bits if the compiler runs with -ffp-contract=off and without -ffast-math.
 *
 * alu_lanes.h makes a handler from each row of the lists in alu_vector.c and alu_scalar.c. */
#ifndef ALU_H
#define ALU_H

#include "emulator/alu/instruction.h"

/* An operation, and the operands that it requires. */
struct alu_operation {
    alu_handler *handler;
    uint32_t control;
    int64_t immediate;
    uint8_t source_count;
    enum ptx_type destination_type;
    enum ptx_type destination2_type; /* PTX_PRED for `%p|%q`, otherwise PTX_NONE. */
    enum ptx_type source_type[4];    /* Types of sources and immediates; PTX_PRED: masks. */
    bool any_stride;                 /* Registers may be wider than the type (PTX ISA 9.4.1). */
};

/* Fill `operation` for a PTX instruction, from the opcode, the modifiers, the types, and the parts
 * that a video instruction selects. Returns false if the instruction is not arithmetic or not
 * supported. The decoder splits `mov.b64 {%r1, %r2}, %rd1` into parts (alu_select_part). */
bool alu_select(const struct ptx_instruction *instruction, struct alu_operation *operation);

/* Fill `operation` for part number `part`, of part_bytes bytes, of a register of whole_bytes bytes.
 * The operation extracts the part from source 0 or, if `insert`, inserts source 0 into the part of
 * the destination. Returns false if the part is not supported. */
bool alu_select_part(bool insert, unsigned whole_bytes, unsigned part_bytes, unsigned part,
                     struct alu_operation *operation);

#endif
