#include "emulator/emulator.h"

#include "emulator/simt/simt_check.h"
#include "emulator/timing/timing_code.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
    ORDERED_QUANTUM = 20000, /* warp instructions before the next resident block gets a turn */
    BLOCK_COST = 100,        /* warp instructions that the start of a block counts as */
    OUTPUT_LIMIT = 1 << 20,  /* bytes of device printf of one launch */
};

/* One resident block's place in the wave. */
struct slot {
    char *output;
    size_t output_length;
};

struct run_state {
    const struct emulator_launch *launch;
    struct simt_launch simt;
    struct hierarchy *hierarchy;
    struct pieces *pieces; /* NULL where the device does not mind */
    struct slot *slots;
    struct trace *traces; /* of the slots, side by side for the hierarchy */
    uint64_t slot_count;
    uint64_t block_total, wave_first, wave_blocks;
    unsigned workers, parts, sms; /* parts: of the L2, see hierarchy_create */
    pthread_barrier_t gate;
    uint64_t next_block, next_sm; /* shared counters of a phase */
    uint64_t first_fault;         /* lowest block number that faulted; UINT64_MAX: none */
    bool finished;
    struct failure failure;
    pthread_mutex_t lock;
    size_t output_total;
    uint64_t executed;
};

struct worker {
    struct run_state *state;
    unsigned index;
    struct simt_block *block;
    struct instruction_stats *stats;
    uint64_t *executed;
    struct counters counters;
    pthread_t thread;
};

/* ---- Launch limits ---- */

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
            return failure_student(failure, STATUS_LAUNCH_ERROR, "the launch has %s = 0",
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
                               " bytes of shared memory; %s allows %" PRIu64
                               " (more only as dynamic shared memory)",
                               fixed, device->title, device->shared_per_block);
    if (fixed > device->shared_per_block_optin ||
        launch->dynamic_shared > device->shared_per_block_optin - fixed)
        return failure_student(failure, STATUS_LAUNCH_ERROR,
                               "a block needs %" PRIu64 " bytes of static and %" PRIu64
                               " of dynamic shared memory; %s allows at most %" PRIu64 " together",
                               fixed, launch->dynamic_shared, device->title,
                               device->shared_per_block_optin);
    if (!device_resident_blocks(device, (unsigned)threads, fixed + launch->dynamic_shared))
        return failure_student(failure, STATUS_LAUNCH_ERROR,
                               "a block of %" PRIu64 " threads with %" PRIu64
                               " bytes of shared memory does not fit on an SM of %s",
                               threads, fixed + launch->dynamic_shared, device->title);
    return true;
}

/* ---- Phase 1: execute blocks ---- */

/* Any worker may read it at any time; it is stored under the lock. */
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

/* Keep what a finished block leaves: its trace (swapped with the slot's old buffer) and its output.
 */
static bool keep_results(struct run_state *state, struct simt_block *block, uint64_t index)
{
    struct slot *slot = &state->slots[index];
    struct trace *trace = simt_block_trace(block), old = state->traces[index];
    state->traces[index] = *trace;
    *trace = (struct trace){.runs = old.runs, .capacity = old.capacity};
    size_t length;
    const char *output = simt_block_output(block, &length);
    if (!length || !state->launch->output)
        return true;
    slot->output = malloc(length);
    if (!slot->output)
        return false;
    memcpy(slot->output, output, length);
    slot->output_length = length;
    return true;
}

static void fail_no_memory(struct run_state *state)
{
    struct failure failure = {0};
    failure_harness(&failure, "not enough memory to emulate the grid");
    record_fault(state, 0, &failure);
}

static uint64_t grid_budget(const struct run_state *state)
{
    return state->launch->grid_budget ? state->launch->grid_budget : EMULATOR_GRID_BUDGET;
}

static void fail_budget(struct run_state *state, uint64_t number, uint64_t executed)
{
    struct failure failure = {0};
    failure_student(&failure, STATUS_TIMEOUT,
                    "the kernel is still running after %" PRIu64 " warp instructions of %" PRIu64
                    " blocks",
                    executed, number);
    record_fault(state, number, &failure);
}

/* Run one block to its end (or fault). A single worker sees at once that the grid has spent its
 * budget; of several, which one would is chance, so they see it at the wave's end. */
