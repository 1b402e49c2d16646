/* simt_invariant.c: registers of a kernel that hold the same value in every block.
 *
 * If only one instruction writes a register, and computes the value only from parameters,
 * constants, thread indices and the sizes of block and grid, the register is *invariant*. Each lane
 * has one value for all blocks. Invariant registers do not share their places in the frame, and
 * retain their values from block to block. If all lanes of a warp have executed the writing
 * instruction in an earlier block, the warp skips this instruction, but counts it.
 *
 * A lane must not read a value of an earlier block before the lane reaches the instruction. This
 * excludes registers that may be read before they are written, and kernels in which lanes read
 * registers of other lanes. */
#include "emulator/decode/decoding.h"

#include "emulator/ptx/ptx_cfg.h"

#include <stdlib.h>

static bool is_pure(const struct ptx_instruction *in)
{
    switch (in->opcode) {
    case PTX_OP_ABS:
    case PTX_OP_ADD:
    case PTX_OP_AND:
    case PTX_OP_BFE:
    case PTX_OP_BFI:
    case PTX_OP_CVT:
    case PTX_OP_CVTA:
    case PTX_OP_DIV:
    case PTX_OP_MAD:
    case PTX_OP_MAX:
    case PTX_OP_MIN:
    case PTX_OP_MOV:
    case PTX_OP_MUL:
    case PTX_OP_NEG:
    case PTX_OP_NOT:
    case PTX_OP_OR:
    case PTX_OP_REM:
    case PTX_OP_SELP:
    case PTX_OP_SETP:
    case PTX_OP_SHL:
    case PTX_OP_SHR:
    case PTX_OP_SUB:
    case PTX_OP_XOR:
        return !ptx_has(in, PTX_MOD_CC);
    default:
        return false;
    }
}

static bool special_is_invariant(const struct ptx_operand *operand)
{
    /* %tid, %ntid, %nctaid and %laneid. */
    return !operand->vector_count &&
           (operand->index <= PTX_SPECIAL_NTID_Z ||
            (operand->index >= PTX_SPECIAL_NCTAID_X && operand->index <= PTX_SPECIAL_LANEID));
}

static bool source_is_invariant(const struct ptx_operand *operand, const bool *invariant)
{
    switch (operand->kind) {
    case PTX_OPERAND_REGISTER:
        return invariant[operand->index];
    case PTX_OPERAND_INTEGER:
    case PTX_OPERAND_FLOAT:
    case PTX_OPERAND_VARIABLE:
        return true;
    case PTX_OPERAND_SPECIAL:
        return special_is_invariant(operand);
    default:
        return false;
    }
}

static bool loads_parameter(const struct ptx_instruction *in)
{
    const struct ptx_operand *from = &in->operands[1];
    return in->opcode == PTX_OP_LD && in->space == PTX_PARAM && in->operand_count == 2 &&
           from->kind == PTX_OPERAND_ADDRESS && from->address_kind == PTX_OPERAND_VARIABLE &&
           from->scope == PTX_SCOPE_PARAMETER;
}

static bool is_invariant(const struct ptx_instruction *in, const bool *invariant)
{
    if (in->guarded || in->operand_count < 2 || in->operands[0].kind != PTX_OPERAND_REGISTER ||
        in->operands[0].second != PTX_SECOND_NONE)
        return false;
    if (loads_parameter(in))
        return true;
    bool same = is_pure(in);
    for (unsigned i = 1; same && i < in->operand_count; i++)
        same = source_is_invariant(&in->operands[i], invariant);
    return same;
}

static bool reads_other_lanes(const struct ptx_instruction *in)
{
    return in->opcode == PTX_OP_SHFL || in->opcode == PTX_OP_MMA || in->opcode == PTX_OP_WMMA ||
           in->opcode == PTX_OP_LDMATRIX || in->opcode == PTX_OP_STMATRIX ||
           in->opcode == PTX_OP_MOVMATRIX;
}

static void count_write(void *context, int32_t number, bool is_write)
{
    uint8_t *writes = context;
    if (is_write && writes[number] < 2)
        writes[number]++;
}

/* This limit bounds the frame of each warp. */
enum { INVARIANT_MAX = 1024 };

bool invariant_find(const struct ptx_function *function, const uint64_t *early, bool *invariant)
{
    uint8_t *writes = calloc(function->register_count + 1, sizeof *writes);
    bool possible = writes && function->is_entry, reads_others = false;
    unsigned count = 0;
    for (size_t i = 0; writes && i < function->instruction_count; i++) {
        reads_others |= reads_other_lanes(&function->instructions[i]);
        registers_visit(function, &function->instructions[i], count_write, writes);
    }
    possible &= !reads_others;
    for (size_t i = 0; possible && i < function->instruction_count; i++) {
        const struct ptx_instruction *in = &function->instructions[i];
        if (!is_invariant(in, invariant))
            continue;
        int32_t number = in->operands[0].index;
        invariant[number] = count < INVARIANT_MAX && writes[number] == 1 &&
                            !(early[number / 64] >> (number % 64) & 1);
        count += invariant[number];
    }
    free(writes);
    return reads_others || !writes;
}

void invariant_number(struct program_function *function, const bool *invariant)
{
    const struct ptx_function *source = function->source;
    uint16_t *numbers = calloc(source->register_count + 1, sizeof *numbers);
    for (size_t i = 0; numbers && i < source->instruction_count; i++) {
        const struct ptx_instruction *in = &source->instructions[i];
        struct instruction *decoded = &function->code[function->first_of[i]];
        bool is_one = function->first_of[i + 1] - function->first_of[i] == 1;
        bool fits = decoded->kind == SIMT_ALU || decoded->kind == SIMT_CONVERT_ADDRESS ||
                    (decoded->kind == SIMT_LOAD && loads_parameter(in));
        if (is_one && fits && is_invariant(in, invariant) && invariant[in->operands[0].index] &&
            function->invariant_count < UINT16_MAX) {
            decoded->invariant = numbers[in->operands[0].index] =
                (uint16_t)++function->invariant_count;
            decoded->invariant_run = 1; /* The final value if memory is exhausted. */
        }
        if (!decoded->is_fast || !is_one)
            continue;
        const struct ptx_operand *address = &in->operands[decoded->kind == SIMT_LOAD];
        if (address->kind == PTX_OPERAND_ADDRESS && address->address_kind == PTX_OPERAND_REGISTER)
            decoded->invariant_address = numbers[address->index];
        if (decoded->invariant_address && decoded->space == PTX_SHARED &&
            function->invariant_accesses < UINT16_MAX)
            decoded->invariant_access = (uint16_t)++function->invariant_accesses;
    }
    struct ptx_blocks blocks;
    if (numbers && ptx_blocks_find(&blocks, source)) {
        for (size_t i = source->instruction_count, run = 0; i-- > 0;) {
            struct instruction *decoded = &function->code[function->first_of[i]];
            run = decoded->invariant ? run + 1 : 0;
            decoded->invariant_run = (uint16_t)run;
            run = ptx_begins_block(&blocks, i) ? 0 : run;
        }
        ptx_blocks_free(&blocks);
    }
    free(numbers);
}
