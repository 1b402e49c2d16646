/* ptx_fuzz.c: parse any bytes as a PTX module, decode the module and locate its instructions. */
#include "emulator/decode/simt_decode.h"
#include "tools/fuzz/fuzz.h"
#include "tools/fuzz/ptx_mutator.h"

enum { LOCATED_MAX = 256 };

static void decode(const struct ptx_module *module)
{
    struct failure failure = {0};
    struct guest_memory memory;
    struct program program;
    char text[256];
    memory_init(&memory);
    bool decoded = program_create(module, &memory, &program, &failure);
    fuzz_demand_student(decoded, &failure);
    for (size_t f = 0; decoded && f < module->function_count; f++)
        for (size_t i = 0; i < module->functions[f].instruction_count && i < LOCATED_MAX; i++)
            program_locate(&program, (int)f, (uint32_t)i, text, sizeof text);
    program_free(&program);
    memory_free(&memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ptx_module module;
    struct failure failure = {0};
    bool parsed = ptx_parse((const char *)data, size, "fuzz.ptx", &module, &failure);
    fuzz_demand_student(parsed, &failure);
    FUZZ_DEMAND(parsed || strncmp(failure.text, "fuzz.ptx:", 9) == 0, "no line: %s", failure.text);
    if (parsed) {
        decode(&module);
        ptx_module_free(&module);
    }
    return 0;
}
