/* alu_query.c: make a query from an instruction, and search a table of operations for it. */
#include "emulator/alu/alu_lanes.h"

static const struct {
    uint16_t ptx;
    uint64_t bit;
} known_modifiers[] = {
#define X(id) {PTX_MOD_##id, M(id)},
    ALU_MODIFIER_LIST(X)
#undef X
};

bool alu_query_fill(const struct ptx_instruction *instruction, struct alu_query *query)
{
    *query = (struct alu_query){.opcode = instruction->opcode};
    bool packs = instruction->opcode == PTX_OP_CVT && instruction->type_count == 3 &&
                 instruction->types[2] == PTX_B32 && ptx_has(instruction, PTX_MOD_PACK);
    if (instruction->type_count > (packs ? 3 : 2) ||
        instruction->modifier_count > PTX_MAX_MODIFIERS)
        return false;
    for (unsigned i = 0; i < instruction->type_count && i < 2; i++)
        query->types[i] = instruction->types[i];
    for (unsigned i = 0; i < instruction->modifier_count; i++) {
        uint64_t bit = 0;
        for (size_t k = 0; k < ROW_COUNT(known_modifiers); k++)
            if (known_modifiers[k].ptx == instruction->modifiers[i])
                bit = known_modifiers[k].bit;
        if (bit == 0 || (query->modifiers & bit))
            return false;
        query->modifiers |= bit;
    }
    return true;
}

uint32_t alu_control(uint64_t modifiers)
{
    static const struct {
        uint64_t modifier;
        uint32_t control;
    } bits[] = {
        {M(FTZ), ALU_CONTROL_FTZ},
        {M(SAT), ALU_CONTROL_SAT},
        {M(SATFINITE), ALU_CONTROL_FINITE},
        {M(RELU), ALU_CONTROL_RELU},
        {M(NAN), ALU_CONTROL_NAN},
        {M(XORSIGN), ALU_CONTROL_XORSIGN},
        {M(RNA), ALU_CONTROL_AWAY},
        {M(RZ), ROUND_ZERO},
        {M(RM), ROUND_DOWN},
        {M(RP), ROUND_UP},
        {M(RNI), ALU_CONTROL_INTEGRAL},
        {M(RZI), ALU_CONTROL_INTEGRAL | ROUND_ZERO},
        {M(RMI), ALU_CONTROL_INTEGRAL | ROUND_DOWN},
        {M(RPI), ALU_CONTROL_INTEGRAL | ROUND_UP},
    };
    uint32_t control = 0;
    for (size_t i = 0; i < ROW_COUNT(bits); i++)
        if (modifiers & bits[i].modifier)
            control |= bits[i].control;
    return control;
}

uint32_t alu_combine(uint64_t modifiers, uint8_t *source_count)
{
    uint32_t combine = modifiers & M(AND)   ? ALU_COMBINE_AND
                       : modifiers & M(OR)  ? ALU_COMBINE_OR
                       : modifiers & M(XOR) ? ALU_COMBINE_XOR
                                            : ALU_COMBINE_NONE;
    if (combine != ALU_COMBINE_NONE)
        *source_count = 3;
    return combine;
}

uint32_t alu_convert_control(const struct alu_query *query)
{
    enum ptx_type to = query->types[0], from = query->types[1];
    if (query->opcode == PTX_OP_MOV) {
        unsigned bytes = ptx_type_bytes(to);
        to = from = bytes == 2 ? PTX_U16 : bytes == 4 ? PTX_U32 : PTX_U64;
    }
    return alu_control(query->modifiers) | (uint32_t)to << ALU_CONTROL_TO |
           (uint32_t)from << ALU_CONTROL_FROM;
}

bool alu_rows_find(const struct alu_row *rows, size_t count, const struct alu_query *query,
                   struct alu_operation *operation)
{
    for (size_t i = 0; i < count; i++) {
        const struct alu_row *row = &rows[i];
        bool second =
            row->types2 ? row->types2 >> query->types[1] & 1 : query->types[1] == PTX_NONE;
        if (row->opcode != query->opcode || !(row->types >> query->types[0] & 1) || !second ||
            (query->modifiers & ~row->optional) != row->required)
            continue;
        *operation = (struct alu_operation){
            .handler = row->handler,
            .control = row->any_stride ? alu_convert_control(query) : alu_control(query->modifiers),
            .source_count = row->source_count,
            .destination_type = row->destination,
            .any_stride = row->any_stride};
        for (unsigned k = 0; k < row->source_count; k++)
            operation->source_type[k] = row->source[k];
        return true;
    }
    return false;
}
