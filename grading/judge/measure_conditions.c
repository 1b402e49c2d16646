/* measure_conditions.c: find conditions of a kernel on the size; see measure_work.h.
 *
 * Theory of operation. A kernel may be incorrect at a kind of size that no rubric has, such as even
 * squares. Such a kernel contains a condition that is computed only from parameters and constants.
 * In the PTX, it is a guarded branch with a predicate that depends on no thread, block or memory.
 * The numbers of executions show its results: if the branch is taken, the next instruction is
 * executed less often or never. The branch at the end of a loop is taken if the loop's first
 * instruction is executed more often than its predecessor. */
#include "judge/measure_work.h"

#include <stdlib.h>

/* ON_SIZE: a value depends on a size. ON_OTHERS: a value depends on a thread, a block or memory.
 * ON_BLOCK: it depends on the index of a block or on the result of an atomic operation. ON_PART: it
 * is not a linear function of this index, or a limit was subtracted. */
enum { ON_SIZE = 1, ON_OTHERS = 2, ON_BLOCK = 4, ON_PART = 8 };

struct slice {
    const struct ptx_function *kernel;
    unsigned char *depends;
    bool *is_target;
};

static unsigned operand_depends(const struct slice *slice, const struct ptx_operand *operand)
{
    unsigned depends = 0;
    switch (operand->kind) {
    case PTX_OPERAND_REGISTER:
        return slice->depends[operand->index];
    case PTX_OPERAND_SPECIAL:
        return operand->index >= PTX_SPECIAL_NCTAID_X && operand->index <= PTX_SPECIAL_NCTAID_Z
                   ? ON_SIZE
               : operand->index >= PTX_SPECIAL_NTID_X && operand->index <= PTX_SPECIAL_NTID_Z ? 0
               : operand->index >= PTX_SPECIAL_CTAID_X && operand->index <= PTX_SPECIAL_CTAID_Z
                   ? ON_OTHERS | ON_BLOCK
                   : ON_OTHERS;
    case PTX_OPERAND_ADDRESS:
        return operand->address_kind == PTX_OPERAND_REGISTER ? slice->depends[operand->index] : 0;
    case PTX_OPERAND_VECTOR:
        for (unsigned k = 0; k < operand->vector_count; k++)
            depends |=
                operand_depends(slice, &slice->kernel->vector_operands[operand->index + (int)k]);
        return depends;
    default:
        return 0;
    }
}

static unsigned sources_depend(const struct slice *slice, const struct ptx_instruction *i)
{
    unsigned depends = i->guarded ? slice->depends[i->guard] : 0;
    for (unsigned k = 1; k < i->operand_count; k++)
        depends |= operand_depends(slice, &i->operands[k]);
    return depends;
}

static bool is_arithmetic(unsigned opcode)
{
    static const uint16_t opcodes[] = {
        PTX_OP_ABS,  PTX_OP_ADD,   PTX_OP_ADDC, PTX_OP_AND, PTX_OP_BFE,  PTX_OP_BFI,  PTX_OP_BFIND,
        PTX_OP_BREV, PTX_OP_CLZ,   PTX_OP_CNOT, PTX_OP_CVT, PTX_OP_CVTA, PTX_OP_DIV,  PTX_OP_FMA,
        PTX_OP_LOP3, PTX_OP_MAD,   PTX_OP_MADC, PTX_OP_MAX, PTX_OP_MIN,  PTX_OP_MOV,  PTX_OP_MUL,
        PTX_OP_NEG,  PTX_OP_MUL24, PTX_OP_NOT,  PTX_OP_OR,  PTX_OP_POPC, PTX_OP_PRMT, PTX_OP_RCP,
        PTX_OP_REM,  PTX_OP_SAD,   PTX_OP_SELP, PTX_OP_SET, PTX_OP_SETP, PTX_OP_SHF,  PTX_OP_SHL,
        PTX_OP_SHR,  PTX_OP_SLCT,  PTX_OP_SQRT, PTX_OP_SUB, PTX_OP_SUBC, PTX_OP_XOR,  PTX_OP_LG2,
        PTX_OP_EX2,
    };
    for (size_t k = 0; k < sizeof opcodes / sizeof *opcodes; k++)
        if (opcodes[k] == opcode)
            return true;
    return false;
}

/* Returns true if the result may be linear in the operands. Minima and maxima count as linear,
 * because limits_blocks examines them. An `or` also counts, because it joins two tests of signs. */
static bool is_linear(unsigned opcode)
{
    return opcode == PTX_OP_ADD || opcode == PTX_OP_SUB || opcode == PTX_OP_MUL ||
           opcode == PTX_OP_MAD || opcode == PTX_OP_SHL || opcode == PTX_OP_MOV ||
           opcode == PTX_OP_CVT || opcode == PTX_OP_OR || opcode == PTX_OP_MIN ||
           opcode == PTX_OP_MAX;
}

