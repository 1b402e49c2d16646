/* simt_control.c: branches, calls, returns and exits. */
#include "emulator/warp/sink.h"

#include <inttypes.h>
#include <string.h>

bool simt_branch(const struct step *step)
{
    struct fragment *fragment = step->fragment;
    const struct instruction *instruction = step->instruction;
    if (step->mask == fragment->mask) {
        fragment->pc = instruction->target;
        if (instruction->guard.used) {
            fragment->way = instruction->target;
            fragment->condition = (uint32_t)(instruction - fragment->frame->function->code);
        }
        return true;
    }
    fragment->way = instruction->target; /* The lanes that take the branch inherit `way`. */
    fragment->condition = fragment->pc;
    fragment->pc++;
    if (step->mask && !fragment_split(step->warp, fragment, step->mask, instruction->target,
                                      instruction->reconverge))
        return simt_no_memory(step->block);
    fragment->way = fragment->pc;
    return true;
}

static uint32_t lanes_with(const struct step *step, uint32_t mask, uint64_t value)
{
    uint32_t lanes = 0;
    FOR_LANES (lane, mask)
        lanes |= (uint32_t)(step_source(step, 0, lane) == value) << lane;
    return lanes;
}

bool simt_branch_index(const struct step *step)
{
    struct fragment *fragment = step->fragment;
    const struct program_function *function = fragment->frame->function;
    const struct ptx_targets *targets = &function->source->targets[step->instruction->extra];
    uint32_t skipped = fragment->mask & ~step->mask, next = fragment->pc + 1;
    fragment->way = PC_NEVER;
    for (uint32_t left = step->mask, group; left; left &= ~group) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        uint64_t index = step_source(step, 0, lane);
        if (index >= targets->count)
            return simt_fault(step, lane, STATUS_LAUNCH_ERROR,
                              "branches to entry %" PRIu64 " of a branch table of %zu entries",
                              index, targets->count);
        group = lanes_with(step, left, index);
        uint32_t target = function->first_of[targets->instructions[index]];
        if (group == left && !skipped) {
            fragment->pc = target;
            return true;
        }
        if (!fragment_split(step->warp, fragment, group, target, step->instruction->reconverge))
            return simt_no_memory(step->block);
    }
    fragment->pc = next;
    return true;
}

static void copy_params(const struct frame *from, uint32_t from_offset, struct frame *to,
                        uint32_t to_offset, uint32_t bytes, uint32_t mask)
{
    FOR_LANES (lane, mask)
        memcpy(to->params + (size_t)lane * to->function->params_bytes + to_offset,
               from->params + (size_t)lane * from->function->params_bytes + from_offset, bytes);
}

static int called_function(const struct step *step, unsigned lane, uint64_t address)
{
    const struct program *program = step->block->launch->program;
    const struct program_call *call = &program->calls[step->instruction->extra];
    uint64_t offset = address - GUEST_FUNCTION_BASE - 16;
    if (address < GUEST_FUNCTION_BASE + 16 || offset % 16 ||
        offset / 16 >= program->module->function_count) {
        simt_fault(step, lane, STATUS_LAUNCH_ERROR,
                   "calls address 0x%" PRIx64 ", which is not a function", address);
        return -1;
    }
    const struct ptx_function *callee = &program->module->functions[offset / 16];
    if (callee->is_declaration || !program_call_fits(call, callee)) {
        simt_fault(step, lane, STATUS_LAUNCH_ERROR,
                   "calls %s with parameters that do not match its declaration", callee->name);
        return -1;
    }
    return (int)(offset / 16);
}

