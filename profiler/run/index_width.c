/* index_width.c: each register has a degree: 1 for a 32-bit parameter or a block index, 0 for a
 * number that does not depend on the size of the matrix. The degree of a product is the sum of the
 * degrees of its factors. The degrees are the least fixed point over all instructions. A signed
 * 32-bit value of degree 2 or more is reported if it is converted to 64 bits and added to a pointer
 * parameter. gridDim has degree 0: its product with a block index is a block's number. */
#include "run/index_width.h"

#include <stdlib.h>
#include <string.h>

enum { DEGREE_MOST = 4, TRIES_MOST = 256 };

static unsigned degree_of(const struct ptx_operand *operand, const unsigned char *degrees)
{
    if (operand->kind == PTX_OPERAND_REGISTER)
        return degrees[operand->index];
    return operand->kind == PTX_OPERAND_SPECIAL && operand->index >= PTX_SPECIAL_CTAID_X &&
           operand->index <= PTX_SPECIAL_CTAID_Z;
}

static unsigned larger(unsigned a, unsigned b)
{
    return a > b ? a : b;
}

static unsigned result_degree(const struct ptx_instruction *i, const unsigned char *degrees)
{
    const unsigned a = degree_of(&i->operands[1], degrees), b = degree_of(&i->operands[2], degrees),
                   c = degree_of(&i->operands[3], degrees);
    switch (i->opcode) {
    case PTX_OP_LD:
        return i->space == PTX_PARAM && ptx_type_bytes(i->types[0]) == 4;
    case PTX_OP_MUL:
        return a + b;
    case PTX_OP_MAD:
        return larger(a + b, c);
    case PTX_OP_DIV:
        return a > b ? a - b : 0;
    case PTX_OP_REM:
    case PTX_OP_AND:
        return a < b ? a : b;
    case PTX_OP_MOV:
    case PTX_OP_CVT:
    case PTX_OP_SHL:
    case PTX_OP_SHR:
    /* The degree of `b` is ignored, because the compiler computes a % b as a - a / b * b. */
    case PTX_OP_SUB:
        return a;
    case PTX_OP_ADD:
    case PTX_OP_MIN:
    case PTX_OP_MAX:
    case PTX_OP_SELP:
        return larger(a, b);
    default:
        return 0;
    }
}

static bool widens(const struct ptx_instruction *i)
{
    if (i->opcode == PTX_OP_CVT)
        return i->types[0] == PTX_S64 && i->types[1] == PTX_S32;
    return (i->opcode == PTX_OP_MUL || i->opcode == PTX_OP_MAD) && ptx_has(i, PTX_MOD_WIDE) &&
           i->types[0] == PTX_S32;
}

static bool reads(const struct ptx_instruction *i, const bool *set)
{
    for (unsigned o = 1; o < i->operand_count; o++)
        if (i->operands[o].kind == PTX_OPERAND_REGISTER && set[i->operands[o].index])
            return true;
    return false;
}

static bool keeps_address(const struct ptx_instruction *i)
{
    return i->opcode == PTX_OP_ADD || i->opcode == PTX_OP_SUB || i->opcode == PTX_OP_MOV ||
           i->opcode == PTX_OP_CVTA || i->opcode == PTX_OP_MAD || i->opcode == PTX_OP_SELP;
}

/* Add to `set` the results of all instructions that read a register of `set`. If `others` is NULL,
 * add only addresses. Returns true if one of these instructions also reads a register of
 * `others`. */
static bool follow(const struct ptx_function *kernel, bool *set, const bool *others)
{
    bool both = false;
    for (bool grew = true; grew;) {
        grew = false;
        for (size_t n = 0; n < kernel->instruction_count; n++) {
            const struct ptx_instruction *i = &kernel->instructions[n];
            if (!i->operand_count || i->operands[0].kind != PTX_OPERAND_REGISTER ||
                i->opcode == PTX_OP_LD || !reads(i, set) || (!others && !keeps_address(i)))
                continue;
            both |= others && reads(i, others);
            grew |= !set[i->operands[0].index];
            set[i->operands[0].index] = true;
        }
    }
    return both;
}

static bool reaches_array(const struct ptx_function *kernel, const struct ptx_instruction *widening,
                          bool *sets)
{
    bool *pointers = sets, *index = sets + kernel->register_count;
    memset(sets, 0, 2 * kernel->register_count * sizeof *sets);
    for (size_t n = 0; n < kernel->instruction_count; n++) {
        const struct ptx_instruction *i = &kernel->instructions[n];
        if (i->opcode == PTX_OP_LD && i->space == PTX_PARAM && i->operand_count &&
            i->operands[0].kind == PTX_OPERAND_REGISTER && ptx_type_bytes(i->types[0]) == 8)
            pointers[i->operands[0].index] = true;
    }
    follow(kernel, pointers, NULL);
    index[widening->operands[0].index] = true;
    return reads(widening, pointers) || follow(kernel, index, pointers);
}

unsigned index_width_find(const struct ptx_module *module, const struct ptx_function *kernel,
                          uint32_t *line)
{
    unsigned char *degrees = calloc(kernel->register_count + 1, 1);
    bool *sets = calloc(2 * kernel->register_count + 1, sizeof *sets);
    unsigned most = 0;
    for (bool grew = degrees; grew;) {
        grew = false;
        for (size_t n = 0; n < kernel->instruction_count; n++) {
            const struct ptx_instruction *i = &kernel->instructions[n];
            if (!i->operand_count || i->operands[0].kind != PTX_OPERAND_REGISTER)
                continue;
            const unsigned degree = result_degree(i, degrees);
            unsigned char *old = &degrees[i->operands[0].index];
            if (degree <= *old || *old == DEGREE_MOST)
                continue;
            *old = (unsigned char)(degree < DEGREE_MOST ? degree : DEGREE_MOST);
            grew = true;
        }
    }
    unsigned tries = 0;
    for (size_t n = 0; degrees && sets && tries < TRIES_MOST && n < kernel->instruction_count;
         n++) {
        const struct ptx_instruction *i = &kernel->instructions[n];
        if (!widens(i) || i->location < 0)
            continue;
        const unsigned degree =
            larger(degree_of(&i->operands[1], degrees),
                   i->opcode == PTX_OP_CVT ? 0 : degree_of(&i->operands[2], degrees));
        if (degree > most && degree > 1 && ++tries && reaches_array(kernel, i, sets)) {
            most = degree;
            *line = module->locations[i->location].line;
        }
    }
    free(degrees);
    free(sets);
    return most;
}