/* Returns true if the loaded parameter is a size. The PTX converts each pointer by cvta. */
static bool loads_size(const struct slice *slice, const struct ptx_instruction *load)
{
    const struct ptx_function *kernel = slice->kernel;
    for (size_t n = 0; n < kernel->instruction_count && ptx_type_bytes(load->types[0]) >= 8; n++) {
        const struct ptx_instruction *i = &kernel->instructions[n];
        if (i->opcode == PTX_OP_CVTA && i->operands[1].index == load->operands[0].index)
            return false;
    }
    return true;
}

static const struct ptx_instruction *writer_of(const struct slice *slice,
                                               const struct ptx_operand *operand)
{
    for (size_t n = 0;
         operand->kind == PTX_OPERAND_REGISTER && n < slice->kernel->instruction_count; n++) {
        const struct ptx_instruction *i = &slice->kernel->instructions[n];
        if (i->operand_count && i->operands[0].kind == PTX_OPERAND_REGISTER &&
            i->operands[0].index == operand->index)
            return i;
    }
    return NULL;
}

/* Returns true for a negative number, or a product with a negative number. */
static bool is_negative(const struct slice *slice, const struct ptx_operand *operand)
{
    const struct ptx_instruction *writer = writer_of(slice, operand);
    if (operand->kind == PTX_OPERAND_INTEGER)
        return operand->integer < 0;
    return writer &&
           (writer->opcode == PTX_OP_NEG ||
            (writer->opcode == PTX_OP_MUL && writer->operands[2].kind == PTX_OPERAND_INTEGER &&
             writer->operands[2].integer < 0));
}

/* Returns true if a number that depends on no size is subtracted from a block index, or the block
 * index from this number. The sign of the difference may limit the index. */
static bool subtracts_limit(const struct slice *slice, const struct ptx_instruction *i)
{
    const bool subtracts = i->opcode == PTX_OP_SUB;
    if (i->operand_count < 3 || !(subtracts || i->opcode == PTX_OP_ADD || i->opcode == PTX_OP_MAD))
        return false;
    for (unsigned k = 1; k <= 2; k++) {
        const struct ptx_operand *limit = &i->operands[k],
                                 *block = &i->operands[i->operand_count == 4 ? 3 : 3 - k];
        if (operand_depends(slice, block) & ON_BLOCK && limit->kind == PTX_OPERAND_REGISTER &&
            !(operand_depends(slice, limit) & (ON_BLOCK | ON_SIZE)) &&
            (subtracts || is_negative(slice, limit) ||
             (i->operand_count == 4 && is_negative(slice, &i->operands[3 - k]))))
            return true;
    }
    return false;
}

static unsigned result_depends(const struct slice *slice, const struct ptx_instruction *i)
{
    const unsigned sources = sources_depend(slice, i);
    if (is_arithmetic(i->opcode))
        return sources |
               (sources & ON_BLOCK && (!is_linear(i->opcode) || subtracts_limit(slice, i)) ? ON_PART
                                                                                           : 0);
    if (i->opcode != PTX_OP_LD || (i->space != PTX_PARAM && i->space != PTX_CONST))
        return ON_OTHERS | (i->opcode == PTX_OP_ATOM ? ON_BLOCK : sources & (ON_BLOCK | ON_PART));
    return sources_depend(slice, i) | (i->space == PTX_PARAM && loads_size(slice, i) ? ON_SIZE : 0);
}

static bool add_depends(const struct slice *slice, const struct ptx_operand *to, unsigned depends)
{
    bool grew = false;
    if (to->kind == PTX_OPERAND_VECTOR)
        for (unsigned k = 0; k < to->vector_count; k++)
            grew |=
                add_depends(slice, &slice->kernel->vector_operands[to->index + (int)k], depends);
    if (to->kind != PTX_OPERAND_REGISTER)
        return grew;
    const int32_t registers[] = {to->index, to->second};
    for (unsigned k = 0; k < 2; k++)
        if (registers[k] >= 0) {
            unsigned char *old = &slice->depends[registers[k]];
            grew |= (*old | depends) != *old;
            *old |= (unsigned char)depends;
        }
    return grew;
}

static bool is_jump(const struct ptx_instruction *i)
{
    return i->opcode == PTX_OP_BRA && !i->guarded;
}

