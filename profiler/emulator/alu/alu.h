/* alu.h: the arithmetic of PTX on 32 lanes.
 *
 * "Arithmetic" is every instruction whose result in a lane depends on that lane's operands only:
 * integer, floating point, half precision, comparison, selection, logic, shift, conversion, move,
 * byte permute, bit field, carry, dp4a. Control flow, memory, barriers, votes and shuffles are the
 * interpreter's (simt_interpreter.c).
 *
 * alu_vector.c is compiled once per instruction set of the host (ISA=generic, avx2, avx512 on
 * x86-64; generic only elsewhere) and alu_select picks the best that the processor has. All give
 * the same bits: compile with -ffp-contract=off and without -ffast-math.
 *
 * The room alu/ knows no memory and no control flow; it may touch ptx/ and base/. Begin with
 * alu_lanes.h, how a handler is made of a row of a list: alu_vector.c and alu_scalar.c are such
 * lists, alu_convert.c is every conversion, alu_video.c every video instruction, alu_number.c exact
 * values between formats, alu_query.c the search in a table and alu_select.c the choice among them.
 */
#ifndef ALU_H
#define ALU_H

#include "emulator/alu/instruction.h"

/* What the decoder must know to lay out operands. */
struct alu_operation {
    alu_handler *handler;
    uint32_t control;  /* copied to instruction.control, */
    int64_t immediate; /* and instruction.immediate */
    uint8_t source_count;
    enum ptx_type destination_type;  /* PTX_PRED for comparisons */
    enum ptx_type destination2_type; /* PTX_NONE, or PTX_PRED for `%p|%q` */
    enum ptx_type source_type[4]; /* how each source is read: immediates are converted to this type
                                     (floats too), and PTX_PRED sources are masks */
    bool any_stride;              /* the handler honours operand.stride (cvt, mov, st-like operands
                                     may name registers wider than the type, PTX ISA 9.4.1); when
                                     false the decoder refuses registers of another width */
};

/* Fill `operation` for a PTX instruction; false when this is not arithmetic or is not supported
 * (the decoder then reports "unsupported instruction" with its text and line). Only opcode,
 * modifiers and types are looked at, of operands only the parts that video instructions select:
 * the decoder splits `mov.b64 {%r1, %r2}, %rd1` and its inverse into the two operations below. */
bool alu_select(const struct ptx_instruction *instruction, struct alu_operation *operation);

/* Parts of wider registers: bytes [part*part_bytes, ...) of the whole. Extract them from source 0
 * into destination, or insert source 0 there into destination, the rest of which is kept. */
bool alu_select_part(bool insert, unsigned whole_bytes, unsigned part_bytes, unsigned part,
                     struct alu_operation *operation);

#endif
