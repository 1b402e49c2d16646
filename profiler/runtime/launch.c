#include "runtime/launch.h"

#include "run/record_emulated.h"
#include "runtime/runtime.h"

#include <stdlib.h>
#include <string.h>

/* ---- Arguments ---- */

int launch_pack(struct launch *launch, void *const *arguments)
{
    const struct program *program = module_program(launch->kernel->module);
    const struct program_function *function = &program->functions[launch->kernel->function];
    const struct ptx_function *source = function->source;
    launch->params = runtime_allocate(function->kernel_params_bytes + 1, 1);
    if (source->parameter_count && !arguments)
        return ERROR_InvalidValue;
    for (size_t i = 0; i < source->parameter_count; i++) {
        if (!arguments[i])
            return ERROR_InvalidValue;
        memcpy(launch->params + function->parameter_offsets[i], arguments[i],
               source->parameters[i].bytes);
    }
    return 0;
}

void launch_free(struct launch *launch)
{
    free(launch->params);
    launch->params = NULL;
}

/* ---- Records ---- */

static struct kernel_shape *find_shape(const struct launch *launch)
{
    struct kernel *kernel = launch->kernel;
    for (struct kernel_shape *at = kernel->shapes; at; at = at->next)
        if (!memcmp(&at->grid, &launch->grid, sizeof at->grid) &&
            !memcmp(&at->block, &launch->block, sizeof at->block) &&
            at->dynamic_shared == launch->dynamic_shared)
            return at;
    struct kernel_shape *shape = runtime_allocate(1, sizeof *shape);
    *shape = (struct kernel_shape){.next = kernel->shapes,
                                   .grid = launch->grid,
                                   .block = launch->block,
                                   .dynamic_shared = launch->dynamic_shared};
    return kernel->shapes = shape;
}

static struct runtime_row *take_row(void)
{
    uint32_t number = __atomic_fetch_add(&runtime.report->rows_used, 1, __ATOMIC_RELAXED);
    return number < RECORDS_MAX ? &runtime.report->rows[number] : NULL;
}

/* Fill a row; `launches` last, because that is what makes it count. */
static void write_row(struct runtime_row *row, const struct launch *launch,
                      const struct emulator_launch *emulated, const struct emulator_result *result,
                      const struct failure *wrong)
{
    struct record *record = &row->record;
    record_clear(record);
    record_set_text(record, COLUMN_lab, "-");
    record_set_text(record, COLUMN_kernel, "%s", launch->kernel->name);
    record_emulated_device(record, runtime.device);
    record_set_text(record, COLUMN_loop, "launch");
    record_emulated_shape(record, emulated, result);
    if (wrong->kind == FAILURE_NONE)
        record_emulated_counters(record, emulated, result, 1);
    record_set_text(record, COLUMN_status, "%s", status_name(wrong->status));
    record_set_text(record, COLUMN_reason, "%s", wrong->text);
    record_set_count(record, COLUMN_repeats, 1);
    __atomic_store_n(&row->launches, 1, __ATOMIC_RELEASE);
}

/* ---- The launch ---- */

/* The error by which CUDA reports such a mistake of a kernel; where the hardware sees none, a launch
 * failure, because the kernel was stopped there. */
static int error_of(enum status status)
{
    switch (status) {
    case STATUS_OUT_OF_BOUNDS:
        return ERROR_IllegalAddress;
    case STATUS_MISALIGNED:
        return ERROR_MisalignedAddress;
    case STATUS_TIMEOUT:
    case STATUS_DEADLOCK:
        return ERROR_LaunchTimeout;
    case STATUS_UNSUPPORTED:
        return ERROR_NotSupported;
    default:
        return ERROR_LaunchFailure;
    }
}

static void tell(const struct failure *wrong)
{
    __atomic_fetch_add(&runtime.report->wrong, 1, __ATOMIC_RELAXED);
    fflush(stdout);
    fprintf(stderr, "tlab: %s: %s\n", status_name(wrong->status), wrong->text);
}

/* 48 KB of shared memory and no more, unless the program asked for it before. */
static int check_opt_in(const struct launch *launch)
{
    uint64_t fixed =
        program_shared_bytes(module_program(launch->kernel->module), launch->kernel->function);
    uint64_t limit = launch->kernel->dynamic_shared_max;
    if (launch->dynamic_shared <= limit ||
        fixed + launch->dynamic_shared <= runtime.device->shared_per_block)
        return 0;
    runtime_note("%s is launched with %llu bytes of dynamic shared memory: more than %llu together "
                 "with static arrays need "
                 "cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes)",
                 launch->kernel->name, (unsigned long long)launch->dynamic_shared,
                 (unsigned long long)runtime.device->shared_per_block);
    return ERROR_InvalidValue;
}

static void define_all(void)
{
    for (unsigned i = 0; i < runtime.memory.count; i++)
        runtime.memory.regions[i].starts_undefined = false;
}

/* Run it, and leave the first row of its shape, or one for each launch. */
static int run_and_record(const struct launch *launch, struct emulator_launch *emulated,
                          struct kernel_shape *shape)
{
    struct failure wrong = {0};
    struct emulator_result result = {0};
    bool good = emulator_run(emulated, &result, &wrong);
    bool ended = good;
    if (good && result.later_race.kind != FAILURE_NONE) {
        wrong = result.later_race;
        good = false;
    }
    fflush(stdout);
    if (wrong.kind == FAILURE_HARNESS) {
        free(result.stats);
        runtime_trouble("%s", wrong.text);
        runtime.pending = ERROR_MemoryAllocation;
        return 0;
    }
    if (!good)
        tell(&wrong);
    if (emulated->model_memory)
        shape->time_us = result.timing.time_us;
    if (emulated->model_memory || !good) {
        struct runtime_row *row = take_row();
        if (row)
            write_row(row, launch, emulated, &result, &wrong);
        if (!shape->row)
            shape->row = row;
    }
    free(result.stats);
    if (!ended)
        runtime.pending = error_of(wrong.status);
    define_all();
    return 0;
}

int launch_run(const struct launch *launch, struct stream *stream)
{
    struct runtime_report *report = runtime.report;
    struct kernel_shape *shape = find_shape(launch);
    struct emulator_launch emulated = {
        .program = module_program(launch->kernel->module),
        .function = launch->kernel->function,
        .grid = launch->grid,
        .block = launch->block,
        .dynamic_shared = launch->dynamic_shared,
        .params = launch->params,
        .memory = &runtime.memory,
        .device = runtime.device,
        .workers = (unsigned)(report->workers ? report->workers : 1),
        .model_memory = !shape->launches || report->all_launches,
        .unchecked = report->unchecked,
        .output = stdout,
    };
    struct failure wrong = {0};
    int error = check_opt_in(launch);
    if (error)
        return error;
    if (!emulator_check_launch(&emulated, &wrong)) {
        struct emulator_result nothing = {.shared_bytes = launch->dynamic_shared};
        struct runtime_row *row = take_row();
        tell(&wrong);
        if (row)
            write_row(row, launch, &emulated, &nothing, &wrong);
        return ERROR_InvalidConfiguration;
    }
    shape->launches++;
    if (shape->launches > 1 && !report->all_launches && shape->row)
        __atomic_fetch_add(&shape->row->launches, 1, __ATOMIC_RELAXED);
    error = run_and_record(launch, &emulated, shape);
    timeline_work(stream, ENGINE_KERNEL, shape->time_us);
    return error;
}
