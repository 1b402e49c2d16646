#include "emulator/tlab.h"

#include "emulator/emulator.h"

#include <stdlib.h>
#include <string.h>

struct tlab_device {
    struct device device;
};

struct tlab_module {
    const struct device *device;
    struct ptx_module ptx;
    struct guest_memory memory;
    struct program program;
    bool is_parsed, has_program;
    char *name;
    struct emulator_result result;
    struct array {
        struct array *next;
        uint64_t base;
        unsigned char *bytes;
        char *name;
    } * arrays;
};

static const struct {
    enum status status;
    const char *name;
} statuses[] = {
    [TLAB_OK] = {STATUS_OK, "ok"},
    [TLAB_COMPILE_ERROR] = {STATUS_COMPILE_ERROR, "compile-error"},
    [TLAB_LAUNCH_ERROR] = {STATUS_LAUNCH_ERROR, "launch-error"},
    [TLAB_OUT_OF_BOUNDS] = {STATUS_OUT_OF_BOUNDS, "out-of-bounds"},
    [TLAB_MISALIGNED] = {STATUS_MISALIGNED, "misaligned"},
    [TLAB_RACE] = {STATUS_RACE, "race"},
    [TLAB_UNINITIALIZED] = {STATUS_UNINITIALISED, "uninitialized"},
    [TLAB_DEADLOCK] = {STATUS_DEADLOCK, "deadlock"},
    [TLAB_TIMEOUT] = {STATUS_TIMEOUT, "timeout"},
    [TLAB_UNSUPPORTED] = {STATUS_UNSUPPORTED, "unsupported"},
    [TLAB_FAILED] = {STATUS_COUNT, "failed"},
};

const char *tlab_status_name(enum tlab_status status)
{
    return (unsigned)status <= TLAB_FAILED ? statuses[status].name : "";
}

static enum tlab_status report(const struct failure *failure, struct tlab_error *error)
{
    unsigned status = failure->kind == FAILURE_NONE ? TLAB_OK : TLAB_FAILED;
    for (unsigned i = TLAB_OK + 1; failure->kind == FAILURE_STUDENT && i < TLAB_FAILED; i++)
        if (statuses[i].status == failure->status)
            status = i;
    if (error) {
        *error = (struct tlab_error){.status = (enum tlab_status)status, .finding = ""};
        error->line = failure->line;
        if (failure->findings.count)
            error->finding = finding_name(failure->findings.list[0].id);
        snprintf(error->text, sizeof error->text, "%s", failure->text);
    }
    return (enum tlab_status)status;
}

tlab_device *tlab_device_open(const char *directory, const char *name, struct tlab_error *error)
{
    struct failure failure = {0};
    tlab_device *device = calloc(1, sizeof *device);
    bool good = device ? (directory ? device_find(directory, name, &device->device, &failure)
                                    : device_read(name, &device->device, &failure))
                       : failure_harness(&failure, "not enough memory");
    report(&failure, error);
    if (good)
        return device;
    free(device);
    return NULL;
}

void tlab_device_close(tlab_device *device)
{
    free(device);
}

tlab_module *tlab_module_open(const tlab_device *device, const char *ptx, size_t length,
                              const char *name, struct tlab_error *error)
{
    struct failure failure = {0};
    tlab_module *module = calloc(1, sizeof *module);
    if (module) {
        module->device = &device->device;
        module->name = strdup(name);
        memory_init(&module->memory);
        module->is_parsed =
            module->name && ptx_parse(ptx, length, module->name, &module->ptx, &failure);
        module->has_program = module->is_parsed && program_create(&module->ptx, &module->memory,
                                                                  &module->program, &failure);
    }
    bool good = module && module->has_program;
    if (!good && failure.kind == FAILURE_NONE)
        failure_harness(&failure, "not enough memory");
    report(&failure, error);
    if (good)
        return module;
    tlab_module_close(module);
    return NULL;
}

static void array_free(struct array *array)
{
    free(array->bytes);
    free(array->name);
    free(array);
}

void tlab_module_close(tlab_module *module)
{
    if (!module)
        return;
    for (struct array *array = module->arrays, *next; array; array = next) {
        next = array->next;
        array_free(array);
    }
    free(module->result.stats);
    if (module->has_program)
        program_free(&module->program);
    memory_free(&module->memory);
    if (module->is_parsed)
        ptx_module_free(&module->ptx);
    free(module->name);
    free(module);
}

int tlab_kernel(const tlab_module *module, const char *name)
{
    return program_find_entry(&module->program, name);
}

size_t tlab_params_bytes(const tlab_module *module, int kernel)
{
    return kernel < 0 ? 0 : module->program.functions[kernel].kernel_params_bytes;
}

