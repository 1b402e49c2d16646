/* alu_select.c: find the handler that executes a PTX instruction. */
#include "emulator/alu/alu_lanes.h"

#include <stdlib.h>

static const struct isa {
    const char *name;
    bool (*select)(const struct alu_query *, struct alu_operation *);
    bool (*select_part)(bool, unsigned, unsigned, unsigned, struct alu_operation *);
} isas[ALU_ISA_COUNT] = {
    [ALU_ISA_GENERIC] = {"generic", alu_select_generic, alu_select_part_generic},
#ifdef __x86_64__
    [ALU_ISA_AVX2] = {"avx2", alu_select_avx2, alu_select_part_avx2},
    [ALU_ISA_AVX512] = {"avx512", alu_select_avx512, alu_select_part_avx512},
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

/* Returns the best available instruction set, limited by the environment variable TLAB_ISA
 * (generic, avx2 or avx512). An unknown name is ignored. */
static enum alu_isa isa_choose(void)
{
    const char *requested = getenv("TLAB_ISA");
    enum alu_isa isa = ALU_ISA_COUNT - 1;
    for (unsigned i = 0; requested && i < ALU_ISA_COUNT; i++)
        if (isas[i].name && strcmp(requested, isas[i].name) == 0)
            isa = (enum alu_isa)i;
    while (!alu_isa_available(isa))
        isa--;
    return isa;
}

bool alu_isa_select(enum alu_isa isa, const struct ptx_instruction *instruction,
                    struct alu_operation *operation)
{
    struct alu_query query;
    return alu_select_video(instruction, operation) ||
           (alu_query_fill(instruction, &query) &&
            (isas[isa].select(&query, operation) || alu_select_scalar(&query, operation)));
}

bool alu_isa_select_part(enum alu_isa isa, bool insert, unsigned whole_bytes, unsigned part_bytes,
                         unsigned part, struct alu_operation *operation)
{
    return isas[isa].select_part(insert, whole_bytes, part_bytes, part, operation);
}

bool alu_select(const struct ptx_instruction *instruction, struct alu_operation *operation)
{
    return alu_isa_select(isa_choose(), instruction, operation);
}

bool alu_select_part(bool insert, unsigned whole_bytes, unsigned part_bytes, unsigned part,
                     struct alu_operation *operation)
{
    return alu_isa_select_part(isa_choose(), insert, whole_bytes, part_bytes, part, operation);
}
