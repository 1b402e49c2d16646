#include "emulator/decode/address_origins.h"

#include "emulator/decode/simt_allocate.h"

#include <stdlib.h>

/* Origin of a value: not yet found, a number that is not an address, several origins, or an address
 * in variable number v (FIRST + v). */
enum { UNSEEN, NUMBER, ANYTHING, FIRST };

struct search {
    const struct program *program;
    const struct ptx_function *function;
    uint32_t *origins;
    uint32_t sources;
    bool is_sum; /* True if the result is the sum of the sources, false if it is one source. */
    bool grew;
};

static uint32_t either(uint32_t a, uint32_t b)
{
    return a == UNSEEN || a == b ? b : b == UNSEEN ? a : ANYTHING;
}

static uint32_t sum(uint32_t a, uint32_t b)
{
    return a <= NUMBER && b <= NUMBER ? (a > b ? a : b)
           : a <= NUMBER              ? b
           : b <= NUMBER              ? a
                                      : ANYTHING;
}

static void add_source(struct search *search, uint32_t origin)
{
    search->sources = (search->is_sum ? sum : either)(search->sources, origin);
}

static void visit_source(void *context, int32_t number, bool is_write)
{
    struct search *search = context;
    if (!is_write)
        add_source(search, search->origins[number]);
}

static void visit_destination(void *context, int32_t number, bool is_write)
{
    struct search *search = context;
    uint32_t origin = either(search->origins[number], search->sources);
    if (!is_write || origin == search->origins[number])
        return;
    search->origins[number] = origin;
    search->grew = true;
}

static uint32_t origin_of(const struct search *search, const struct ptx_operand *operand)
{
    size_t before =
        operand->scope == PTX_SCOPE_FUNCTION ? search->program->module->variable_count : 0;
    return operand->scope > PTX_SCOPE_FUNCTION
               ? ANYTHING
               : (uint32_t)(FIRST + before + (size_t)operand->index);
}

static uint32_t result_of(struct search *search, const struct ptx_instruction *instruction)
{
    struct ptx_instruction bare = *instruction;
    bare.guarded = false; /* A lane without a write retains the old value and its origin. */
    const uint16_t opcode = instruction->opcode;
    search->sources = UNSEEN;
    search->is_sum = opcode != PTX_OP_SELP && opcode != PTX_OP_MIN && opcode != PTX_OP_MAX;
    if (opcode == PTX_OP_LD || opcode == PTX_OP_LDU || opcode == PTX_OP_ATOM)
        return NUMBER; /* Assume that the value is not an address. */
    for (unsigned i = 1; i < bare.operand_count; i++) {
        if (bare.operands[i].kind == PTX_OPERAND_VARIABLE)
            add_source(search, origin_of(search, &bare.operands[i]));
        else if (bare.operands[i].kind != PTX_OPERAND_REGISTER)
            add_source(search, NUMBER);
    }
    registers_visit(search->function, &bare, visit_source, search);
    switch (opcode) {
    case PTX_OP_ADD:
    case PTX_OP_SUB:
    case PTX_OP_MOV:
    case PTX_OP_CVT:
    case PTX_OP_CVTA:
    case PTX_OP_MAD:
    case PTX_OP_SELP:
    case PTX_OP_MIN:
    case PTX_OP_MAX:
        return search->sources;
    default:
        return search->sources <= NUMBER ? NUMBER : ANYTHING;
    }
}

static bool variable_place(const struct program *program, int function, uint32_t origin,
                           struct address_origin *place)
{
    const struct ptx_module *module = program->module;
    const struct ptx_function *source = &module->functions[function];
    size_t index = origin - FIRST;
    bool is_own = index >= module->variable_count;
    const struct ptx_variable *variable =
        is_own ? &source->variables[index - module->variable_count] : &module->variables[index];
    *place = (struct address_origin){variable, 0, UINT64_MAX};
    if (variable->space == PTX_SHARED && variable->is_extern)
        place->begin = program->dynamic_shared;
    else if (is_own && variable->space == PTX_SHARED)
        place->begin =
            program->functions[function].variable_offsets[index - module->variable_count];
    else if (!is_own)
        place->begin = program->variables[index];
    else
        return false;
    if (!variable->is_extern)
        place->end = place->begin + variable->bytes;
    return place->begin != UINT64_MAX && (variable->space == PTX_SHARED || variable->bytes);
}

static bool is_access(const struct ptx_instruction *instruction)
{
    return instruction->opcode == PTX_OP_LD || instruction->opcode == PTX_OP_ST ||
           instruction->opcode == PTX_OP_ATOM || instruction->opcode == PTX_OP_RED;
}

static void take_places(const struct search *search, int function, struct address_origin *origins)
{
    for (size_t i = 0; i < search->function->instruction_count; i++) {
        const struct ptx_instruction *instruction = &search->function->instructions[i];
        for (unsigned o = 0; o < instruction->operand_count; o++) {
            const struct ptx_operand *operand = &instruction->operands[o];
            uint32_t origin = UNSEEN;
            if (operand->kind != PTX_OPERAND_ADDRESS || !is_access(instruction))
                continue;
            if (operand->address_kind == PTX_OPERAND_REGISTER)
                origin = search->origins[operand->index];
            else if (operand->address_kind == PTX_OPERAND_VARIABLE)
                origin = origin_of(search, operand);
            if (origin < FIRST || !variable_place(search->program, function, origin, &origins[i]))
                origins[i].variable = NULL;
        }
    }
}

bool address_origins_find(const struct program *program, int function,
                          struct address_origin *origins)
{
    const struct ptx_function *source = &program->module->functions[function];
    struct search search = {.program = program, .function = source, .grew = true};
    search.origins = calloc(source->register_count + 1, sizeof *search.origins);
    while (search.origins && search.grew) {
        search.grew = false;
        for (size_t i = 0; i < source->instruction_count; i++) {
            search.sources = result_of(&search, &source->instructions[i]);
            registers_visit(source, &source->instructions[i], visit_destination, &search);
        }
    }
    if (search.origins)
        take_places(&search, function, origins);
    free(search.origins);
    return search.origins;
}
