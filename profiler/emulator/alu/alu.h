/* alu.h: the arithmetic of PTX on 32 lanes. An instruction is arithmetic if its result in a lane
 * depends only on that lane's operands. alu_vector.c is compiled once per instruction set of the
 * host (ISA=generic, avx2, avx512), and alu_select chooses the best build that the host supports.
 * All builds compute identical bits if the compiler runs with -ffp-contract=off and without
 * -ffast-math. */
#ifndef ALU_H
#define ALU_H

#include "emulator/alu/instruction.h"

struct alu_operation {
    alu_handler *handler;
    uint32_t control;
    int64_t immediate;
    uint8_t source_count;
    enum ptx_type destination_type;
    enum ptx_type destination2_type; /* PTX_PRED for `%p|%q`, otherwise PTX_NONE. */
    enum ptx_type source_type[4];
    bool any_stride; /* Registers may be wider than the type (PTX ISA 9.4.1). */
};

/* Fill `operation`. Returns false if the instruction is not arithmetic or not supported. For
 * `mov.b64 {%r1, %r2}, %rd1`, the decoder calls alu_select_part for each part. */
bool alu_select(const struct ptx_instruction *instruction, struct alu_operation *operation);

/* Fill `operation` for a part of a register: part_bytes bytes, from byte part * part_bytes on. The
 * operation extracts the part from source 0 or, if `insert` is true, inserts source 0 into the
 * destination. Returns false if these sizes are not supported. */
bool alu_select_part(bool insert, unsigned whole_bytes, unsigned part_bytes, unsigned part,
                     struct alu_operation *operation);

#endif
