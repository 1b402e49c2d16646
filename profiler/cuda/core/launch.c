#include "cuda/core/launch.h"

#include "cuda/core/array.h"
#include "cuda/core/checker.h"
#include "cuda/core/runtime.h"
#include "cuda/core/snapshot.h"
#include "record/record_emulated.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

unsigned char *launch_copy_params(const struct launch *launch)
{
    size_t bytes = kernel_code(launch->kernel)->kernel_params_bytes;
    unsigned char *params = runtime_allocate(bytes + 1, 1);
    memcpy(params, launch->params, bytes);
    return params;
}

void **launch_arguments(const struct launch *launch)
{
    const struct program_function *function = kernel_code(launch->kernel);
    size_t count = function->source->parameter_count;
    void **arguments = runtime_allocate(count + 1, sizeof *arguments);
    for (size_t i = 0; i < count; i++)
        arguments[i] = launch->params + function->parameter_offsets[i];
    return arguments;
}

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

/* Fill and return a new row; NULL if the report is full. The count of launches is written last,
 * because 0 marks an incomplete row. */
static struct runtime_row *write_row(const struct launch *launch,
                                     const struct emulator_launch *emulated,
                                     const struct emulator_result *result,
                                     const struct failure *wrong, bool is_counted)
{
    uint32_t number = __atomic_fetch_add(&runtime.report->rows_used, 1, __ATOMIC_RELAXED);
    if (number >= RECORDS_MAX)
        return NULL;
    struct runtime_row *row = &runtime.report->rows[number];
    struct record *record = &row->record;
    record_clear(record);
    record_set_text(record, COLUMN_lab, "-");
    record_set_text(record, COLUMN_kernel, "%s", launch->kernel->name);
    record_emulated_device(record, runtime.device);
    record_set_text(record, COLUMN_loop, "launch");
    record_emulated_shape(record, emulated, result);
    if (is_counted && emulated->model_memory)
        record_emulated_counters(record, emulated, result, 1);
    record_set_verdict(record, wrong);
    record_set_count(record, COLUMN_repeats, 1);
    __atomic_store_n(&row->launches, 1, __ATOMIC_RELEASE);
    return row;
}

