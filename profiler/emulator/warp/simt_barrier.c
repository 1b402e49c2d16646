/* simt_barrier.c: barriers of a block: arrival, release, and threads that never arrive. */
#include "emulator/ptx/ptx_cfg.h"
#include "emulator/warp/sink.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FOR_WAITING(warp, fragment, block, id)                                                     \
    for (struct warp *warp = (block)->warps; warp < (block)->warps + (block)->warp_count; warp++)  \
        for (struct fragment *fragment = warp->fragments;                                          \
             fragment < warp->fragments + warp->fragment_count; fragment++)                        \
            if (fragment->state == FRAGMENT_AT_BARRIER && fragment->barrier == (id))

static void barrier_release(struct simt_block *block, unsigned id)
{
    struct barrier *barrier = &block->barriers[id];
    uint32_t count = barrier->count;
    bool for_all = !barrier->expected_warps ||
                   (!barrier->passed_warps && barrier->arrived_threads == block->threads_alive);
    FOR_WAITING (warp, fragment, block, id) {
        struct frame *frame = fragment->frame;
        const struct instruction *instruction = &frame->function->code[fragment->pc];
        bool result =
            instruction->control == BARRIER_RED_AND ? count == barrier->arrived_threads : count;
        if (instruction->control == BARRIER_RED_POPC)
            FOR_LANES (lane, fragment->mask)
                frame_set_lane(frame, &instruction->destination, lane, count);
        else if (instruction->destination.used)
            frame_set_predicate(frame, &instruction->destination, fragment->mask, result ? ~0u : 0);
        EMIT(block, pass, block, warp, id);
        if (!for_all)
            EMIT(block, counted_pass, block, warp, id);
        fragment->state = FRAGMENT_READY;
        fragment->pc++;
    }
    *barrier = (struct barrier){0};
    block->barriers_open &= ~(1u << id);
    EMIT(block, reopen, block, id, !for_all);
}

/* Returns true if threads at `target` cannot reach the barrier, and do more than exit or trap. */
static bool works_elsewhere(const struct program_function *function,
                            const struct ptx_blocks *blocks, const bool *reaches, uint32_t barrier,
                            uint32_t target)
{
    uint32_t block = blocks->block_of[target];
    uint16_t kind = function->code[simt_skip_jumps(function, function->first_of[target])].kind;
    return block != barrier && !reaches[block] && kind != SIMT_EXIT && kind != SIMT_RETURN &&
           kind != SIMT_TRAP;
}

/* Returns true if some code is only reached on a path around the barrier. If so, threads that have
 * left the kernel have skipped the barrier. Otherwise, these threads have returned early. CC >= 7.0
 * allows an early return: a barrier waits only for threads that have not exited. */
static bool barrier_is_conditional(const struct program *program, int index, uint32_t pc)
{
    const struct program_function *function = &program->functions[index];
    const struct ptx_function *source = function->source;
    struct ptx_blocks blocks;
    bool *reaches = NULL, conditional = false;
    if (ptx_blocks_find(&blocks, source) && (reaches = calloc(blocks.count + 1, sizeof *reaches))) {
        uint32_t barrier = blocks.block_of[function->code[pc].number];
        ptx_blocks_reaching(&blocks, source, barrier, reaches);
        for (uint32_t block = 0; block < blocks.count; block++) {
            struct ptx_flow flow = ptx_block_flow(&blocks, source, block);
            if (!flow.jumps || !reaches[block] ||
                program_returns(program, index, blocks.first_of[block + 1] - 1,
                                function->code[pc].number))
                continue;
            conditional |= works_elsewhere(function, &blocks, reaches, barrier, flow.target);
            conditional |= flow.falls && works_elsewhere(function, &blocks, reaches, barrier,
                                                         blocks.first_of[block + 1]);
        }
    }
    free(reaches);
    ptx_blocks_free(&blocks);
    return conditional;
}