static bool enter_function(const struct step *step, int target, uint32_t mask)
{
    struct simt_block *block = step->block;
    struct warp *warp = step->warp;
    struct fragment *fragment = step->fragment;
    const struct program *program = block->launch->program;
    const struct program_call *call = &program->calls[step->instruction->extra];
    const struct program_function *function = &program->functions[target];
    struct frame *caller = fragment->frame;
    uint64_t local = caller->local_base + caller->function->local_bytes;
    if (caller->depth >= MAX_CALL_DEPTH || local + function->local_bytes > block->local_limit ||
        warp->call_bytes > MAX_CALL_BYTES / block->warp_count + MIN_CALL_BYTES)
        return simt_fault(step, (unsigned)__builtin_ctz(mask), STATUS_OUT_OF_BOUNDS,
                          "overflows its stack: %u nested calls use %" PRIu64
                          " bytes of local memory",
                          caller->depth + 1, local);
    struct frame *frame = frame_create(block->launch, target);
    int node = frame ? node_create(warp, NODE_CALL, mask, fragment->node, frame) : NODE_NONE;
    if (node == NODE_NONE) {
        simt_frame_free(frame);
        return simt_no_memory(block);
    }
    frame->parent = caller;
    frame->return_pc = fragment->pc + 1;
    frame->call = step->instruction->extra;
    frame->depth = caller->depth + 1;
    frame->local_base = local;
    frame_link(warp, frame);
    EMIT(block, entered, block, warp, mask, local, function->local_bytes);
    frame_begin(block, warp, frame);
    for (uint32_t i = 0; i < call->argument_count; i++)
        copy_params(caller, call->arguments[i], frame, function->parameter_offsets[i],
                    call->argument_bytes[i], mask);
    fragment->frame = frame;
    fragment->node = node;
    fragment->way = PC_NEVER;
    fragment->pc = 0;
    return true;
}

bool simt_call(const struct step *step)
{
    struct fragment *fragment = step->fragment;
    uint32_t pc = fragment->pc, mask = step->mask;
    int target = step->block->launch->program->calls[step->instruction->extra].function;
    if (step->instruction->kind == SIMT_CALL_POINTER) {
        unsigned lane = (unsigned)__builtin_ctz(mask);
        uint64_t address = step_source(step, 0, lane);
        target = called_function(step, lane, address);
        if (target < 0)
            return false;
        uint32_t same = lanes_with(step, mask, address);
        /* Lanes that call other addresses repeat this instruction. Lanes reconverge after it. */
        if (same != mask &&
            !fragment_split(step->warp, fragment, fragment->mask & ~same, pc, pc + 1))
            return simt_no_memory(step->block);
        mask = same;
    }
    /* In a guarded call, lanes with a false guard wait at the instruction after the call. */
    if (mask != fragment->mask &&
        !fragment_split(step->warp, fragment, fragment->mask & ~mask, pc + 1, pc + 1))
        return simt_no_memory(step->block);
    return enter_function(step, target, mask);
}

bool simt_return(const struct step *step)
{
    struct warp *warp = step->warp;
    struct fragment *fragment = step->fragment;
    struct frame *frame = fragment->frame;
    const struct program_call *call = &step->block->launch->program->calls[frame->call];
    for (uint32_t i = 0; i < call->return_count; i++)
        copy_params(frame, frame->function->return_offsets[i], frame->parent, call->returns[i],
                    call->return_bytes[i], step->mask);
    /* The nodes of divergent code in this frame no longer expect the lanes that return. */
    int node = fragment->node, inner = node;
    while (warp->nodes[node].reconverge != NODE_CALL) {
        warp->nodes[node].expected &= ~step->mask;
        node = warp->nodes[node].parent;
    }
    warp->nodes[node].arrived |= step->mask;
    fragment->mask &= ~step->mask;
    if (fragment->mask) {
        fragment->pc++;
        return true;
    }
    fragment_remove(warp, warp->current);
    while (inner != node) {
        struct node *closing = &warp->nodes[inner];
        if (closing->arrived != (closing->expected & ~warp->exited))
            return true;
        if (closing->arrived) {
            node_settle(warp, inner);
            return true;
        }
        int parent = closing->parent;
        node_release(warp, inner);
        inner = parent;
    }
    node_settle(warp, node);
    return true;
}

/* Returns true if the exit is guarded, or directly follows the fragment's last branch. */
static bool exit_is_early(const struct fragment *fragment)
{
    const struct program_function *function = fragment->frame->function;
    return function->code[fragment->pc].guard.used ||
           (fragment->way != PC_NEVER && simt_skip_jumps(function, fragment->way) == fragment->pc);
}

static void note_early_exit(const struct step *step)
{
    struct warp *warp = step->warp;
    const struct fragment *fragment = step->fragment;
    uint32_t condition = step->instruction->guard.used ? fragment->pc : fragment->condition;
    if (warp->early_count < EARLY_EXITS && !fragment->frame->parent) {
        warp->early[warp->early_count].condition = condition;
        warp->early[warp->early_count++].lanes = step->mask;
    }
}

bool simt_exit(const struct step *step)
{
    if (exit_is_early(step->fragment))
        note_early_exit(step);
    else
        step->block->has_late_exits = true;
    step->fragment->pc++;
    fragment_exit(step->block, step->warp, step->warp->current, step->mask);
    return warp_sync_left(step->block, step->warp) && barriers_check(step->block);
}
