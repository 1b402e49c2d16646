/* alu_select.c: from a PTX instruction to the handler that carries it out.
 *
 * Theory of operation. The instruction's opcode, types and set of modifiers are looked up in the
 * table of the best instruction set that this processor has (alu_vector.c), then among the operations that
 * exist once (alu_scalar.c), then as a conversion. Everything runs when a kernel is decoded, none
 * of it when it executes.
 *
 * The environment variable TLAB_ISA (generic, avx2, avx512) lowers the choice, for tests and for
 * finding out what vector instructions gain.
 */
#include "emulator/alu/alu_lanes.h"

#include <stdlib.h>

/* --- Instruction sets --------------------------------------------------------------------- */

static const struct isa {
    const char *name;
    bool (*select)(const struct alu_query *, struct alu_operation *);
    bool (*extract)(unsigned, unsigned, unsigned, struct alu_operation *);
    bool (*insert)(unsigned, unsigned, unsigned, struct alu_operation *);
} isas[ALU_ISA_COUNT] = {
    [ALU_ISA_GENERIC] = {"generic", alu_select_generic, alu_select_extract_generic,
                         alu_select_insert_generic},
#ifdef __x86_64__
    [ALU_ISA_AVX2] = {"avx2", alu_select_avx2, alu_select_extract_avx2, alu_select_insert_avx2},
    [ALU_ISA_AVX512] = {"avx512", alu_select_avx512, alu_select_extract_avx512,
                        alu_select_insert_avx512},
#endif
};

bool alu_isa_available(enum alu_isa isa)
{
#ifdef __x86_64__
    __builtin_cpu_init();
    bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (isa == ALU_ISA_AVX2)
        return avx2;
    if (isa == ALU_ISA_AVX512)
        return avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#endif
    return isa == ALU_ISA_GENERIC;
}

/* The best available set, not above the one that TLAB_ISA names (an unknown name is ignored). */
static enum alu_isa isa_choose(void)
{
    const char *wanted = getenv("TLAB_ISA");
    enum alu_isa isa = ALU_ISA_COUNT - 1;
    for (unsigned i = 0; wanted && i < ALU_ISA_COUNT; i++)
        if (isas[i].name && strcmp(wanted, isas[i].name) == 0)
            isa = (enum alu_isa)i;
    while (!alu_isa_available(isa))
        isa--;
    return isa;
}

/* --- Look-up ------------------------------------------------------------------------------ */

static const struct {
    uint16_t ptx; /* enum ptx_modifier */
    uint64_t bit;
} known_modifiers[] = {
#define X(id) {PTX_MOD_##id, M(id)},
    ALU_MODIFIER_LIST(X)
#undef X
};

/* False for an instruction with a modifier or a number of types that no arithmetic has. */
static bool query_fill(const struct ptx_instruction *instruction, struct alu_query *query)
{
    *query = (struct alu_query){.opcode = instruction->opcode};
    if (instruction->type_count > 2 || instruction->modifier_count > PTX_MAX_MODIFIERS)
        return false;
    for (unsigned i = 0; i < instruction->type_count; i++)
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

bool alu_isa_select(enum alu_isa isa, const struct ptx_instruction *instruction,
                    struct alu_operation *operation)
{
    struct alu_query query;
    return query_fill(instruction, &query) &&
           (isas[isa].select(&query, operation) || alu_select_scalar(&query, operation));
}

bool alu_isa_select_extract(enum alu_isa isa, unsigned whole_bytes, unsigned part_bytes,
                            unsigned part, struct alu_operation *operation)
{
    return isas[isa].extract(whole_bytes, part_bytes, part, operation);
}

bool alu_isa_select_insert(enum alu_isa isa, unsigned whole_bytes, unsigned part_bytes,
                           unsigned part, struct alu_operation *operation)
{
    return isas[isa].insert(whole_bytes, part_bytes, part, operation);
}

bool alu_select(const struct ptx_instruction *instruction, struct alu_operation *operation)
{
    return alu_isa_select(isa_choose(), instruction, operation);
}

bool alu_select_extract(unsigned whole_bytes, unsigned part_bytes, unsigned part,
                        struct alu_operation *operation)
{
    return alu_isa_select_extract(isa_choose(), whole_bytes, part_bytes, part, operation);
}

bool alu_select_insert(unsigned whole_bytes, unsigned part_bytes, unsigned part,
                       struct alu_operation *operation)
{
    return alu_isa_select_insert(isa_choose(), whole_bytes, part_bytes, part, operation);
}
