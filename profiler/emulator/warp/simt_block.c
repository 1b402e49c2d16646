/* simt_block.c: create blocks and run them, warp by warp, until all threads have exited. */
#include "emulator/warp/sink.h"

#include "base/sanitized.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void simt_run_listen(struct simt_run *run)
{
    typedef void (*function)(void);
    _Static_assert(sizeof(struct sink) <= SINK_EVENTS_MAX * sizeof(function), "events");
    for (unsigned i = 0; i < SINKS_MAX; i++)
        for (size_t event = 0; run->sinks[i] && event < sizeof(struct sink) / sizeof(function);
             event++) {
            const struct sink **place = run->receivers[event];
            function receives;
            memcpy(&receives, (const char *)run->sinks[i] + event * sizeof receives,
                   sizeof receives);
            while (*place)
                place++;
            if (receives)
                *place = run->sinks[i];
        }
}

static void warp_discard(struct warp *warp)
{
    while (warp->calls) {
        struct frame *frame = warp->calls;
        frame_unlink(warp, frame);
        simt_frame_free(frame);
    }
    warp->fragment_count = 0;
}

void simt_block_free(struct simt_block *block)
{
    if (!block)
        return;
    for (unsigned w = 0; block->warps && w < block->warp_count; w++) {
        struct warp *warp = &block->warps[w];
        warp_discard(warp);
        simt_frame_free(warp->root);
        free(warp->nodes);
        free(warp->local);
        free(warp->copies);
        free(warp->address_cache);
        free(warp->invariant);
        free(warp->invariant_banks);
    }
    for (unsigned i = 0; i < SINKS_MAX; i++)
        if (block->sink_states[i])
            block->run->sinks[i]->free(block->sink_states[i]);
    free(block->warps);
    free(block->shared);
    free(block->output);
    free(block->trace.runs);
    free(block);
}

/* Poison the bytes between and past the arrays, so that AddressSanitizer detects accesses. The
 * poison begins at whole words, because taint.c accesses whole words. */
static void guard_shared(struct simt_block *block)
{
    uint64_t words = (block->shared_bytes + 3) & ~3ull;
    uint64_t fixed = (block->shared_static_end + 3) & ~3ull;
    uint64_t dynamic = block->launch->program->dynamic_shared;
    memset(block->shared, 0xff, block->shared_capacity);
    POISON(block->shared + words, block->shared_capacity - words);
    if (dynamic > fixed)
        POISON(block->shared + fixed, dynamic - fixed);
}

struct simt_block *simt_block_create(const struct simt_run *run, struct instruction_stats *stats,
                                     uint64_t *executed)
{
    struct simt_block *block = calloc(1, sizeof *block);
    if (!block)
        return NULL;
    const struct emulator_launch *launch = &run->launch;
    const struct program_function *function = &launch->program->functions[launch->function];
    unsigned width = (unsigned)launch->device->warp_lanes;
    block->run = run;
    block->launch = launch;
    block->stats = stats;
    block->executed_by = executed;
    block->threads = launch->block.x * launch->block.y * launch->block.z;
    block->warp_count = (block->threads + width - 1) / width;
    block->warps = calloc(block->warp_count, sizeof *block->warps);
    block->shared_static_end = program_shared_bytes(launch->program, launch->function);
    block->shared_bytes = launch->program->dynamic_shared + launch->dynamic_shared;
    if (program_has(launch->program, launch->function, PROGRAM_READS_RESERVED)) {
        block->reserved = (block->shared_bytes + 15) & ~15ull;
        block->shared_bytes = block->reserved + RESERVED_SMEM_BYTES;
    }
    block->shared_capacity = (block->shared_bytes + 64 + 63) & ~63ull;
    block->shared = aligned_alloc(64, block->shared_capacity);
    if (block->shared)
        guard_shared(block);
    block->local_limit =
        function->local_bytes + (launch->program->has_calls ? LOCAL_STACK_BYTES : 0);
    /* The stride is an odd number of cache lines, so that lanes use different cache sets. */
    block->local_stride = ((block->local_limit + 63) & ~63ull) | 64;
    bool good = block->warps && block->shared;
    for (unsigned i = 0; good && i < SINKS_MAX; i++)
        good = !run->sinks[i] || !run->sinks[i]->create ||
               (block->sink_states[i] = run->sinks[i]->create(block, run->plans[i]));
    block->is_gated = RECEIVERS(block, admits)[0];
    for (unsigned w = 0; good && w < block->warp_count; w++) {
        struct warp *warp = &block->warps[w];
        warp->index = w;
        warp->free_node = NODE_NONE;
        unsigned lanes = block->threads - w * width < width ? block->threads - w * width : width;
        warp->lanes = lanes == 32 ? 0xffffffffu : (1u << lanes) - 1;
        warp->root = frame_create(launch, launch->function);
        warp->local = block->local_limit ? calloc(LANES, block->local_stride) : NULL;
        warp->invariant = calloc(function->invariant_count + 1, sizeof *warp->invariant);
        warp->invariant_banks =
            calloc(function->invariant_accesses + 1, sizeof *warp->invariant_banks);
        good = warp->root && warp->invariant && warp->invariant_banks &&
               (warp->local || !block->local_limit);
    }
    if (!good) {
        simt_block_free(block);
        return NULL;
    }
    return block;
}