static bool slice_make(struct slice *slice, const struct ptx_function *kernel)
{
    *slice = (struct slice){kernel, calloc(kernel->register_count + 1, 1),
                            calloc(kernel->instruction_count + 1, sizeof *slice->is_target)};
    for (bool grew = slice->depends && slice->is_target; grew;) {
        grew = false;
        for (size_t n = 0; n < kernel->instruction_count; n++) {
            const struct ptx_instruction *i = &kernel->instructions[n];
            for (unsigned k = 0; k < i->operand_count; k++)
                if (i->operands[k].kind == PTX_OPERAND_LABEL && !is_jump(i))
                    slice->is_target[i->operands[k].integer] = true;
            if (i->operand_count)
                grew |= add_depends(slice, &i->operands[0], result_depends(slice, i));
        }
    }
    return slice->depends && slice->is_target;
}

static bool ends_path(const struct ptx_instruction *i)
{
    return i->opcode == PTX_OP_BRA || i->opcode == PTX_OP_RET || i->opcode == PTX_OP_EXIT;
}

enum { NESTED_MOST = 4 };

static bool is_parameter(const struct slice *slice, const struct ptx_operand *operand,
                         unsigned level)
{
    const struct ptx_instruction *writer = writer_of(slice, operand);
    if (!writer || level > NESTED_MOST)
        return false;
    return writer->opcode == PTX_OP_MIN || writer->opcode == PTX_OP_MAX
               ? is_parameter(slice, &writer->operands[1], level + 1) &&
                     is_parameter(slice, &writer->operands[2], level + 1)
               : writer->opcode == PTX_OP_LD && writer->space == PTX_PARAM;
}

/* Returns true for comparisons of sizes with 0 or 1, which are constant at sizes above 1. */
static bool is_constant(const struct slice *slice, const struct ptx_operand *predicate,
                        unsigned level)
{
    const struct ptx_instruction *writer = writer_of(slice, predicate);
    if (!writer || level > NESTED_MOST || writer->operand_count != 3)
        return false;
    if (writer->opcode == PTX_OP_AND || writer->opcode == PTX_OP_OR)
        return is_constant(slice, &writer->operands[1], level + 1) &&
               is_constant(slice, &writer->operands[2], level + 1);
    return writer->opcode == PTX_OP_SETP && writer->operands[2].kind == PTX_OPERAND_INTEGER &&
           writer->operands[2].integer <= 1 && is_parameter(slice, &writer->operands[1], 0);
}

/* Returns true for a predicate that cannot select a kind of size: a comparison of a size with 0 or
 * 1 (loops), or of its remainder by a power of two with 0 (division that rounds up). */
static bool is_plain(const struct slice *slice, int32_t predicate)
{
    enum { MASK_MOST = 1023 };
    const struct ptx_operand operand = {.kind = PTX_OPERAND_REGISTER, .index = predicate};
    const struct ptx_instruction *compare = writer_of(slice, &operand), *mask;
    if (is_constant(slice, &operand, 0))
        return true;
    if (!compare || compare->opcode != PTX_OP_SETP || compare->operand_count != 3 ||
        compare->operands[2].kind != PTX_OPERAND_INTEGER || compare->operands[2].integer)
        return false;
    mask = writer_of(slice, &compare->operands[1]);
    return mask && mask->opcode == PTX_OP_AND && mask->operands[2].kind == PTX_OPERAND_INTEGER &&
           mask->operands[2].integer <= MASK_MOST &&
           !(mask->operands[2].integer & (mask->operands[2].integer + 1)) &&
           is_parameter(slice, &mask->operands[1], 0);
}

/* Returns true if `i` uses a predicate on the size without a branch that shows its results. */
static bool hides_condition(const struct slice *slice, const struct ptx_instruction *i)
{
    const struct ptx_register *registers = slice->kernel->registers;
    const bool mixes = i->opcode == PTX_OP_SELP || sources_depend(slice, i) & ON_OTHERS;
    for (unsigned k = 1; k < i->operand_count; k++)
        if (i->operands[k].kind == PTX_OPERAND_REGISTER && mixes &&
            registers[i->operands[k].index].type == PTX_PRED &&
            slice->depends[i->operands[k].index] == ON_SIZE &&
            !is_plain(slice, i->operands[k].index))
            return true;
    return i->guarded && slice->depends[i->guard] == ON_SIZE && !ends_path(i);
}

/* Returns the first instruction of the loop that ends with the branch `at`; 0 if there is no loop,
 * or if another jump enters it. */
