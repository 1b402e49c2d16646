/* alu.h: the arithmetic of PTX on 32 lanes.
 *
 * An instruction is arithmetic if its result in a lane depends only on that lane's operands.
 * Arithmetic includes integers, floating point, half precision, comparisons, selections, logic,
 * shifts, conversions, moves, byte permutes, bit fields, carries, dp4a. The interpreter
 * (simt_interpreter.c) executes control flow, memory accesses, barriers, votes and shuffles.
 *
 * alu_vector.c is compiled once per instruction set of the host (ISA=generic, avx2, avx512 on
 * x86-64; generic elsewhere), and alu_select chooses the best supported build. All builds give the
 * same bits if the compiler runs with -ffp-contract=off and without -ffast-math.
 *
 * Begin with alu_lanes.h. The macros in this file make a handler from each row of a list.
 * alu_vector.c and alu_scalar.c contain the lists. The other files contain the conversions
 * (alu_convert.c), the video instructions (alu_video.c), the exact conversion between formats
 * (alu_number.c), the search in a table (alu_query.c) and the choice of a table (alu_select.c).
 */
#ifndef ALU_H
#define ALU_H

#include "emulator/alu/instruction.h"

/* An operation, and the operands that it requires. */
struct alu_operation {
    alu_handler *handler;
    uint32_t control;  /* Value of instruction.control. */
    int64_t immediate; /* Value of instruction.immediate. */
    uint8_t source_count;
    enum ptx_type destination_type;
    enum ptx_type destination2_type; /* PTX_PRED for `%p|%q`, otherwise PTX_NONE. */
    enum ptx_type source_type[4];    /* Immediates are converted to these types. PTX_PRED sources
                                      * are masks. */
    bool any_stride;                 /* The handler supports registers that are wider than the type
                                      * (cvt and mov, PTX ISA 9.4.1). If false, the decoder rejects
                                      * registers of another width. */
};

/* Fill `operation` for a PTX instruction. Returns false if the instruction is not arithmetic or not
 * supported. The function reads only opcode, modifiers, types, and the parts that video
 * instructions select. The decoder splits `mov.b64 {%r1, %r2}, %rd1` and its inverse into
 * operations of alu_select_part. */
bool alu_select(const struct ptx_instruction *instruction, struct alu_operation *operation);

/* Fill `operation` for part `part`, of part_bytes bytes, of a register of whole_bytes bytes. The
 * operation extracts the part from source 0 or, if `insert`, inserts source 0 into the part of the
 * destination. Returns false if the part is not supported. */
bool alu_select_part(bool insert, unsigned whole_bytes, unsigned part_bytes, unsigned part,
                     struct alu_operation *operation);

#endif