uint64_t tlab_allocate(tlab_module *module, size_t bytes, const char *name)
{
    struct array *array = calloc(1, sizeof *array);
    void *host = NULL;
    struct memory_region *region = NULL;
    if (array && bytes && !posix_memalign(&host, 64, bytes)) {
        array->bytes = memset(host, 0, bytes);
        array->name = strdup(name);
        module->memory.next += GUEST_GUARD_BYTES; /* Accesses between arrays are out of bounds. */
        if (array->name)
            region = memory_map(&module->memory, array->bytes, bytes, 256, array->name);
    }
    if (!region) {
        if (array)
            array_free(array);
        return 0;
    }
    region->starts_undefined = true;
    array->base = region->base;
    array->next = module->arrays;
    module->arrays = array;
    return array->base;
}

int tlab_free(tlab_module *module, uint64_t address)
{
    struct array **place = &module->arrays, *array;
    while (*place && (*place)->base != address)
        place = &(*place)->next;
    array = *place;
    if (!array)
        return 0;
    memory_unmap(&module->memory, address);
    *place = array->next;
    array_free(array);
    return 1;
}

static struct memory_region *find_region(const tlab_module *module, uint64_t address, size_t count)
{
    const struct memory_region *found = memory_find(&module->memory, address);
    if (!found || found->bytes - (address - found->base) < count)
        return NULL;
    return &module->memory.regions[found - module->memory.regions];
}

enum tlab_status tlab_write(tlab_module *module, uint64_t address, const void *bytes, size_t count)
{
    struct memory_region *region = find_region(module, address, count);
    if (!region)
        return TLAB_OUT_OF_BOUNDS;
    memcpy(region->host + (address - region->base), bytes, count);
    memory_define(region, address - region->base, address - region->base + count);
    return TLAB_OK;
}

enum tlab_status tlab_read(const tlab_module *module, uint64_t address, void *bytes, size_t count)
{
    const struct memory_region *region = find_region(module, address, count);
    if (!region)
        return TLAB_OUT_OF_BOUNDS;
    memcpy(bytes, region->host + (address - region->base), count);
    return TLAB_OK;
}

enum tlab_status tlab_launch(tlab_module *module, int kernel, const struct tlab_shape *shape,
                             const void *params, enum tlab_mode mode, struct tlab_error *error)
{
    static const enum launch_mode modes[] = {LAUNCH_CHECK, LAUNCH_COUNT, LAUNCH_COMPUTE};
    struct failure failure = {0};
    struct region_touch *touched = calloc(module->memory.count + 1, sizeof *touched);
    bool good = touched && kernel >= 0;
    free(module->result.stats);
    module->result = (struct emulator_result){0};
    if (!good)
        failure_harness(&failure, touched ? "the module has no kernel with this number"
                                          : "not enough memory");
    struct emulator_launch launch = {
        .program = &module->program,
        .function = kernel,
        .grid = {shape->grid[0], shape->grid[1], shape->grid[2]},
        .block = {shape->block[0], shape->block[1], shape->block[2]},
        .dynamic_shared = shape->dynamic_shared,
        .params = params,
        .memory = &module->memory,
        .device = module->device,
        .workers = shape->workers ? shape->workers : 1,
        .mode = modes[mode],
        .model_memory = mode != TLAB_COMPUTE,
        .grid_budget = shape->budget,
        .touched = touched,
    };
    good = good && emulator_run(&launch, &module->result, &failure);
    if (good)
        failure_pass(&failure, &module->result.later_race);
    /* Arrays that the kernel may have written count as initialized in later launches. */
    for (unsigned i = 0; touched && i < module->memory.count; i++) {
        if (!good || touched[i].may_be_written)
            memory_define(&module->memory.regions[i], 0, module->memory.regions[i].bytes);
        region_touch_free(&touched[i]);
    }
    free(touched);
    if (failure.kind != FAILURE_NONE) {
        free(module->result.stats);
        module->result = (struct emulator_result){0};
    }
    return report(&failure, error);
}

static const struct {
    const char *name;
    size_t offset;
} counters[] = {
#define X(field) {#field, offsetof(struct counters, field)},
    COUNTER_LIST(X)
#undef X
};

const char *tlab_counter_name(unsigned number)
{
    return number < sizeof counters / sizeof *counters ? counters[number].name : NULL;
}

int tlab_counter(const tlab_module *module, const char *name, uint64_t *value)
{
    for (size_t i = 0; i < sizeof counters / sizeof *counters; i++)
        if (!strcmp(counters[i].name, name)) {
            memcpy(value, (const char *)&module->result.counters + counters[i].offset,
                   sizeof *value);
            return 1;
        }
    return 0;
}

double tlab_time_us(const tlab_module *module, const char **limit)
{
    if (limit)
        *limit = module->result.explanation;
    return module->result.timing.time_us;
}
