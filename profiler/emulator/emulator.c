#include "emulator/emulator.h"

#include "emulator/sinks/atomics.h"
#include "emulator/sinks/check.h"
#include "emulator/time/timing_code.h"
#include "emulator/warp/simt_state.h"
#include "process/machine_code.h"
#include "process/parallel.h"

#include <inttypes.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    ORDERED_QUANTUM = 20000,
    COOPERATIVE_QUANTUM = 256, /* Warp instructions of a block's turn, with grid.sync(). */
    BLOCK_COST = 100,
    RETAINED_BYTES = 64 << 20,
    FILLING_LINES = 64, /* Minimum stored bytes of a filling block, in lines (watch_order). */
    OUTPUT_LIMIT = 1 << 20,
    OUTPUT_LINE_BYTES = 100, /* Number of bytes without a newline that count as a line. */
};

struct slot {
    char *output;
    size_t output_length;
};

struct block_lines {
    uint64_t loads, first, last; /* Number of load runs; first and last stored line. */
    uint64_t bytes;
};

struct run_state {
    const struct emulator_launch *launch;
    struct simt_run run;
    struct check_plan checks;
    struct code code;
    struct code waits; /* Result of code_read_waits. Empty if the kernel reads no clock. */
    uint64_t longest_cycles;
    struct hierarchy *hierarchy; /* NULL if memory is not modelled. */
    struct atomics atomics;
    struct pieces *pieces; /* NULL if scattered pages do not affect the device's time. */
    struct slot *slots;
    struct trace *traces;
    uint64_t slot_count;
    uint64_t block_total, grid_budget;
    uint64_t wave_first, wave_blocks;
    struct worker *workers;
    unsigned worker_count, started;
    unsigned parts, sms;
    pthread_barrier_t gate;
    pthread_mutex_t lock; /* Protects first_fault and failure. */
    uint64_t next_block, next_sm;
    uint64_t first_fault;   /* Lowest number of a block that faulted, or UINT64_MAX. */
    struct failure failure; /* Failure of block first_fault. */
    bool finished;
    bool is_serial;
    size_t output_total;
    uint64_t output_lines;
    unsigned output_column;
    uint64_t executed;
    uint64_t blocks_run; /* Number of blocks that ran. 0 if blocks communicate. */
    uint64_t active_blocks, continuing_blocks, filling_blocks;
    uint64_t (*places)[2];
    /* Last active block. `loads` is 1 if the block stored, else 0. */
    struct block_lines last_stored;
};

struct worker {
    struct run_state *state;
    unsigned index;
    struct simt_block *block;
    struct instruction_stats *stats;
    uint64_t *executed;
    struct counters counters;
    uint64_t busiest;
    pthread_t thread;
};

bool emulator_check_launch(const struct emulator_launch *launch, struct failure *failure)
{
    const struct device *device = launch->device;
    const struct ptx_function *source = launch->program->functions[launch->function].source;
    const struct {
        const char *name;
        uint64_t value, limit;
    } checks[] = {
        {"blockDim.x", launch->block.x, device->max_block_x},
        {"blockDim.y", launch->block.y, device->max_block_y},
        {"blockDim.z", launch->block.z, device->max_block_z},
        {"gridDim.x", launch->grid.x, device->max_grid_x},
        {"gridDim.y", launch->grid.y, device->max_grid_y},
        {"gridDim.z", launch->grid.z, device->max_grid_z},
    };
    for (unsigned i = 0; i < sizeof checks / sizeof *checks; i++) {
        if (!checks[i].value)
            return failure_student(failure, STATUS_LAUNCH_ERROR,
                                   "the launch has %s = 0; this value must be at least 1",
                                   checks[i].name);
        if (checks[i].value > checks[i].limit)
            return failure_student(failure, STATUS_LAUNCH_ERROR,
                                   "the launch has %s = %" PRIu64 "; %s allows at most %" PRIu64,
                                   checks[i].name, checks[i].value, device->title, checks[i].limit);
    }
    uint64_t threads = (uint64_t)launch->block.x * launch->block.y * launch->block.z;
    if (threads > device->max_threads_per_block)
        return failure_student(failure, STATUS_LAUNCH_ERROR,
                               "a block of %u x %u x %u has %" PRIu64
                               " threads; %s allows at most %" PRIu64,
                               launch->block.x, launch->block.y, launch->block.z, threads,
                               device->title, device->max_threads_per_block);
    if (source->max_threads && threads > source->max_threads)
        return failure_student(failure, STATUS_LAUNCH_ERROR,
                               "a block has %" PRIu64
                               " threads, but the kernel declares at most %u (__launch_bounds__)",
                               threads, source->max_threads);
    const uint32_t *required = source->required_block;
    if (required[0] && (required[0] != launch->block.x || required[1] != launch->block.y ||
                        required[2] != launch->block.z))
        return failure_student(failure, STATUS_LAUNCH_ERROR,
                               "a block is %u x %u x %u, but the kernel requires %u x %u x %u",
                               launch->block.x, launch->block.y, launch->block.z, required[0],
                               required[1], required[2]);
    uint64_t fixed = program_shared_bytes(launch->program, launch->function);
    if (fixed > device->shared_per_block)
        return failure_student(failure, STATUS_LAUNCH_ERROR,
                               "the kernel declares %" PRIu64
                               " bytes of shared memory; %s allows at most %" PRIu64
                               " (use dynamic shared memory for more)",
                               fixed, device->title, device->shared_per_block);
    if (fixed > device->shared_per_block_optin ||
        launch->dynamic_shared > device->shared_per_block_optin - fixed)
        return failure_student(
            failure, STATUS_LAUNCH_ERROR,
            "a block needs %" PRIu64 " bytes of static and %" PRIu64
            " bytes of dynamic shared memory; %s allows at most %" PRIu64 " bytes in total",
            fixed, launch->dynamic_shared, device->title, device->shared_per_block_optin);
    if (!device_resident_blocks(device, (unsigned)threads, fixed + launch->dynamic_shared, 0))
        return failure_student(failure, STATUS_LAUNCH_ERROR,
                               "a block of %" PRIu64 " threads with %" PRIu64
                               " bytes of shared memory does not fit on an SM of %s",
                               threads, fixed + launch->dynamic_shared, device->title);
    return program_suits(launch->program, launch->function, device, failure);
}

