/* simt_fuzz.c: run kernels of a module, which must end correctly or with a student failure. */
#include "emulator/emulator.h"
#include "tools/fuzz/fuzz.h"
#include "tools/fuzz/ptx_mutator.h"

enum {
    ELEMENTS = 1024,
    PARAMS_BYTES = 4096,
    BLOCK_BUDGET = 20000,
    KERNELS_MAX = 4,
    VARIABLES_MAX = 1 << 20 /* Larger variables are slow. */
};

static uint32_t arrays[2][ELEMENTS] __attribute__((aligned(64)));
static unsigned char guards[3][GUEST_GUARD_BYTES] __attribute__((aligned(64)));

static uint64_t map(struct guest_memory *memory, void *bytes, size_t size, const char *name)
{
    struct memory_region *region = memory_map(memory, bytes, size, GUEST_GUARD_BYTES, name);
    FUZZ_DEMAND(region != NULL, "%s", name);
    region->is_guard = strcmp(name, "guard") == 0;
    region->starts_undefined = strcmp(name, "out") == 0;
    if (!region->is_guard)
        region->element_bytes = sizeof arrays[0][0];
    return region->base;
}

static void lay_out(struct guest_memory *memory, unsigned char *params)
{
    uint64_t bases[2];
    const uint32_t number = 33;
    memory_init(memory);
    for (size_t i = 0; i < ELEMENTS; i++)
        arrays[1][i] = (uint32_t)(i * 7 % 100);
    memset(arrays[0], 0, sizeof arrays[0]);
    memset(params, 0, PARAMS_BYTES);
    for (int i = 0; i < 2; i++) {
        map(memory, guards[i], sizeof guards[i], "guard");
        bases[i] = map(memory, arrays[i], sizeof arrays[i], i ? "in" : "out");
    }
    map(memory, guards[2], sizeof guards[2], "guard");
    memcpy(params, bases, sizeof bases);
    for (size_t at = sizeof bases; at < 64; at += sizeof number)
        memcpy(params + at, &number, sizeof number);
}

static void launch_kernel(const struct ptx_module *module, size_t function,
                          const struct device *device)
{
    _Alignas(64) static unsigned char params[PARAMS_BYTES];
    struct guest_memory memory;
    struct program program;
    struct failure failure = {0};
    lay_out(&memory, params);
    bool good = program_create(module, &memory, &program, &failure);
    if (good && program.functions[function].kernel_params_bytes <= PARAMS_BYTES) {
        const struct emulator_launch launch = {
            .program = &program,
            .function = (int)function,
            .grid = {2, 1, 1},
            .block = {64, 1, 1},
            .dynamic_shared = 4096,
            .params = params,
            .memory = &memory,
            .device = device,
            .workers = 1,
            .model_memory = true,
            .block_budget = BLOCK_BUDGET,
        };
        struct emulator_result result;
        good = emulator_run(&launch, &result, &failure);
        FUZZ_DEMAND(good || failure.status != STATUS_UNSUPPORTED ||
                        strpbrk(failure.text, "0123456789") != NULL,
                    "no line: %s", failure.text);
        free(result.stats);
    }
    fuzz_demand_student(good, &failure);
    program_free(&program);
    memory_free(&memory);
}

static bool is_small(const struct ptx_module *module)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < module->variable_count; i++)
        bytes += module->variables[i].bytes;
    for (size_t f = 0; f < module->function_count; f++)
        for (size_t i = 0; i < module->functions[f].variable_count; i++)
            bytes += module->functions[f].variables[i].bytes;
    return bytes <= VARIABLES_MAX;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct device device;
    struct ptx_module module;
    struct failure failure = {0};
    if (!device.name[0])
        FUZZ_DEMAND(device_read(TLAB_ROOT "/profiler/devices/h200.conf", &device, &failure), "%s",
                    failure.text);
    if (!ptx_parse((const char *)data, size, "fuzz.ptx", &module, &failure))
        return 0;
    unsigned kernels = is_small(&module) ? 0 : KERNELS_MAX;
    for (size_t f = 0; f < module.function_count; f++)
        if (module.functions[f].is_entry && !module.functions[f].is_declaration &&
            kernels++ < KERNELS_MAX)
            launch_kernel(&module, f, &device);
    ptx_module_free(&module);
    return 0;
}