static void run_block(struct worker *worker, uint64_t index)
{
    struct run_state *state = worker->state;
    uint64_t number = state->wave_first + index;
    if (!simt_block_start(worker->block, number, (unsigned)(index % state->sms))) {
        fail_no_memory(state);
        return;
    }
    if (simt_block_run(worker->block, UINT64_MAX / 2) == SIMT_FAULT)
        record_fault(state, number, simt_block_failure(worker->block));
    uint64_t executed = simt_block_counters(worker->block)->warp_instructions;
    if (state->workers == 1 && executed > grid_budget(state))
        fail_budget(state, number + 1, executed);
    if (!keep_results(state, worker->block, index))
        fail_no_memory(state);
}

/* Blocks that communicate: one worker gives the resident blocks turns in a fixed order. */
static void run_ordered(struct worker *worker)
{
    struct run_state *state = worker->state;
    struct simt_block **blocks = calloc(state->wave_blocks, sizeof *blocks);
    struct simt_block *spare = NULL;
    uint64_t left = state->wave_blocks, executed = state->executed;
    if (!blocks)
        fail_no_memory(state);
    for (bool first = true; blocks && left && first_fault(state) == UINT64_MAX; first = false)
        for (uint64_t i = 0; i < state->wave_blocks; i++) {
            if (first) {
                blocks[i] = spare
                                ? spare
                                : simt_block_create(&state->simt, worker->stats, worker->executed);
                spare = NULL;
                if (!blocks[i] || !simt_block_start(blocks[i], state->wave_first + i,
                                                    (unsigned)(i % state->sms))) {
                    fail_no_memory(state);
                    break;
                }
            }
            if (!blocks[i])
                continue;
            const struct counters *counters = simt_block_counters(blocks[i]);
            executed -= counters->warp_instructions;
            enum simt_outcome outcome = simt_block_run(blocks[i], ORDERED_QUANTUM);
            executed += counters->warp_instructions;
            if (executed > grid_budget(state)) {
                fail_budget(state, state->wave_first + i, executed);
                break;
            }
            if (outcome == SIMT_MORE)
                continue;
            if (outcome == SIMT_FAULT)
                record_fault(state, state->wave_first + i, simt_block_failure(blocks[i]));
            if (!keep_results(state, blocks[i], i))
                fail_no_memory(state);
            left--;
            if (outcome == SIMT_FAULT)
                break;
            /* Its counters go to the worker, so that the object can be used again. */
            if (spare) {
#define X(field) worker->counters.field += counters->field;
                COUNTER_LIST(X)
#undef X
                simt_block_free(blocks[i]);
            } else {
                spare = blocks[i];
            }
            blocks[i] = NULL;
        }
    for (uint64_t i = 0; blocks && i <= state->wave_blocks; i++) {
        struct simt_block *block = i < state->wave_blocks ? blocks[i] : spare;
        if (!block)
            continue;
        const struct counters *counters = simt_block_counters(block);
#define X(field) worker->counters.field += counters->field;
        COUNTER_LIST(X)
#undef X
        simt_block_free(block);
    }
    free(blocks);
}

static void phase_execute(struct worker *worker)
{
    struct run_state *state = worker->state;
    if (state->launch->program->is_ordered) {
        if (worker->index == 0)
            run_ordered(worker);
        return;
    }
    while (true) {
        uint64_t index = __atomic_fetch_add(&state->next_block, 1, __ATOMIC_RELAXED);
        if (index >= state->wave_blocks || state->wave_first + index > first_fault(state))
            return;
        run_block(worker, index);
    }
}

/* ---- Phases 2 and 3: caches and DRAM ---- */

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
    for (unsigned part = worker->index; part < state->parts; part += state->workers)
        if (!hierarchy_l2(state->hierarchy, part, state->traces, state->wave_blocks) ||
            (state->pieces && !pieces_add(state->pieces, part, state->traces, state->wave_blocks)))
            fail_no_memory(state);
}

static void print_output(struct run_state *state)
{
    FILE *output = state->launch->output;
    for (uint64_t i = 0; i < state->wave_blocks; i++) {
        struct slot *slot = &state->slots[i];
        /* Which blocks behind a fault still ran is chance. */
        bool counts = state->wave_first + i <= first_fault(state);
        if (counts && slot->output && output && state->output_total < OUTPUT_LIMIT) {
            size_t room = OUTPUT_LIMIT - state->output_total;
            size_t length = slot->output_length < room ? slot->output_length : room;
            fwrite(slot->output, 1, length, output);
            state->output_total += length;
            if (state->output_total == OUTPUT_LIMIT)
                fputs("\n(further output of printf is dropped)\n", output);
        }
        free(slot->output);
        slot->output = NULL;
        slot->output_length = 0;
    }
}