static int error_of(const struct failure *wrong)
{
    if (failure_has(wrong, FINDING_ASSERTION_FAILED))
        return ERROR_Assert;
    switch (wrong->status) {
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

static void name_kernel(struct failure *wrong, const struct kernel *kernel)
{
    char *at = strstr(wrong->text, kernel->symbol);
    if (!at)
        return;
    char rest[sizeof wrong->text];
    snprintf(rest, sizeof rest, "%s", at + strlen(kernel->symbol));
    snprintf(at, sizeof wrong->text - (size_t)(at - wrong->text), "%s%s", kernel->name, rest);
}

static void report_failure(const struct failure *wrong)
{
    __atomic_fetch_add(&runtime.report->wrong, 1, __ATOMIC_RELAXED);
    fflush(stdout);
    fprintf(stderr, "tlab: %s: %s\n", status_name(wrong->status), wrong->text);
}

static int check_opt_in(const struct launch *launch)
{
    if (launch->dynamic_shared <= launch->kernel->dynamic_shared_max ||
        kernel_static_shared(launch->kernel) + launch->dynamic_shared <=
            runtime.device->shared_per_block)
        return 0;
    runtime_note(
        "%s: the launch requests %llu bytes of dynamic shared memory. If static and dynamic shared "
        "memory exceed %llu bytes together, first call "
        "cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes)",
        launch->kernel->name, (unsigned long long)launch->dynamic_shared,
        (unsigned long long)runtime.device->shared_per_block);
    return ERROR_InvalidValue;
}

/* True if an array is partially initialized. Later launches may read its other elements. */
static bool has_gaps;

static void define_set(struct memory_region *region, const struct ranges *set)
{
    for (size_t i = 0; i < set->count && region->starts_undefined; i++)
        memory_define(region, set->items[i].begin, set->items[i].end);
}

/* Mark the written bytes as initialized. If they are unknown, mark the whole region. */
static void define_written(const struct region_touch *touched)
{
    for (unsigned i = 0; i < runtime.memory.count; i++) {
        struct memory_region *region = &runtime.memory.regions[i];
        if (!touched[i].may_be_written || !region->starts_undefined)
            continue;
        if (!touched[i].is_known)
            memory_define(region, 0, region->bytes);
        define_set(region, &touched[i].written);
        define_set(region, &touched[i].strongly_written);
        has_gaps |= region->starts_undefined;
    }
}

static void forget_unchanged(struct region_touch *touched, const struct snapshot *before)
{
    for (unsigned i = 0; i < runtime.memory.count; i++) {
        const struct memory_region *region = &runtime.memory.regions[i];
        struct ranges *written = &touched[i].written;
        bool is_same = !region->starts_undefined && !region->is_guard;
        for (size_t k = 0; k < written->count && is_same; k++)
            is_same = !snapshot_differs(before, i, written->items[k].begin, written->items[k].end);
        if (is_same)
            ranges_free(written);
    }
}

/* Run communicating blocks in reverse order, then undo the launch. If a lock lacks a fence, a race
 * is found only in the block that acquires the lock later. In reverse order, a different block
 * acquires the lock later. Findings other than races are ignored. Returns false if memory is not
 * restored. */
static bool run_reversed(const struct emulator_launch *emulated, struct snapshot *before,
                         struct failure *race)
{
    struct emulator_launch reversed = *emulated;
    struct emulator_result result = {0};
    reversed.reversed = true;
    reversed.model_memory = false;
    reversed.output = NULL;
    reversed.touched = NULL;
    reversed.block_budget = EMULATOR_BLOCK_BUDGET;
    reversed.grid_budget = 8 * EMULATOR_BLOCK_BUDGET;
    emulator_run(&reversed, &result, race);
    free(result.stats);
    if (race->kind != FAILURE_STUDENT || race->status != STATUS_RACE)
        *race = (struct failure){0};
    if (!snapshot_is_whole(before))
        return false;
    snapshot_restore(before);
    return true;
}

/* Run a launch. Hardware does not detect races, uninitialized values or lanes outside a mask. A
 * launch with one of these findings is repeated from its start without checks, so that the program
 * continues as on hardware. *ended becomes true if the kernel ran to completion. */
static void run_checked(const struct kernel *kernel, struct emulator_launch *emulated,
                        struct emulator_result *result, struct failure *wrong, bool *ended)
{
    char *printed = NULL;
    size_t length = 0;
    struct snapshot *before = emulated->mode == LAUNCH_CHECK ? snapshot_take() : NULL;
    FILE *shown = emulated->output;
    struct failure race = {0};
    if (before && !emulated->grid_workspace &&
        program_communicates(emulated->program, emulated->function) == COMMUNICATES_ACROSS_BLOCKS &&
        !run_reversed(emulated, before, &race)) {
        snapshot_free(before);
        failure_harness(wrong, "not enough memory to check the launch in a second order of blocks");
        *ended = false;
        return;
    }
    if (before)
        emulated->output = open_memstream(&printed, &length);
    *ended = emulator_run(emulated, result, wrong);
    if (emulated->output && emulated->output != shown)
        fclose(emulated->output);
    emulated->output = shown;
    bool hardware_continues =
        wrong->kind == FAILURE_STUDENT &&
        (wrong->status == STATUS_RACE || wrong->status == STATUS_UNINITIALISED ||
         failure_has(wrong, FINDING_LANE_NOT_IN_MASK));
    if (before && !*ended && hardware_continues && snapshot_is_whole(before)) {
        struct failure again = {0};
        free(result->stats);
        snapshot_restore(before);
        emulated->mode = LAUNCH_COUNT;
        *ended = emulator_run(emulated, result, &again);
        if (!*ended)
            *wrong = again;
    } else if (printed) {
        fwrite(printed, 1, length, shown);
    }
    fflush(shown);
    free(printed);
    if (before && *ended && snapshot_end(before)) {
        if (runtime.checker)
            runtime.checker->launch_wrote(kernel, before);
        forget_unchanged(emulated->touched, before);
    }
    snapshot_free(before);
    if (*ended && wrong->kind == FAILURE_NONE && race.kind != FAILURE_NONE)
        *wrong = race;
    if (*ended && wrong->kind == FAILURE_NONE && result->later_race.kind != FAILURE_NONE)
        *wrong = result->later_race;
}

static void run_and_record(const struct launch *launch, struct emulator_launch *emulated,
                           struct kernel_shape *shape)
{
    struct failure wrong = {0};
    struct emulator_result result = {0};
    bool ended;
    run_checked(launch->kernel, emulated, &result, &wrong, &ended);
    name_kernel(&wrong, launch->kernel);
    if (wrong.kind == FAILURE_HARNESS) {
        runtime_trouble("%s", wrong.text);
        runtime.pending = ERROR_MemoryAllocation;
    } else {
        if (wrong.kind != FAILURE_NONE)
            report_failure(&wrong);
        if (ended && emulated->model_memory)
            shape->time_us = result.timing.time_us;
        if (emulated->model_memory || wrong.kind != FAILURE_NONE) {
            struct runtime_row *row = write_row(launch, emulated, &result, &wrong, ended);
            if (!shape->row)
                shape->row = row;
        }
        if (!ended)
            runtime.pending = error_of(&wrong);
    }
    free(result.stats);
    define_written(emulated->touched);
}

/* Set *address to two words for grid.sync(): the size of both in bytes, and the barrier. */
static int make_workspace(uint64_t *address)
{
    static struct allocation *workspace;
    const uint32_t words[2] = {sizeof words, 0};
    if (!workspace || heap_find(workspace->base) != workspace) {
        int error = heap_allocate(HEAP_MANAGED, sizeof words, &workspace);
        if (error)
            return error;
    }
    memcpy(workspace->host, words, sizeof words);
    *address = workspace->base;
    return 0;
}

static int check_cooperative(const struct emulator_launch *emulated)
{
    const struct dimensions *block = &emulated->block, *grid = &emulated->grid;
    uint64_t shared =
        program_shared_bytes(emulated->program, emulated->function) + emulated->dynamic_shared;
    uint64_t resident =
        device_resident_blocks(runtime.device, block->x * block->y * block->z, shared, 0);
    return (uint64_t)grid->x * grid->y * grid->z > resident * runtime.device->multiprocessors
               ? ERROR_CooperativeLaunchTooLarge
               : 0;
}

/* The first CHECKED_LAUNCHES launches of each configuration are checked. FIRST_CHECKED_BYTES is the
 * larger limit of checked global memory, for the first launch or while an array is partially
 * initialized. */
enum { CHECKED_LAUNCHES = 3, FIRST_CHECKED_BYTES = 16 << 20 };

/* A block that executes more warp instructions than this limit counts as an endless loop. */
enum { BLOCK_BUDGET = 1000 * 1000 * 1000 };

static enum launch_mode mode_of(const struct kernel_shape *shape)
{
    const struct runtime_report *report = runtime.report;
    uint64_t before = report->all_launches ? 0 : shape->launches;
    if (!report->unchecked && before < CHECKED_LAUNCHES)
        return LAUNCH_CHECK;
    return before ? LAUNCH_COMPUTE : LAUNCH_COUNT;
}

int launch_run(const struct launch *launch, struct stream *stream)
{
    struct runtime_report *report = runtime.report;
    struct kernel_shape *shape = find_shape(launch);
    struct emulator_launch emulated = {
        .program = &launch->kernel->module->program,
        .function = launch->kernel->function,
        .grid = launch->grid,
        .block = launch->block,
        .dynamic_shared = launch->dynamic_shared,
        .params = launch->params,
        .memory = &runtime.memory,
        .device = runtime.device,
        .workers = (unsigned)(report->workers ? report->workers : 1),
        .model_memory = !shape->launches || report->all_launches,
        .mode = mode_of(shape),
        .checked_bytes = shape->launches && !has_gaps ? 0 : FIRST_CHECKED_BYTES,
        .checks_parts = !shape->launches,
        .block_budget = BLOCK_BUDGET,
        .output = stdout,
    };
    emulated.textures = object_table(&emulated.texture_count);
    struct failure wrong = {0};
    int error = check_opt_in(launch);
    if (error)
        return error;
    if (!emulator_check_launch(&emulated, &wrong)) {
        if (wrong.kind == FAILURE_HARNESS) {
            runtime_trouble("%s", wrong.text);
            return ERROR_MemoryAllocation;
        }
        struct emulator_result nothing = {.shared_bytes = launch->dynamic_shared};
        report_failure(&wrong);
        write_row(launch, &emulated, &nothing, &wrong, false);
        return wrong.status == STATUS_UNSUPPORTED ? error_of(&wrong) : ERROR_InvalidConfiguration;
    }
    if (launch->is_cooperative) {
        error = check_cooperative(&emulated);
        if (!error)
            error = make_workspace(&emulated.grid_workspace);
        if (error)
            return error;
    }
    if (!program_map_heap(&launch->kernel->module->program, &wrong)) {
        runtime_trouble("%s", wrong.text);
        return ERROR_MemoryAllocation;
    }
    shape->launches++;
    if (shape->launches > 1 && !report->all_launches && shape->row)
        __atomic_fetch_add(&shape->row->launches, 1, __ATOMIC_RELAXED);
    const unsigned regions = runtime.memory.count;
    emulated.touched = runtime_allocate(regions, sizeof *emulated.touched);
    emulated.keeps_reads = runtime.checker && runtime.checker->needs_reads();
    run_and_record(launch, &emulated, shape);
    timeline_work(stream, ENGINE_KERNEL, shape->time_us);
    if (runtime.checker)
        runtime.checker->launch_ended(launch->kernel, emulated.touched, regions, shape->row,
                                      stream);
    for (unsigned i = 0; i < regions; i++)
        region_touch_free(&emulated.touched[i]);
    free(emulated.touched);
    return 0;
}