static uint64_t first_fault(const struct run_state *state)
{
    return __atomic_load_n(&state->first_fault, __ATOMIC_RELAXED);
}

static void record_fault(struct run_state *state, uint64_t number, const struct failure *failure)
{
    pthread_mutex_lock(&state->lock);
    if (number < state->first_fault || failure->kind == FAILURE_HARNESS) {
        if (number < state->first_fault)
            __atomic_store_n(&state->first_fault, number, __ATOMIC_RELAXED);
        if (state->failure.kind != FAILURE_HARNESS)
            state->failure = *failure;
    }
    pthread_mutex_unlock(&state->lock);
}

static void fail_no_memory(struct run_state *state)
{
    struct failure failure = {0};
    failure_harness(&failure, "not enough memory to emulate the grid");
    record_fault(state, 0, &failure);
}

static void fail_budget(struct run_state *state, uint64_t number, uint64_t executed)
{
    struct failure failure = {0};
    failure_student(&failure, STATUS_TIMEOUT,
                    "the kernel is still running after %" PRIu64 " warp instructions of %" PRIu64
                    " block%s. Check for an endless loop",
                    executed, number, number == 1 ? "" : "s");
    record_fault(state, number, &failure);
}

static void save_results(struct run_state *state, struct simt_block *block, uint64_t index)
{
    struct slot *slot = &state->slots[index];
    uint64_t cycles = simt_block_cycles(block);
    uint64_t longest = __atomic_load_n(&state->longest_cycles, __ATOMIC_RELAXED);
    while (cycles > longest &&
           !__atomic_compare_exchange_n(&state->longest_cycles, &longest, cycles, false,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
    struct trace *trace = &block->trace, old = state->traces[index];
    state->traces[index] = *trace;
    *trace = (struct trace){.runs = old.runs, .capacity = old.capacity};
    if (!block->output_length || !state->launch->output)
        return;
    slot->output = malloc(block->output_length);
    if (!slot->output) {
        fail_no_memory(state);
        return;
    }
    memcpy(slot->output, block->output, block->output_length);
    slot->output_length = block->output_length;
}

static bool start_block(struct run_state *state, struct simt_block *block, uint64_t index)
{
    if (block)
        simt_block_start(block, state->wave_first + index, (unsigned)(index % state->sms));
    else
        fail_no_memory(state);
    return block;
}

/* Run block `index` of the wave. A single worker checks the budget of the grid after each block.
 * Several workers check it after the wave, so that no result depends on their speed. */
static void run_block(struct worker *worker, uint64_t index)
{
    struct run_state *state = worker->state;
    uint64_t number = state->wave_first + index;
    if (!start_block(state, worker->block, index))
        return;
    if (simt_block_run(worker->block, UINT64_MAX / 2) == SIMT_FAULT)
        record_fault(state, number, &worker->block->failure);
    uint64_t executed = worker->block->counters.warp_instructions;
    if (worker->block->executed > worker->busiest)
        worker->busiest = worker->block->executed;
    if (state->started == 1 && executed > state->grid_budget)
        fail_budget(state, number + 1, executed);
    save_results(state, worker->block, index);
}

static void retire_block(struct worker *worker, struct simt_block *block)
{
    if (!worker->block) {
        worker->block = block;
        return;
    }
    counters_add(&worker->counters, &block->counters);
    simt_block_free(block);
}

static struct simt_block *take_block(struct worker *worker)
{
    struct simt_block *block = worker->block;
    worker->block = NULL;
    return block ? block : simt_block_create(&worker->state->run, worker->stats, worker->executed);
}

/* Run one turn of a block. Returns true at the block's end. */
static bool run_turn(struct run_state *state, struct simt_block *block, uint64_t index,
                     uint64_t *executed)
{
    uint64_t before = block->executed;
    enum simt_outcome outcome = simt_block_run(
        block, state->launch->grid_workspace ? COOPERATIVE_QUANTUM : ORDERED_QUANTUM);
    *executed += block->executed - before;
    if (*executed > state->grid_budget) {
        fail_budget(state, state->wave_first + index, *executed);
        return false;
    }
    if (outcome == SIMT_FAULT)
        record_fault(state, state->wave_first + index, &block->failure);
    if (outcome != SIMT_MORE)
        save_results(state, block, index);
    return outcome != SIMT_MORE;
}

static void run_ordered(struct worker *worker)
{
    struct run_state *state = worker->state;
    struct simt_block **blocks = calloc(state->wave_blocks, sizeof *blocks);
    uint64_t *spent = calloc(state->wave_blocks, sizeof *spent); /* Instructions of each block. */
    uint64_t left = state->wave_blocks;
    uint64_t executed = __atomic_load_n(&state->executed, __ATOMIC_RELAXED);
    if (!blocks || !spent)
        fail_no_memory(state);
    for (bool first = true; left && first_fault(state) == UINT64_MAX; first = false)
        for (uint64_t n = 0; n < state->wave_blocks && first_fault(state) == UINT64_MAX; n++) {
            uint64_t i = state->launch->reversed ? state->wave_blocks - 1 - n : n;
            if (first && !start_block(state, blocks[i] = take_block(worker), i))
                break;
            const uint64_t before = executed;
            const bool ended = blocks[i] && run_turn(state, blocks[i], i, &executed);
            spent[i] += executed - before;
            worker->busiest = spent[i] > worker->busiest ? spent[i] : worker->busiest;
            if (!ended)
                continue;
            left--;
            retire_block(worker, blocks[i]);
            blocks[i] = NULL;
        }
    for (uint64_t i = 0; blocks && i < state->wave_blocks; i++)
        if (blocks[i])
            retire_block(worker, blocks[i]);
    free(blocks);
    free(spent);
}

/* Every sample includes the last block, because a kernel may fail only there. */
static bool is_in_sample(const struct emulator_launch *launch, uint64_t number)
{
    enum { SHARE_BITS = 3 };
    uint64_t bits = launch->sample ^ (number + 1) * UINT64_C(0x9e3779b97f4a7c15);
    bits = (bits ^ bits >> 32) * UINT64_C(0xd6e8feb86659fd93);
    return !launch->sample || !(bits >> (64 - SHARE_BITS)) ||
           number + 1 == (uint64_t)launch->grid.x * launch->grid.y * launch->grid.z;
}

static void phase_execute(struct worker *worker)
{
    struct run_state *state = worker->state;
    if (state->run.is_ordered) {
        if (worker->index == 0)
            run_ordered(worker);
        return;
    }
    while (worker->index == 0 || !state->is_serial) {
        uint64_t index = __atomic_fetch_add(&state->next_block, 1, __ATOMIC_RELAXED);
        if (index >= state->wave_blocks || state->wave_first + index > first_fault(state))
            return;
        if (!is_in_sample(state->launch, state->wave_first + index))
            continue;
        __atomic_fetch_add(&state->blocks_run, 1, __ATOMIC_RELAXED);
        run_block(worker, index);
    }
}

static void phase_l1(struct worker *worker)
{
    struct run_state *state = worker->state;
    while (true) {
        uint64_t sm = __atomic_fetch_add(&state->next_sm, 1, __ATOMIC_RELAXED);
        if (sm >= state->sms)
            return;
        if (!hierarchy_l1(state->hierarchy, (unsigned)sm, state->traces, state->wave_blocks))
            fail_no_memory(state);
    }
}

static void phase_l2(struct worker *worker)
{
    struct run_state *state = worker->state;
    for (unsigned part = worker->index; part < state->parts; part += state->started)
        if (!hierarchy_l2(state->hierarchy, part, state->traces, state->wave_blocks) ||
            (state->pieces && !pieces_add(state->pieces, part, state->traces, state->wave_blocks)))
            fail_no_memory(state);
}

static size_t output_admit(struct run_state *state, const char *text, size_t length)
{
    const unsigned lines = state->launch->output_lines;
    size_t admitted = 0;
    for (size_t i = 0; i < length; i++) {
        if ((!lines || state->output_lines < lines) && state->output_total < OUTPUT_LIMIT) {
            state->output_total++;
            admitted++;
        }
        bool ends = text[i] == '\n' || ++state->output_column == OUTPUT_LINE_BYTES;
        state->output_lines += ends;
        if (ends)
            state->output_column = 0;
    }
    return admitted;
}

static void print_slot(struct run_state *state, const struct slot *slot)
{
    bool was_full = state->output_total == OUTPUT_LIMIT;
    fwrite(slot->output, 1, output_admit(state, slot->output, slot->output_length),
           state->launch->output);
    if (!was_full && state->output_total == OUTPUT_LIMIT)
        fputs("\n(further output of printf is discarded)\n", state->launch->output);
}

static void print_output(struct run_state *state)
{
    FILE *output = state->launch->output;
    for (uint64_t i = 0; i < state->wave_blocks; i++) {
        struct slot *slot = &state->slots[i];
        /* Ignore blocks after the first fault: the workers' speed determines whether they run. */
        bool counts = state->wave_first + i <= first_fault(state);
        if (counts && slot->output && output)
            print_slot(state, slot);
        free(slot->output);
        slot->output = NULL;
        slot->output_length = 0;
    }
}

static bool is_load(trace_run run)
{
    const enum access_kind kind = run_kind(run);
    return kind != ACCESS_STORE && kind != ACCESS_MERGED && kind != ACCESS_COLUMN &&
           kind != ACCESS_ATOMIC;
}

static struct block_lines lines_of_block(const struct trace *trace)
{
    struct block_lines lines = {0, UINT64_MAX, 0, 0};
    for (size_t i = 0; i < trace->count; i++) {
        const trace_run run = trace->runs[i];
        uint64_t line = run_line(run), last = line;
        if (run_kind(run) == ACCESS_COLUMN) {
            last = (run_address(run) + (LANES - 1) * run_address(trace->runs[i + 1])) >> LINE_SHIFT;
            i += COLUMN_WORDS - 1;
        }
        lines.loads += is_load(run);
        if (is_load(run))
            continue;
        lines.bytes += run_kind(run) == ACCESS_COLUMN ? 4 * LANES : run_length(run);
        lines.first = line < lines.first ? line : lines.first;
        lines.last = last > lines.last ? last : lines.last;
    }
    return lines;
}

/* Returns the line of the median load in program order, because a few distant loads do not change
 * the median. If the block has no loads, returns the first line that the block stores. */
static uint64_t place_of_block(const struct trace *trace, const struct block_lines *lines)
{
    uint64_t loads = 0;
    for (size_t i = 0; lines->loads && i < trace->count; i++) {
        if (run_kind(trace->runs[i]) == ACCESS_COLUMN)
            i += COLUMN_WORDS - 1;
        else if (is_load(trace->runs[i]) && ++loads > lines->loads / 2)
            return run_line(trace->runs[i]);
    }
    return lines->first;
}

/* Returns true if the ranges of stored lines touch, or if they overlap and their first lines are at
 * most SHIFT_MOST lines apart. */
static bool continues(const struct block_lines *before, const struct block_lines *lines)
{
    enum { SHIFT_MOST = 32 };
    const uint64_t shift =
        lines->first > before->first ? lines->first - before->first : before->first - lines->first;
    return shift <= SHIFT_MOST
               ? lines->first <= before->last + 1 && lines->last + 1 >= before->first
               : lines->first - before->last + 1 <= 2 || before->first - lines->last + 1 <= 2;
}

/* Count the continuing and filling blocks of a wave, and record the place of each active block. A
 * filling block stores at least the bytes of FILLING_LINES lines, and more than 2/5 of the range of
 * its stores. So the next block, which runs at the same time, stores to distant lines. */
static void watch_order(struct run_state *state)
{
    for (uint64_t i = 0; i < state->wave_blocks && state->places; i++) {
        const struct trace *trace = &state->traces[i];
        if (!trace->count)
            continue;
        const struct block_lines lines = lines_of_block(trace);
        const bool stores = lines.first <= lines.last;
        state->continuing_blocks +=
            stores && state->last_stored.loads && continues(&state->last_stored, &lines);
        const uint64_t range = (lines.last - lines.first + 1) << LINE_SHIFT;
        state->filling_blocks += stores && lines.bytes >= (uint64_t)FILLING_LINES << LINE_SHIFT &&
                                 lines.bytes > range / 5 * 2;
        state->last_stored = (struct block_lines){stores, lines.first, lines.last, lines.bytes};
        state->places[state->active_blocks][1] = state->active_blocks;
        state->places[state->active_blocks++][0] = place_of_block(trace, &lines);
    }
}

static int compare_places(const void *a, const void *b)
{
    const uint64_t *one = a, *other = b;
    return one[0] != other[0] ? (one[0] > other[0]) - (one[0] < other[0])
                              : (one[1] > other[1]) - (one[1] < other[1]);
}

/* Returns the number of blocks with different ranks by place and by number. The median difference
 * is subtracted first, because a rotated order shifts most ranks by the same number. */
static uint64_t count_displaced(struct run_state *state)
{
    const uint64_t count = state->active_blocks;
    uint64_t displaced = 0;
    if (!state->places || !count)
        return 0;
    qsort(state->places, count, sizeof *state->places, compare_places);
    for (uint64_t rank = 0; rank < count; rank++) {
        state->places[rank][0] = rank - state->places[rank][1] + count;
        state->places[rank][1] = 0;
    }
    qsort(state->places, count, sizeof *state->places, compare_places);
    for (uint64_t i = 0; i < count; i++)
        displaced += state->places[i][0] != state->places[count / 2][0];
    return displaced;
}

static void wave_end(struct run_state *state)
{
    watch_order(state);
    atomics_add(&state->atomics, state->launch->device, state->traces, state->wave_blocks);
    print_output(state);
    state->wave_first += state->wave_blocks;
    uint64_t left = state->block_total - state->wave_first;
    state->wave_blocks = left < state->slot_count ? left : state->slot_count;
    state->next_block = 0;
    state->next_sm = 0;
    state->is_serial = state->checks.global;
    if (state->launch->progress)
        state->launch->progress(state->launch->progress_context,
                                (double)state->wave_first / (double)state->block_total);
    /* A block has a cost even if it executes no instructions. */
    if (state->executed > state->grid_budget || state->wave_first > state->grid_budget / BLOCK_COST)
        fail_budget(state, state->wave_first, state->executed);
    if (!left || first_fault(state) != UINT64_MAX)
        state->finished = true;
}

static void *worker_main(void *argument)
{
    struct worker *worker = argument;
    struct run_state *state = worker->state;
    uint64_t counted = 0;
    pthread_mutex_lock(&state->lock); /* Wait until run_workers has started all workers. */
    pthread_mutex_unlock(&state->lock);
    while (!state->finished) {
        phase_execute(worker);
        uint64_t executed = worker->counters.warp_instructions;
        if (worker->block)
            executed += worker->block->counters.warp_instructions;
        __atomic_fetch_add(&state->executed, executed - counted, __ATOMIC_RELAXED);
        counted = executed;
        pthread_barrier_wait(&state->gate);
        bool model = state->hierarchy && first_fault(state) == UINT64_MAX;
        if (model)
            phase_l1(worker);
        pthread_barrier_wait(&state->gate);
        if (model)
            phase_l2(worker);
        if (pthread_barrier_wait(&state->gate) == PTHREAD_BARRIER_SERIAL_THREAD)
            wave_end(state);
        pthread_barrier_wait(&state->gate);
    }
    return NULL;
}

static void add_worker(const struct worker *worker, uint32_t instructions,
                       struct emulator_result *result)
{
    counters_add(&result->counters, &worker->counters);
    if (worker->block)
        counters_add(&result->counters, &worker->block->counters);
    for (uint32_t i = 0; i < instructions; i++) {
        struct instruction_stats *sum = &result->stats[i];
        sum->executed += worker->executed[i];
        sum->requests += worker->stats[i].requests;
        sum->sectors += worker->stats[i].sectors;
        sum->wavefronts += worker->stats[i].wavefronts;
        sum->ideal += worker->stats[i].ideal;
        sum->bytes += worker->stats[i].bytes;
        sum->transactions += worker->stats[i].transactions;
        sum->distance += worker->stats[i].distance; /* 0 except for the worker that ran block 0. */
    }
}

/* Count each PTX instruction once, even a mov that is decoded to several instructions. */
static void count_whole_instructions(const struct program *program, struct emulator_result *result)
{
    for (size_t f = 0; f < program->module->function_count; f++) {
        const struct program_function *function = &program->functions[f];
        if (!function->first_of)
            continue;
        for (size_t i = 0; i < function->source->instruction_count; i++) {
            uint64_t *executed = &result->stats[function->stats_base + i].executed;
            uint32_t parts = function->first_of[i + 1] - function->first_of[i];
            if (parts > 1) {
                result->counters.warp_instructions -= *executed - *executed / parts;
                *executed /= parts;
            }
        }
    }
}

static struct run_state run_describe(const struct emulator_launch *launch,
                                     const struct emulator_result *result)
{
    uint64_t sms = launch->device->multiprocessors, resident = result->resident_blocks * sms;
    enum communication communicates = program_communicates(launch->program, launch->function);
    struct run_state state = {
        .launch = launch,
        .run = {.launch = *launch,
                .is_ordered = communicates == COMMUNICATES_ACROSS_BLOCKS,
                .keeps_turns = launch->mode != LAUNCH_COMPUTE || communicates != COMMUNICATES_NOT,
                .resident_blocks = result->resident_blocks},
        .block_total = (uint64_t)launch->grid.x * launch->grid.y * launch->grid.z,
        .grid_budget = launch->grid_budget ? launch->grid_budget : EMULATOR_GRID_BUDGET,
        .sms = (unsigned)sms,
        .first_fault = UINT64_MAX,
    };
    struct emulator_launch *own = &state.run.launch;
    if (launch->repair & EMULATOR_REPAIR_SHARED)
        own->dynamic_shared = launch->device->shared_per_block_optin -
                              program_shared_bytes(launch->program, launch->function);
    own->checked_bytes = launch->checked_bytes ? launch->checked_bytes : CHECK_GLOBAL_BYTES;
    own->block_budget = launch->block_budget ? launch->block_budget : EMULATOR_BLOCK_BUDGET;
    if (launch->grid_budget && launch->grid_budget < own->block_budget)
        own->block_budget = launch->grid_budget;
    state.slot_count = resident < state.block_total ? resident : state.block_total;
    state.wave_blocks = state.slot_count;
    return state;
}

/* Returns the number of workers. If all global memory is checked, one worker runs all blocks. */
static unsigned count_workers(const struct run_state *state)
{
    if ((state->checks.global && !state->launch->checks_parts) || state->launch->workers == 0)
        return 1;
    return state->launch->workers < state->slot_count ? state->launch->workers
                                                      : (unsigned)state->slot_count;
}

static bool prepare_worker(struct run_state *state, unsigned index)
{
    const struct program *program = state->launch->program;
    struct worker *worker = &state->workers[index];
    worker->state = state;
    worker->index = index;
    worker->stats = calloc(program->instruction_count + 1, sizeof *worker->stats);
    worker->executed = calloc(program->instruction_count + 1, sizeof *worker->executed);
    if (!worker->stats || !worker->executed)
        return false;
    if (!state->run.is_ordered)
        worker->block = simt_block_create(&state->run, worker->stats, worker->executed);
    return worker->block || state->run.is_ordered;
}

static bool prepare_model(struct run_state *state, const struct emulator_result *result)
{
    const struct device *device = state->launch->device;
    unsigned count = state->worker_count;
    state->parts = count < HIERARCHY_PARTS_MAX ? count : HIERARCHY_PARTS_MAX;
    state->hierarchy =
        hierarchy_create(device, result->resident_blocks * result->shared_bytes, state->parts);
    bool scatters = device->dram_read_scatter > 0 || device->dram_write_scatter > 0;
    if (scatters)
        state->pieces = pieces_create(device, state->parts);
    state->run.traits = state->code.traits;
    state->places = calloc(state->block_total, sizeof *state->places);
    return state->hierarchy && state->places && (state->pieces || !scatters);
}

static void choose_sinks(struct run_state *state)
{
    const struct emulator_launch *launch = state->launch;
    const struct sink **sinks = state->run.sinks;
    sinks[SINK_CHECK] = launch->mode == LAUNCH_CHECK ? &check_sink : NULL;
    sinks[SINK_TAINT] = launch->taint ? &taint_sink : NULL;
    sinks[SINK_CLOCK] = state->waits.traits ? &clock_sink : NULL;
    sinks[SINK_COUNT] = launch->mode != LAUNCH_COMPUTE ? &count_sink : NULL;
    sinks[SINK_REPAIR] = launch->repair & EMULATOR_REPAIR_BARRIERS ? &repair_sink : NULL;
    state->run.plans[SINK_CHECK] = &state->checks;
    simt_run_listen(&state->run);
}

/* Returns false if memory is exhausted. The caller must call run_free in either case. */
static bool run_prepare(struct run_state *state, struct emulator_result *result)
{
    const struct emulator_launch *launch = state->launch;
    pthread_mutex_init(&state->lock, NULL);
    if (launch->mode == LAUNCH_CHECK && !check_plan_create(&state->checks, &state->run))
        return false;
    if (!launch->is_anonymous &&
        program_has(launch->program, launch->function, PROGRAM_READS_CLOCK) &&
        !code_read_waits(launch->program, &state->waits))
        return false;
    state->run.waits = state->waits.traits;
    choose_sinks(state);
    state->is_serial = state->checks.global;
    state->worker_count = count_workers(state);
    state->workers = calloc(state->worker_count, sizeof *state->workers);
    state->slots = calloc(state->slot_count, sizeof *state->slots);
    state->traces = calloc(state->slot_count, sizeof *state->traces);
    result->stats = calloc(launch->program->instruction_count + 1, sizeof *result->stats);
    if (!state->workers || !state->slots || !state->traces || !result->stats ||
        !code_read(launch->program, launch->device, &state->code) ||
        (launch->model_memory && !prepare_model(state, result)))
        return false;
    for (unsigned w = 0; w < state->worker_count; w++)
        if (!prepare_worker(state, w))
            return false;
    return true;
}

static void run_free(struct run_state *state)
{
    for (unsigned w = 0; state->workers && w < state->worker_count; w++) {
        simt_block_free(state->workers[w].block);
        free(state->workers[w].stats);
        free(state->workers[w].executed);
    }
    for (uint64_t i = 0; state->slots && state->traces && i < state->slot_count; i++) {
        free(state->traces[i].runs);
        free(state->slots[i].output);
    }
    free(state->workers);
    free(state->slots);
    free(state->traces);
    free(state->places);
    code_free(&state->code);
    code_free(&state->waits);
    hierarchy_free(state->hierarchy);
    pieces_free(state->pieces);
    check_plan_free(&state->checks);
    pthread_mutex_destroy(&state->lock);
}

/* Started threads wait for the lock until the barrier is initialized with the thread count. */
static bool run_workers(struct run_state *state, struct failure *failure)
{
    struct worker *workers = state->workers;
    unsigned started = 1;
    pthread_mutex_lock(&state->lock);
    while (started < state->worker_count &&
           parallel_start(&workers[started].thread, worker_main, &workers[started]))
        started++;
    state->started = started;
    bool gated = !pthread_barrier_init(&state->gate, NULL, started);
    state->finished = !gated;
    pthread_mutex_unlock(&state->lock);
    worker_main(&workers[0]);
    for (unsigned w = 1; w < started; w++)
        pthread_join(workers[w].thread, NULL);
    if (!gated)
        return failure_harness(failure, "cannot create a thread barrier");
    pthread_barrier_destroy(&state->gate);
    return true;
}

static void collect_counters(struct run_state *state, struct emulator_result *result)
{
    for (unsigned w = 0; w < state->worker_count; w++) {
        add_worker(&state->workers[w], state->code.count, result);
        if (state->workers[w].busiest > result->busiest_block)
            result->busiest_block = state->workers[w].busiest;
    }
    result->blocks_run = state->blocks_run;
    result->output_lines = state->output_lines;
    count_whole_instructions(state->launch->program, result);
    result->later_race = state->checks.later_race;
    result->active_blocks = state->active_blocks;
    result->continuing_blocks = state->continuing_blocks;
    result->filling_blocks = state->filling_blocks;
    result->displaced_blocks = count_displaced(state);
}

static double conflict_share(const struct device *device, struct timing_input input, double time_us)
{
    struct counters ideal = *input.counters;
    ideal.shared_load_wavefronts = ideal.shared_load_ideal_wavefronts;
    ideal.shared_store_wavefronts = ideal.shared_store_ideal_wavefronts;
    input.counters = &ideal;
    struct timing timing = timing_estimate(device, &input);
    double kernel_us = time_us - timing.bound_us[BOUND_LAUNCH];
    return kernel_us > 0 ? (time_us - timing.time_us) / kernel_us : 0;
}

/* If the kernel waits for the clock, its time is at least the longest block's time x the waves. */
static void wait_for_clock(const struct run_state *state, struct emulator_result *result)
{
    const struct emulator_launch *launch = state->launch;
    if (!state->longest_cycles ||
        !program_has(launch->program, launch->function, PROGRAM_WAITS_FOR_CLOCK))
        return;
    uint64_t waves = (state->block_total + state->slot_count - 1) / state->slot_count;
    double us = (double)(waves * state->longest_cycles) / launch->device->clock_mhz;
    if (us <= result->timing.time_us)
        return;
    result->timing.time_us = us;
    result->timing.bound = BOUND_LATENCY;
    snprintf(result->explanation, sizeof result->explanation,
             "limited by the clock: the kernel waits until the clock has a certain value");
}

static void model_time(const struct run_state *state, struct emulator_result *result)
{
    const struct emulator_launch *launch = state->launch;
    if (launch->history)
        hierarchy_history(state->hierarchy, launch->history);
    hierarchy_finish(state->hierarchy, &result->memory);
    result->memory.atomics_us = atomics_time_ns(&state->atomics) / 1e3;
    struct timing_input input = {
        .blocks = state->block_total,
        .threads_per_block = launch->block.x * launch->block.y * launch->block.z,
        .resident_blocks = result->resident_blocks,
        .limited_blocks = result->limited_blocks,
        .launches = 1,
        .code = code_count(&state->code, result->stats),
        .local_bytes = launch->program->functions[launch->function].local_bytes,
        .scatter = state->pieces ? pieces_scatter(state->pieces) : SCATTER_NONE,
        .counters = &result->counters,
        .memory = &result->memory,
    };
    if (program_has(launch->program, launch->function, PROGRAM_WAITS_FOR_CLOCK))
        input.code.chain = 0;
    result->timing = timing_estimate(launch->device, &input);
    bound_explain(&result->timing, &input, launch->device, result->explanation,
                  sizeof result->explanation);
    result->conflict_share = conflict_share(launch->device, input, result->timing.time_us);
    wait_for_clock(state, result);
}

/* Let malloc retain freed memory, because the next launch needs about as much for its traces.
 * Otherwise the system clears new memory, which takes a sixth of the time of a small launch. */
static void retain_memory(void)
{
#ifdef __GLIBC__
    enum { HUGE_BYTES = 2 << 20, GROWN_BYTES = 12 << 20 };
    mallopt(M_MMAP_THRESHOLD, RETAINED_BYTES / 4);
    mallopt(M_TRIM_THRESHOLD, RETAINED_BYTES);
    char *volatile grown = malloc(GROWN_BYTES);
#ifdef MADV_HUGEPAGE
    if (grown)
        madvise(grown + -(uintptr_t)grown % HUGE_BYTES, GROWN_BYTES - HUGE_BYTES, MADV_HUGEPAGE);
#endif
    free(grown);
#endif
}

bool emulator_run(const struct emulator_launch *launch, struct emulator_result *result,
                  struct failure *failure)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, retain_memory);
    memset(result, 0, sizeof *result);
    if (!emulator_check_launch(launch, failure))
        return false;
    result->shared_bytes =
        program_shared_bytes(launch->program, launch->function) + launch->dynamic_shared;
    const unsigned threads = launch->block.x * launch->block.y * launch->block.z;
    result->resident_blocks =
        device_resident_blocks(launch->device, threads, result->shared_bytes, 0);
    result->limited_blocks =
        device_resident_blocks(launch->device, threads, result->shared_bytes,
                               launch->machine ? launch->machine->registers : 0);
    const uint64_t lanes = launch->device->warp_lanes, warps = (threads + lanes - 1) / lanes;
    result->occupancy_pct = 100 * (double)(result->limited_blocks * warps * lanes) /
                            (double)launch->device->max_threads_per_sm;
    struct run_state state = run_describe(launch, result);
    bool good = run_prepare(&state, result) ||
                failure_harness(failure, "not enough memory to emulate the grid");
    if (good) {
        good = run_workers(&state, failure);
        collect_counters(&state, result);
        good = good && failure_pass(failure, &state.failure);
    }
    if (good && launch->model_memory)
        model_time(&state, result);
    for (unsigned i = 0; launch->touched && i < launch->memory->count; i++)
        if (good && state.checks.global)
            check_plan_touched(&state.checks, launch->memory, i, launch->keeps_reads,
                               &launch->touched[i]);
        else
            launch->touched[i].may_be_written = true;
    run_free(&state);
    return good;
}