static void wave_end(struct run_state *state)
{
    print_output(state);
    state->wave_first += state->wave_blocks;
    uint64_t left = state->block_total - state->wave_first;
    state->wave_blocks = left < state->slot_count ? left : state->slot_count;
    state->next_block = 0;
    state->next_sm = 0;
    if (state->launch->progress)
        state->launch->progress(state->launch->progress_context,
                                (double)state->wave_first / (double)state->block_total);
    uint64_t budget = grid_budget(state);
    /* A block costs something even if it does nothing. */
    if (state->executed > budget || state->wave_first > budget / BLOCK_COST)
        fail_budget(state, state->wave_first, state->executed);
    if (!left || first_fault(state) != UINT64_MAX)
        state->finished = true;
}

static void *worker_main(void *argument)
{
    struct worker *worker = argument;
    struct run_state *state = worker->state;
    uint64_t counted = 0;
    pthread_mutex_lock(&state->lock); /* until all workers are there, see run_workers */
    pthread_mutex_unlock(&state->lock);
    while (!state->finished) {
        phase_execute(worker);
        const struct counters *counters =
            worker->block ? simt_block_counters(worker->block) : &worker->counters;
        __atomic_fetch_add(&state->executed, counters->warp_instructions - counted,
                           __ATOMIC_RELAXED);
        counted = counters->warp_instructions;
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

/* ---- The launch ---- */

static void add_worker(const struct worker *worker, uint32_t instructions,
                       struct emulator_result *result)
{
    const struct counters *counters[2] = {
        &worker->counters, worker->block ? simt_block_counters(worker->block) : NULL};
    for (unsigned i = 0; i < 2; i++) {
        if (!counters[i])
            continue;
#define X(field) result->counters.field += counters[i]->field;
        COUNTER_LIST(X)
#undef X
    }
    for (uint32_t i = 0; worker->stats && worker->executed && i < instructions; i++) {
        result->stats[i].executed += worker->executed[i];
        result->stats[i].requests += worker->stats[i].requests;
        result->stats[i].sectors += worker->stats[i].sectors;
        result->stats[i].wavefronts += worker->stats[i].wavefronts;
        result->stats[i].ideal += worker->stats[i].ideal;
        result->stats[i].bytes += worker->stats[i].bytes;
        result->stats[i].transactions += worker->stats[i].transactions;
        result->stats[i].distance += worker->stats[i].distance; /* one worker ran block 0 */
    }
}

/* A PTX instruction that was decoded into several (an unpacking mov) counts once. */
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

/* What a worker needs to itself. False: no memory. */
static bool prepare_worker(struct run_state *state, struct worker *worker, unsigned index)
{
    const struct program *program = state->launch->program;
    worker->state = state;
    worker->index = index;
    worker->stats = calloc(program->instruction_count + 1, sizeof *worker->stats);
    worker->executed = calloc(program->instruction_count + 1, sizeof *worker->executed);
    if (!worker->stats || !worker->executed)
        return false;
    if (!program->is_ordered)
        worker->block = simt_block_create(&state->simt, worker->stats, worker->executed);
    return worker->block || program->is_ordered;
}

/* Run the grid with as many workers as could be started; there is always one, this thread. The
 * others wait for the lock until their number is known, which the gate needs. */
static bool run_workers(struct run_state *state, struct worker *workers, struct failure *failure)
{
    for (unsigned w = 0; w < state->workers; w++)
        if (!prepare_worker(state, &workers[w], w))
            return failure_harness(failure, "not enough memory to emulate a block");
    pthread_mutex_lock(&state->lock);
    unsigned started = 1;
    while (started < state->workers &&
           !pthread_create(&workers[started].thread, NULL, worker_main, &workers[started]))
        started++;
    state->workers = started;
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

static bool finish_model(const struct run_state *state, struct emulator_result *result,
                         struct failure *failure)
{
    const struct emulator_launch *launch = state->launch;
    struct code_counts code;
    if (launch->history)
        hierarchy_history(state->hierarchy, launch->history);
    hierarchy_finish(state->hierarchy, &result->memory);
    if (!code_count(launch->program, result->stats, launch->device, &code))
        return failure_harness(failure, "not enough memory to estimate the time");
    struct timing_input input = {
        .blocks = state->block_total,
        .threads_per_block = state->simt.block.x * state->simt.block.y * state->simt.block.z,
        .resident_blocks = result->resident_blocks,
        .launches = 1,
        .load_rounds = code.load_rounds,
        .barrier_waits = code.barrier_waits,
        .issue_slots = code.issue_slots,
        .piece_bytes = state->pieces ? pieces_mean(state->pieces) : PIECE_BYTES,
        .counters = &result->counters,
        .memory = &result->memory,
    };
    result->timing = timing_estimate(launch->device, &input);
    bound_explain(&result->timing, &input, launch->device, result->explanation,
                  sizeof result->explanation);
    return true;
}

bool emulator_run(const struct emulator_launch *launch, struct emulator_result *result,
                  struct failure *failure)
{
    memset(result, 0, sizeof *result);
    if (!emulator_check_launch(launch, failure))
        return false;
    uint32_t instructions = launch->program->instruction_count;
    unsigned threads = launch->block.x * launch->block.y * launch->block.z;
    result->shared_bytes =
        program_shared_bytes(launch->program, launch->function) + launch->dynamic_shared;
    result->resident_blocks = device_resident_blocks(launch->device, threads, result->shared_bytes);

    struct check_plan checks = {0};
    struct run_state state = {
        .launch = launch,
        .simt = {.program = launch->program,
                 .function = launch->function,
                 .grid = launch->grid,
                 .block = launch->block,
                 .dynamic_shared = launch->dynamic_shared,
                 .params = launch->params,
                 .memory = launch->memory,
                 .device = launch->device,
                 .checks = launch->unchecked ? NULL : &checks,
                 .tracing = launch->model_memory,
                 .observer = launch->observer,
                 .block_budget =
                     launch->block_budget ? launch->block_budget : EMULATOR_BLOCK_BUDGET},
        .block_total = (uint64_t)launch->grid.x * launch->grid.y * launch->grid.z,
        .workers = launch->workers ? launch->workers : 1,
        .sms = (unsigned)launch->device->multiprocessors,
        .first_fault = UINT64_MAX,
    };
    if (launch->grid_budget && launch->grid_budget < state.simt.block_budget)
        state.simt.block_budget = launch->grid_budget;
    bool planned = launch->unchecked || check_plan_create(&checks, &state.simt);
    if (checks.global)
        state.workers = 1;
    uint64_t resident = (uint64_t)result->resident_blocks * state.sms;
    state.slot_count = resident < state.block_total ? resident : state.block_total;
    state.wave_blocks = state.slot_count;
    if (state.workers > state.slot_count)
        state.workers = (unsigned)state.slot_count;
    state.parts = state.workers < HIERARCHY_PARTS_MAX ? state.workers : HIERARCHY_PARTS_MAX;
    unsigned prepared = state.workers;
    bool *begins_round = calloc(instructions + 1, sizeof *begins_round);
    if (launch->model_memory && launch->device->l2_read_groups > 0)
        state.simt.begins_round = begins_round;
    state.slots = calloc(state.slot_count, sizeof *state.slots);
    state.traces = calloc(state.slot_count, sizeof *state.traces);
    struct worker *workers = calloc(state.workers, sizeof *workers);
    result->stats = calloc(instructions + 1, sizeof *result->stats);
    if (launch->model_memory)
        state.hierarchy = hierarchy_create(
            launch->device, (uint64_t)result->resident_blocks * result->shared_bytes, state.parts);
    bool good = planned && begins_round && code_mark_rounds(launch->program, begins_round) &&
                state.slots && state.traces && workers && result->stats &&
                (state.hierarchy || !launch->model_memory);
    if (good && launch->model_memory && launch->device->dram_scatter > 0)
        good = (state.pieces = pieces_create(launch->device, state.parts)) != NULL;
    pthread_mutex_init(&state.lock, NULL);
    if (!good) {
        failure_harness(failure, "not enough memory to emulate the grid");
    } else {
        good = run_workers(&state, workers, failure);
        for (unsigned w = 0; w < prepared; w++)
            add_worker(&workers[w], instructions, result);
        count_whole_instructions(launch->program, result);
        if (good && state.failure.kind == FAILURE_HARNESS)
            good = failure_harness(failure, "%s", state.failure.text);
        else if (good && state.failure.kind == FAILURE_STUDENT)
            good = failure_student(failure, state.failure.status, "%s", state.failure.text);
        if (good && launch->model_memory)
            good = finish_model(&state, result, failure);
        result->later_race = checks.later_race;
    }
    check_plan_free(&checks);
    pthread_mutex_destroy(&state.lock);
    for (unsigned w = 0; workers && w < prepared; w++) {
        simt_block_free(workers[w].block);
        free(workers[w].stats);
        free(workers[w].executed);
    }
    for (uint64_t i = 0; state.slots && i < state.slot_count; i++) {
        free(state.traces ? state.traces[i].runs : NULL);
        free(state.slots[i].output);
    }
    free(begins_round);
    free(state.slots);
    free(state.traces);
    free(workers);
    hierarchy_free(state.hierarchy);
    pieces_free(state.pieces);
    return good;
}