static void warp_start(const struct simt_block *block, struct warp *warp)
{
    warp_discard(warp);
    warp->exited = 0;
    warp->turn = warp->polled_turns = 0;
    warp->rounds = 0;
    warp->last_store = (struct last_store){0};
    warp->is_followed = false;
    warp->spent = 0;
    warp->poll_hash = 0;
    warp->polls = warp->is_loosened = warp->is_torn = false;
    warp->copy_count = 0;
    if (warp->commits)
        memset(warp->copy_group, 0, sizeof warp->copy_group);
    warp->commits = false;
    /* Clear data of the worker's previous block, because results must not depend on this block. */
    for (unsigned lane = 0; warp->local_written && lane < LANES; lane++)
        memset(warp->local + lane * block->local_stride, 0, warp->local_written);
    warp->local_written = 0;
    memset(warp->root->params, 0, (size_t)LANES * warp->root->function->params_bytes);
    warp->free_node = NODE_NONE;
    for (unsigned i = warp->node_capacity; i-- > 0;)
        node_release(warp, (int)i);
    warp->current = warp->early_count = 0;
    warp->fragment_count = 1;
    warp->fragments[0] = (struct fragment){
        .mask = warp->lanes, .frame = warp->root, .node = NODE_NONE, .way = PC_NEVER};
    frame_begin(block, warp, warp->root);
}

static enum observation observe(const struct simt_block *block)
{
    const struct simt_run *run = block->run;
    bool skips = !simt_repairs(block, EMULATOR_REPAIR_BOUNDS), is_alone = !run->keeps_turns;
    for (unsigned i = 0; i < SINKS_MAX; i++) {
        const struct sink *sink = run->sinks[i];
        is_alone &= !sink;
        skips &= !sink || (sink->skips_addresses && sink->skips_addresses(block));
    }
    return !skips ? OBSERVED_ALL : is_alone ? OBSERVED_NOT : OBSERVED_COSTS;
}

void simt_block_start(struct simt_block *block, uint64_t number, unsigned sm)
{
    const struct emulator_launch *launch = block->launch;
    block->number = number;
    block->sm = sm;
    block->index = dimensions_at(launch->grid, number);
    block->observation = observe(block);
    block->current_warp = 0;
    block->threads_alive = block->threads;
    block->copy_arrivals = 0;
    block->executed = 0;
    block->has_late_exits = block->has_locks = false;
    block->skipped.kind = FAILURE_NONE;
    block->tested_exits = 0;
    block->output_length = block->printed = 0;
    block->trace.count = 0;
    block->trace.sm = sm;
    block->trace.warps = block->warp_count;
    block->trace.may_merge = block->trace.has_atomics = false;
    block->atomic_sample.left = 0;
    memset(block->constant_lines, 0, sizeof block->constant_lines);
    FOR_LANES (id, block->barriers_open)
        block->barriers[id] = (struct barrier){0};
    block->barriers_open = 0;
    EMIT(block, begin, block);
    /* The pattern 0xff is a NaN or an invalid index, so incorrect results are deterministic. */
    uint64_t dynamic = launch->program->dynamic_shared;
    memset(block->shared, 0xff, block->shared_static_end);
    memset(block->shared + dynamic, 0xff, block->shared_bytes - dynamic);
    if (block->reserved)
        memset(block->shared + block->reserved, 0, RESERVED_SMEM_BYTES);
    for (unsigned w = 0; w < block->warp_count; w++)
        warp_start(block, &block->warps[w]);
}