static bool barrier_is_skipped(struct simt_block *block, unsigned id)
{
    const struct barrier *barrier = &block->barriers[id];
    unsigned exits = 0;
    for (unsigned w = 0; w < block->warp_count; w++)
        exits += block->warps[w].early_count;
    if (!exits || (block->tested_pc == barrier->pc && block->tested_exits == exits))
        return false;
    block->tested_pc = barrier->pc;
    block->tested_exits = exits;
    FOR_WAITING (warp, fragment, block, id) { /* All fragments wait at the same instruction. */
        bool skipped = false;
        for (unsigned w = 0; w < block->warp_count; w++)
            skipped |= exits_skip(block, &block->warps[w], UINT32_MAX, fragment);
        return skipped;
    }
    return false;
}

static bool barrier_report_skipped(struct simt_block *block, unsigned id)
{
    FOR_WAITING (warp, fragment, block, id) {
        struct step step = step_at(block, warp, fragment);
        return simt_fault(&step, (unsigned)__builtin_ctz(fragment->mask), STATUS_DEADLOCK,
                          "waits at a barrier that only %u of the block's %u threads reach: the "
                          "other threads took a branch around it. All threads of the block must "
                          "reach every barrier",
                          block->barriers[id].arrived_threads, block->threads);
    }
    return false;
}

/* Returns the number of arrived warps. A warp arrives by bar.arrive, or when all its threads that
 * have not exited wait (PTX ISA). */
static uint32_t barrier_warps(const struct simt_block *block, unsigned id)
{
    uint32_t warps = block->barriers[id].passed_warps;
    for (unsigned w = 0; w < block->warp_count; w++) {
        const struct warp *warp = &block->warps[w];
        uint32_t waiting = 0;
        for (unsigned i = 0; i < warp->fragment_count; i++)
            if (warp->fragments[i].state == FRAGMENT_AT_BARRIER && warp->fragments[i].barrier == id)
                waiting |= warp->fragments[i].mask;
        warps += waiting && waiting == (warp->lanes & ~warp->exited);
    }
    return warps;
}

static bool barrier_check(struct simt_block *block, unsigned id)
{
    struct barrier *barrier = &block->barriers[id];
    if (!barrier->arrived_threads)
        return true;
    if (barrier->expected_warps) {
        if (barrier_warps(block, id) >= barrier->expected_warps)
            barrier_release(block, id);
        return true;
    }
    if (barrier->arrived_threads < block->threads_alive)
        return true;
    bool may_be_skipped = !simt_repairs(block, EMULATOR_REPAIR_BARRIERS);
    if (may_be_skipped && block->has_late_exits &&
        barrier_is_conditional(block->launch->program, barrier->function, barrier->pc))
        return barrier_report_skipped(block, id);
    if (may_be_skipped && block->launch->mode == LAUNCH_CHECK &&
        block->skipped.kind == FAILURE_NONE && barrier_is_skipped(block, id)) {
        /* Continue, as a GPU does, because a race that is found later may be the cause. */
        barrier_report_skipped(block, id);
        block->skipped = block->failure;
        block->failure = (struct failure){0};
        block->faulted = false;
    }
    barrier_release(block, id);
    return true;
}

bool barriers_check(struct simt_block *block)
{
    FOR_LANES (id, block->barriers_open)
        if (!barrier_check(block, id))
            return false;
    return true;
}

bool barrier_force(struct simt_block *block, unsigned id)
{
    bool any = false;
    FOR_WAITING (warp, fragment, block, id)
        any = true;
    if (any)
        barrier_release(block, id);
    return any;
}

static bool barrier_torn(const struct step *step, uint32_t mask)
{
    return simt_fault(step, (unsigned)__builtin_ctz(mask), STATUS_DEADLOCK,
                      "waits at a barrier with only %d of its warp's %d threads: the other threads "
                      "took another branch. All threads of the block must reach every barrier",
                      __builtin_popcount(mask),
                      __builtin_popcount(step->warp->lanes & ~step->warp->exited));
}

bool barrier_check_torn(struct simt_block *block, struct warp *warp)
{
    for (unsigned i = 0; warp->is_torn && i < warp->fragment_count; i++) {
        struct fragment *fragment = &warp->fragments[i];
        if (fragment->state == FRAGMENT_AT_BARRIER &&
            fragment->mask != (warp->lanes & ~warp->exited)) {
            struct step step = step_at(block, warp, fragment);
            return barrier_torn(&step, fragment->mask);
        }
    }
    warp->is_torn = false;
    return true;
}