static uint32_t loop_start(const struct ptx_function *kernel, uint32_t at)
{
    const struct ptx_instruction *branch = &kernel->instructions[at];
    const int64_t start = branch->opcode == PTX_OP_BRA ? branch->operands[0].integer : 0;
    if (start <= 0 || start > (int64_t)at || kernel->instructions[start - 1].guarded ||
        ends_path(&kernel->instructions[start - 1]))
        return 0;
    for (size_t n = 0; n < kernel->instruction_count; n++)
        for (unsigned k = 0; k < kernel->instructions[n].operand_count; k++)
            if (n != at && kernel->instructions[n].operands[k].kind == PTX_OPERAND_LABEL &&
                kernel->instructions[n].operands[k].integer == start)
                return 0;
    return (uint32_t)start;
}

/* Returns true if a comparison may limit the index of a block, or a size, by a number that depends
 * on no size. find_limits in measure_sizes.c finds limits that are constants. Comparisons of a
 * linear function of the index with 1, 0 or less are no limits: they test for the first row. */
static bool limits_blocks(const struct slice *slice, const struct ptx_instruction *i)
{
    const bool selects = i->opcode == PTX_OP_MIN || i->opcode == PTX_OP_MAX;
    if ((i->opcode != PTX_OP_SETP && i->opcode != PTX_OP_SET && !selects) || i->operand_count < 3)
        return false;
    for (unsigned k = 1; k <= 2; k++) {
        const struct ptx_operand *bound = &i->operands[3 - k];
        const unsigned value = operand_depends(slice, &i->operands[k]),
                       other = operand_depends(slice, bound);
        const bool is_constant = bound->kind == PTX_OPERAND_INTEGER;
        if ((value & ON_BLOCK && !(other & ON_SIZE) &&
             (!is_constant || value & ON_PART || bound->integer > 1)) ||
            (selects && value & ON_SIZE && !other && !is_constant))
            return true;
    }
    return false;
}

static void find_conditions(struct measure_conditions *conditions,
                            const struct ptx_function *kernel)
{
    struct slice slice;
    conditions->is_known = slice_make(&slice, kernel);
    for (size_t n = 0; conditions->is_known && n < kernel->instruction_count; n++) {
        const struct ptx_instruction *i = &kernel->instructions[n];
        const bool is_condition = ends_path(i) && i->guarded &&
                                  slice.depends[i->guard] == ON_SIZE && !is_plain(&slice, i->guard);
        conditions->limits_blocks |= limits_blocks(&slice, i);
        const uint32_t loop = is_condition ? loop_start(kernel, (uint32_t)n) : 0;
        if (is_condition && (loop || !slice.is_target[n + 1]) &&
            n + 1 < kernel->instruction_count && conditions->count < MEASURE_CONDITIONS)
            conditions->list[conditions->count++] =
                (struct measure_condition){.at = (uint32_t)n, .loop = loop};
        else
            conditions->is_hidden |= is_condition || hides_condition(&slice, i);
    }
    free(slice.depends);
    free(slice.is_target);
}

static uint64_t executed_after(const struct ptx_function *kernel,
                               const struct instruction_stats *stats, uint32_t at)
{
    uint64_t jumps = 0;
    for (size_t n = 0; n < kernel->instruction_count; n++)
        if (is_jump(&kernel->instructions[n]) && kernel->instructions[n].operands[0].integer == at)
            jumps += stats[n].executed;
    return stats[at].executed > jumps ? stats[at].executed - jumps : 0;
}

void measure_conditions_note(struct measure_work *work, const struct emulator_launch *launch,
                             const struct emulator_result *result)
{
    struct measure_conditions *conditions = &work->conditions;
    const struct ptx_function *kernel = &launch->program->module->functions[launch->function];
    const struct instruction_stats *stats =
        result->stats + launch->program->functions[launch->function].stats_base;
    if (conditions->is_closed)
        return;
    if (!conditions->is_known)
        find_conditions(conditions, kernel);
    for (unsigned i = 0; i < conditions->count; i++) {
        struct measure_condition *condition = &conditions->list[i];
        const uint64_t before = stats[condition->at].executed,
                       after = executed_after(kernel, stats, condition->at + 1);
        if (condition->loop) {
            const uint64_t entries = stats[condition->loop - 1].executed;
            condition->was_true |= stats[condition->loop].executed > entries;
            condition->was_false |= entries;
            continue;
        }
        condition->was_true |= after < before;
        condition->was_false |= after;
    }
}

bool measure_conditions_open(const struct measure_work *work, uint32_t *line)
{
    const struct measure_conditions *conditions = &work->conditions;
    for (unsigned i = 0; i < conditions->count; i++) {
        const struct measure_condition *condition = &conditions->list[i];
        const int32_t at = work->source.kernel->instructions[condition->at].location;
        if (condition->was_true == condition->was_false)
            continue;
        *line = at < 0 ? 0 : work->source.module.locations[at].line;
        return true;
    }
    *line = 0;
    return conditions->is_hidden;
}