/* If not all threads have exited, report that they wait forever, and return true. */
static bool block_deadlock(struct simt_block *block)
{
    for (unsigned w = 0; w < block->warp_count; w++) {
        struct warp *warp = &block->warps[w];
        if (!warp->fragment_count)
            continue;
        struct fragment *fragment = &warp->fragments[0];
        struct step step = step_at(block, warp, fragment);
        unsigned lane = (unsigned)__builtin_ctz(fragment->mask);
        if (fragment->state == FRAGMENT_AT_SYNC) {
            simt_fault(&step, lane, STATUS_DEADLOCK,
                       "waits for lanes 0x%08x in a warp operation that only lanes 0x%08x reach",
                       fragment->needed, fragment->mask);
            failure_find(&block->failure, FINDING_LANE_ABSENT, 0);
        } else
            simt_fault(
                &step, lane, STATUS_DEADLOCK,
                "waits at a barrier that %u of the block's %u threads have reached. The other "
                "threads never reach this barrier",
                block->barriers[fragment->barrier].arrived_threads, block->threads);
        return true;
    }
    return false;
}

static bool block_timeout(struct simt_block *block)
{
    for (unsigned w = 0; w < block->warp_count; w++) {
        struct warp *warp = &block->warps[w];
        if (!warp->fragment_count)
            continue;
        unsigned running = warp->current < warp->fragment_count ? warp->current : 0;
        struct step step = step_at(block, warp, &warp->fragments[running]);
        simt_fault(&step, (unsigned)__builtin_ctz(step.mask), STATUS_TIMEOUT,
                   "is still running after %" PRIu64
                   " warp instructions of its block. Check for an endless loop, or for far too "
                   "much work in one thread",
                   block->launch->block_budget);
        return true;
    }
    return false;
}

static enum simt_outcome block_run(struct simt_block *block, uint64_t quantum)
{
    uint64_t end = block->executed + quantum;
    unsigned blocked = 0;
    while (blocked < block->warp_count) {
        struct warp *warp = &block->warps[block->current_warp];
        unsigned alive_before = block->threads_alive;
        uint64_t before = block->executed;
        if (warp->fragment_count &&
            (!warp_run(block, warp) ||
             (block->holds_fault && ASK(false, block, fault_is_due, block, false))))
            return SIMT_FAULT;
        bool went_on = block->executed != before || block->threads_alive != alive_before;
        blocked = went_on ? 0 : blocked + 1;
        if (blocked == block->warp_count && ASK(false, block, stalled, block))
            blocked = 0;
        if (++block->current_warp == block->warp_count)
            block->current_warp = 0;
        if (block->executed > block->launch->block_budget && block_timeout(block))
            return SIMT_FAULT;
        if (block->executed >= end && block->threads_alive)
            return SIMT_MORE;
    }
    return block_deadlock(block) ? SIMT_FAULT : SIMT_DONE;
}

enum simt_outcome simt_block_run(struct simt_block *block, uint64_t quantum)
{
    EMIT(block, resume, block);
    enum simt_outcome outcome = block_run(block, quantum);
    memory_store_columns(block);
    EMIT(block, pause, block);
    block->usual_runs = outcome == SIMT_DONE ? block->trace.count : block->usual_runs;
    if (outcome != SIMT_MORE && block->holds_fault && ASK(false, block, fault_is_due, block, true))
        return SIMT_FAULT;
    if (outcome != SIMT_DONE || block->skipped.kind == FAILURE_NONE)
        return outcome;
    block->failure = block->skipped;
    block->faulted = true;
    return SIMT_FAULT;
}

uint64_t simt_block_cycles(const struct simt_block *block)
{
    uint64_t cycles = 0;
    EMIT(block, cycles, block, &cycles);
    return cycles;
}