/* Returns the number of expected warps, 0 without a thread count, or UINT32_MAX after a fault. */
static uint32_t expected_warps(const struct step *step, unsigned lane)
{
    unsigned width = (unsigned)step->block->launch->device->warp_lanes;
    if (!step->instruction->source[1].used)
        return 0;
    uint64_t threads = step_source(step, 1, lane);
    if (threads && threads % width == 0 && threads <= width * (uint64_t)step->block->warp_count)
        return (uint32_t)(threads / width);
    simt_fault(step, lane, STATUS_LAUNCH_ERROR,
               "executes a barrier for %" PRIu64
               " threads: the number must be a multiple of %u and "
               "at most the block's %u threads",
               threads, width, step->block->threads);
    return UINT32_MAX;
}

static bool barrier_agrees(const struct step *step, unsigned lane, uint64_t id,
                           const struct barrier *barrier, uint32_t expected)
{
    const struct fragment *fragment = step->fragment;
    const struct program *program = step->block->launch->program;
    if (barrier->expected_warps != expected)
        return simt_fault(step, lane, STATUS_DEADLOCK,
                          "executes barrier %" PRIu64 " for a number of threads that differs from "
                          "the number that the waiting threads gave",
                          id);
    if (expected || !step->instruction->immediate ||
        (barrier->pc == fragment->pc && barrier->function == fragment->frame->function_index))
        return true;
    char here[512], there[512];
    const struct program_function *function = &program->functions[barrier->function];
    program_locate(program, fragment->frame->function_index, step->instruction->number, here,
                   sizeof here);
    program_locate(program, barrier->function, function->code[barrier->pc].number, there,
                   sizeof there);
    return strcmp(here, there) == 0 ||
           simt_fault(step, lane, STATUS_DEADLOCK,
                      "waits at a barrier, but other threads of the block wait at another barrier, "
                      "at %s",
                      there);
}

bool simt_barrier(const struct step *step)
{
    struct simt_block *block = step->block;
    struct warp *warp = step->warp;
    struct fragment *fragment = step->fragment;
    const struct instruction *instruction = step->instruction;
    uint32_t mask = step->mask;
    unsigned first = (unsigned)__builtin_ctz(mask);
    uint64_t id = step_source(step, 0, first);
    if (id >= BARRIERS)
        return simt_fault(step, first, STATUS_LAUNCH_ERROR,
                          "uses barrier %" PRIu64 ", but a block has only barriers 0 to %d", id,
                          BARRIERS - 1);
    bool repair = simt_repairs(block, EMULATOR_REPAIR_BARRIERS);
    if (instruction->immediate && mask != (warp->lanes & ~warp->exited) && !warp->is_loosened &&
        !repair) {
        /* This is correct only if all other lanes exit without a barrier (barrier_check_torn). */
        if (warp->is_torn || mask != fragment->mask)
            return barrier_torn(step, mask);
        warp->is_torn = true;
    }
    struct barrier *barrier = &block->barriers[id];
    uint32_t expected = expected_warps(step, first);
    if (expected == UINT32_MAX)
        return false;
    if (!barrier->arrived_threads) {
        barrier->expected_warps = expected;
        barrier->function = fragment->frame->function_index;
        barrier->pc = fragment->pc;
    } else if (!repair && !barrier_agrees(step, first, id, barrier, expected)) {
        return false;
    }
    barrier->arrived_threads += (uint32_t)__builtin_popcount(mask);
    block->barriers_open |= 1u << id;
    EMIT(block, arrive, step, (unsigned)id);
    if (expected)
        EMIT(block, counted_arrive, step, (unsigned)id);
    if (instruction->source[2].used)
        barrier->count += (uint32_t)__builtin_popcount(
            frame_predicate(fragment->frame, &instruction->source[2]) & mask);
    if (instruction->control == BARRIER_ARRIVE) {
        barrier->passed_warps++;
        fragment->pc++;
    } else {
        if (mask != fragment->mask)
            fragment_divide(warp, fragment, fragment->mask & ~mask, fragment->pc + 1);
        fragment->state = FRAGMENT_AT_BARRIER;
        fragment->barrier = (unsigned)id;
        block->counters.barriers++;
    }
    return barrier_check(block, (unsigned)id);
}
