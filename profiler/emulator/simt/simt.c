/* simt.c: fragments, frames, control flow, barriers; see simt.h for the theory. */
#include "emulator/ptx/ptx_cfg.h"
#include "emulator/simt/simt_block.h"
#include "emulator/simt/simt_check.h"
#include "emulator/simt/simt_undefined.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- Faults ---- */

bool simt_no_memory(struct simt_block *block)
{
    block->faulted = true;
    return failure_harness(&block->failure, "not enough memory to emulate a block");
}

bool simt_fault(struct simt_block *block, const struct warp *warp, const struct fragment *fragment,
                uint32_t instruction_number, unsigned lane, enum status status, const char *format,
                ...)
{
    char what[1024], where[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    const struct simt_launch *launch = block->launch;
    program_locate(launch->program, fragment->frame->function_index, instruction_number, where,
                   sizeof where);
    uint32_t thread = warp->index * (uint32_t)launch->device->warp_lanes + lane;
    uint32_t x = thread % launch->block.x, y = thread / launch->block.x % launch->block.y,
             z = thread / launch->block.x / launch->block.y;
    block->faulted = true;
    return failure_student(&block->failure, status,
                           "%s: in kernel %s, thread (%u, %u, %u) of block (%u, %u, %u) %s", where,
                           launch->program->module->functions[launch->function].name, x, y, z,
                           block->index.x, block->index.y, block->index.z, what);
}

/* ---- Frames ---- */

static void fill_u64(unsigned char *registers, uint32_t offset, uint64_t value)
{
    for (unsigned lane = 0; lane < LANES; lane++)
        memcpy(registers + offset + 8 * lane, &value, sizeof value);
}

static void fill_special(const struct simt_block *block, const struct warp *warp,
                         enum ptx_special special, uint32_t *lanes)
{
    const struct simt_launch *launch = block->launch;
    unsigned width = (unsigned)launch->device->warp_lanes;
    for (unsigned lane = 0; lane < LANES; lane++) {
        uint32_t thread = warp->index * width + lane, bit = 1u << lane;
        uint32_t value = 0;
        switch (special) {
        case PTX_SPECIAL_TID_X:
            value = thread % launch->block.x;
            break;
        case PTX_SPECIAL_TID_Y:
            value = thread / launch->block.x % launch->block.y;
            break;
        case PTX_SPECIAL_TID_Z:
            value = thread / launch->block.x / launch->block.y;
            break;
        case PTX_SPECIAL_NTID_X:
            value = launch->block.x;
            break;
        case PTX_SPECIAL_NTID_Y:
            value = launch->block.y;
            break;
        case PTX_SPECIAL_NTID_Z:
            value = launch->block.z;
            break;
        case PTX_SPECIAL_CTAID_X:
            value = block->index.x;
            break;
        case PTX_SPECIAL_CTAID_Y:
            value = block->index.y;
            break;
        case PTX_SPECIAL_CTAID_Z:
            value = block->index.z;
            break;
        case PTX_SPECIAL_NCTAID_X:
            value = launch->grid.x;
            break;
        case PTX_SPECIAL_NCTAID_Y:
            value = launch->grid.y;
            break;
        case PTX_SPECIAL_NCTAID_Z:
            value = launch->grid.z;
            break;
        case PTX_SPECIAL_LANEID:
            value = lane;
            break;
        case PTX_SPECIAL_WARPID:
            value = warp->index;
            break;
        case PTX_SPECIAL_NWARPID:
            value = block->warp_count;
            break;
        case PTX_SPECIAL_SMID:
            value = block->sm;
            break;
        case PTX_SPECIAL_NSMID:
            value = (uint32_t)launch->device->multiprocessors;
            break;
        case PTX_SPECIAL_LANEMASK_EQ:
            value = bit;
            break;
        case PTX_SPECIAL_LANEMASK_LT:
            value = bit - 1;
            break;
        case PTX_SPECIAL_LANEMASK_LE:
            value = bit | (bit - 1);
            break;
        case PTX_SPECIAL_LANEMASK_GE:
            value = ~(bit - 1);
            break;
        case PTX_SPECIAL_LANEMASK_GT:
            value = ~(bit | (bit - 1));
            break;
        case PTX_SPECIAL_DYNAMIC_SMEM_SIZE:
            value = (uint32_t)launch->dynamic_shared;
            break;
        case PTX_SPECIAL_TOTAL_SMEM_SIZE:
            value = (uint32_t)(program_shared_bytes(launch->program, launch->function) +
                               launch->dynamic_shared);
            break;
        default: /* %gridid, %envreg: 0 */
            break;
        }
        lanes[lane] = value;
    }
}

/* Does the register change from block to block? */
static bool special_varies(enum ptx_special special)
{
    return special == PTX_SPECIAL_CTAID_X || special == PTX_SPECIAL_CTAID_Y ||
           special == PTX_SPECIAL_CTAID_Z || special == PTX_SPECIAL_SMID;
}

/* Registers start as zero, so that a program that reads one too early is at least deterministic. */
static void frame_begin(const struct simt_block *block, const struct warp *warp,
                        struct frame *frame)
{
    const struct program_function *function = frame->function;
    memset(frame->registers, 0, FRAME_SCRATCH);
    memset(frame->registers + function->registers_begin, 0,
           function->frame_bytes - function->registers_begin);
    if (!frame->begun)
        fill_u64(frame->registers, FRAME_LOCAL_BASE, frame->local_base);
    for (size_t i = 0; i < function->special_count; i++) {
        const struct program_special *special = &function->specials[i];
        if (!frame->begun || special_varies(special->special))
            fill_special(block, warp, special->special,
                         (uint32_t *)(void *)(frame->registers + special->offset));
    }
    frame->begun = true;
}

/* A frame for a warp's root function, or for a call: then it is linked into the warp's list. */
static struct frame *frame_create(const struct simt_launch *launch, int function_index)
{
    const struct program_function *function = &launch->program->functions[function_index];
    struct frame *frame = calloc(1, sizeof *frame);
    if (!frame)
        return NULL;
    frame->function = function;
    frame->function_index = function_index;
    frame->registers = aligned_alloc(64, function->frame_bytes);
    frame->params = calloc(LANES, function->params_bytes ? function->params_bytes : 1);
    if (!frame->registers || !frame->params) {
        free(frame->registers);
        free(frame->params);
        free(frame);
        return NULL;
    }
    return frame;
}

static void frame_free(struct frame *frame)
{
    if (!frame)
        return;
    free(frame->registers);
    free(frame->params);
    free(frame);
}

static uint64_t frame_bytes(const struct frame *frame)
{
    return frame->function->frame_bytes + (uint64_t)LANES * frame->function->params_bytes;
}

static void frame_link(struct warp *warp, struct frame *frame)
{
    frame->next = warp->calls;
    if (frame->next)
        frame->next->previous = frame;
    warp->calls = frame;
    warp->call_bytes += frame_bytes(frame);
}

static void frame_unlink(struct warp *warp, struct frame *frame)
{
    if (frame->next)
        frame->next->previous = frame->previous;
    if (frame->previous)
        frame->previous->next = frame->next;
    else
        warp->calls = frame->next;
    warp->call_bytes -= frame_bytes(frame);
}

/* ---- Nodes and fragments ---- */

static int node_create(struct warp *warp, uint32_t reconverge, uint32_t expected, int parent,
                       struct frame *frame)
{
    if (warp->free_node < 0) {
        unsigned capacity = warp->node_capacity ? 2 * warp->node_capacity : 32;
        if (capacity > MAX_NODES)
            return NODE_NONE;
        struct node *nodes = realloc(warp->nodes, capacity * sizeof *nodes);
        if (!nodes)
            return NODE_NONE;
        warp->nodes = nodes;
        for (unsigned i = capacity; i-- > warp->node_capacity;) {
            nodes[i].parent = warp->free_node;
            warp->free_node = (int)i;
        }
        warp->node_capacity = capacity;
    }
    int index = warp->free_node;
    warp->free_node = warp->nodes[index].parent;
    warp->nodes[index] = (struct node){
        .reconverge = reconverge, .expected = expected, .parent = parent, .frame = frame};
    return index;
}

static void node_release(struct warp *warp, int index)
{
    warp->nodes[index].parent = warp->free_node;
    warp->free_node = index;
}

static void fragment_remove(struct warp *warp, unsigned index)
{
    warp->fragment_count--;
    memmove(&warp->fragments[index], &warp->fragments[index + 1],
            (warp->fragment_count - index) * sizeof warp->fragments[0]);
}

/* A node is complete when all its lanes have arrived or exited: those that arrived go on together.
 */
static void node_settle(struct warp *warp, int index)
{
    while (index != NODE_NONE) {
        struct node *node = &warp->nodes[index];
        uint32_t alive = node->expected & ~warp->exited;
        if (node->arrived != alive)
            return;
        int parent = node->parent;
        uint32_t arrived = node->arrived, reconverge = node->reconverge;
        struct frame *frame = node->frame;
        node_release(warp, index);
        uint32_t pc = reconverge;
        if (reconverge == NODE_CALL) {
            struct frame *caller = frame->parent;
            pc = frame->return_pc;
            frame_unlink(warp, frame);
            frame_free(frame);
            frame = caller;
        }
        if (arrived) {
            warp->fragments[warp->fragment_count++] = (struct fragment){
                .pc = pc, .mask = arrived, .frame = frame, .node = parent, .way = PC_NEVER};
            return;
        }
        index = parent; /* all exited: the parent may be complete now */
    }
}

/* A fragment has reached its node's reconvergence point (or its call's return). */
static void fragment_arrive(struct warp *warp, unsigned index)
{
    int node = warp->fragments[index].node;
    warp->nodes[node].arrived |= warp->fragments[index].mask;
    fragment_remove(warp, index);
    node_settle(warp, node);
}

static void fragment_exit(struct simt_block *block, struct warp *warp, unsigned index,
                          uint32_t mask)
{
    struct fragment *fragment = &warp->fragments[index];
    int node = fragment->node;
    warp->exited |= mask;
    block->threads_alive -= (unsigned)__builtin_popcount(mask);
    fragment->mask &= ~mask;
    if (fragment->mask)
        return;
    fragment_remove(warp, index);
    node_settle(warp, node);
}

/* ---- Control flow ---- */

/* The lanes of `mask` become a fragment of their own at `pc`, to meet the others where both meet
 * their node; the rest stay. */
static void fragment_divide(struct warp *warp, struct fragment *fragment, uint32_t mask,
                            uint32_t pc)
{
    struct fragment other = *fragment;
    other.mask = mask;
    other.pc = pc;
    fragment->mask &= ~mask;
    warp->fragments[warp->fragment_count++] = other;
}

/* Send `taken` lanes of the fragment to `target`; the rest stay (pc already set). False: no memory.
 */
static bool fragment_split(struct warp *warp, struct fragment *fragment, uint32_t taken,
                           uint32_t target, uint32_t reconverge)
{
    /* Nobody waits for company to leave the kernel: the others may need a barrier without them. */
    const struct instruction *meeting = &fragment->frame->function->code[reconverge];
    if (meeting->kind == SIMT_EXIT && !meeting->guard.used) {
        fragment_divide(warp, fragment, taken, target);
        return true;
    }
    uint32_t here = fragment->node == NODE_NONE ? PC_NEVER : warp->nodes[fragment->node].reconverge;
    /* A loop's later divergences meet at the same point as its first one: one node serves them. */
    if (here != reconverge || warp->nodes[fragment->node].frame != fragment->frame) {
        int node = node_create(warp, reconverge, fragment->mask, fragment->node, fragment->frame);
        if (node == NODE_NONE)
            return false;
        fragment->node = node;
    }
    if (target == reconverge) {
        warp->nodes[fragment->node].arrived |= taken;
        fragment->mask &= ~taken;
    } else {
        fragment_divide(warp, fragment, taken, target);
    }
    return true;
}

static bool execute_branch(struct simt_block *block, struct warp *warp, struct fragment *fragment,
                           const struct instruction *instruction, uint32_t mask)
{
    if (mask == fragment->mask) {
        fragment->pc = instruction->target;
        if (instruction->guard.used)
            fragment->way = instruction->target;
        return true;
    }
    fragment->way = instruction->target; /* of those that go there */
    fragment->pc++;
    if (mask && !fragment_split(warp, fragment, mask, instruction->target, instruction->reconverge))
        return simt_no_memory(block);
    fragment->way = fragment->pc;
    return true;
}

static bool execute_branch_index(struct simt_block *block, struct warp *warp,
                                 struct fragment *fragment, const struct instruction *instruction,
                                 uint32_t mask)
{
    const struct program_function *function = fragment->frame->function;
    const struct ptx_targets *targets = &function->source->targets[instruction->extra];
    uint32_t number = instruction->number, skipped = fragment->mask & ~mask, left = mask;
    uint32_t next = fragment->pc + 1, reconverge = instruction->reconverge;
    fragment->way = PC_NEVER;
    while (left) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        uint64_t index = frame_lane(fragment->frame, &instruction->source[0], lane);
        if (index >= targets->count)
            return simt_fault(block, warp, fragment, number, lane, STATUS_LAUNCH_ERROR,
                              "takes entry %" PRIu64 " of a branch table of %zu", index,
                              targets->count);
        uint32_t group = 0;
        FOR_LANES (other, left)
            if (frame_lane(fragment->frame, &instruction->source[0], other) == index)
                group |= 1u << other;
        left &= ~group;
        uint32_t target = function->first_of[targets->instructions[index]];
        if (group == fragment->mask) {
            fragment->pc = target;
            return true;
        }
        if (!left && !skipped) {
            fragment->pc = target; /* the last group stays in this fragment */
            return true;
        }
        if (!fragment_split(warp, fragment, group, target, reconverge))
            return simt_no_memory(block);
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

static bool execute_call(struct simt_block *block, struct warp *warp, struct fragment *fragment,
                         const struct instruction *instruction, uint32_t mask)
{
    const struct program *program = block->launch->program;
    const struct program_call *call = &program->calls[instruction->extra];
    int target = call->function;
    uint32_t number = instruction->number;
    if (instruction->kind == SIMT_CALL_POINTER) {
        /* Lanes that call the same function go together; the others come back to this call. */
        unsigned lane = (unsigned)__builtin_ctz(mask);
        uint64_t address = frame_lane(fragment->frame, &instruction->source[0], lane);
        uint64_t offset = address - GUEST_FUNCTION_BASE - 16;
        if (address < GUEST_FUNCTION_BASE + 16 || offset % 16 ||
            offset / 16 >= program->module->function_count)
            return simt_fault(block, warp, fragment, number, lane, STATUS_LAUNCH_ERROR,
                              "calls address 0x%" PRIx64 ", which is no function", address);
        target = (int)(offset / 16);
        const struct ptx_function *callee = &program->module->functions[target];
        bool matches = !callee->is_declaration && !callee->is_entry &&
                       callee->parameter_count == call->argument_count &&
                       callee->return_count == call->return_count;
        for (uint32_t i = 0; matches && i < call->argument_count; i++)
            matches = callee->parameters[i].bytes == call->argument_bytes[i];
        for (uint32_t i = 0; matches && i < call->return_count; i++)
            matches = callee->returns[i].bytes == call->return_bytes[i];
        if (!matches)
            return simt_fault(block, warp, fragment, number, lane, STATUS_LAUNCH_ERROR,
                              "calls %s with other parameters than it has", callee->name);
        uint32_t same = 0;
        FOR_LANES (other, mask)
            if (frame_lane(fragment->frame, &instruction->source[0], other) == address)
                same |= 1u << other;
        if (same != mask) {
            /* Split off the rest at this very instruction; both parts meet behind it. */
            uint32_t pc = fragment->pc;
            if (!fragment_split(warp, fragment, fragment->mask & ~same, pc, pc + 1))
                return simt_no_memory(block);
            mask = same;
        }
    }
    if (mask != fragment->mask) {
        /* A guarded call: the lanes that do not call wait behind it. */
        uint32_t skipped = fragment->mask & ~mask;
        if (!fragment_split(warp, fragment, skipped, fragment->pc + 1, fragment->pc + 1))
            return simt_no_memory(block);
    }
    struct frame *caller = fragment->frame;
    uint64_t local = caller->local_base + caller->function->local_bytes;
    const struct program_function *function = &program->functions[target];
    if (caller->depth >= MAX_CALL_DEPTH || local + function->local_bytes > block->local_limit ||
        warp->call_bytes > MAX_CALL_BYTES / block->warp_count + MIN_CALL_BYTES)
        return simt_fault(
            block, warp, fragment, number, (unsigned)__builtin_ctz(mask), STATUS_OUT_OF_BOUNDS,
            "overflows its stack: calls are nested %u deep, with %" PRIu64 " bytes of local memory",
            caller->depth + 1, local);
    struct frame *frame = frame_create(block->launch, target);
    if (!frame)
        return simt_no_memory(block);
    frame->parent = caller;
    frame->return_pc = fragment->pc + 1;
    frame->call = instruction->extra;
    frame->depth = caller->depth + 1;
    frame->local_base = local;
    int node = node_create(warp, NODE_CALL, mask, fragment->node, frame);
    if (node == NODE_NONE) {
        frame_free(frame);
        return simt_no_memory(block);
    }
    frame_link(warp, frame);
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

static bool execute_return(struct simt_block *block, struct warp *warp, unsigned index,
                           uint32_t mask)
{
    struct fragment *fragment = &warp->fragments[index];
    struct frame *frame = fragment->frame;
    const struct program_call *call = &block->launch->program->calls[frame->call];
    for (uint32_t i = 0; i < call->return_count; i++)
        copy_params(frame, frame->function->return_offsets[i], frame->parent, call->returns[i],
                    call->return_bytes[i], mask);
    /* The lanes may return out of divergent code: every node of this frame on the way to the call's
     * node stops expecting them. */
    int node = fragment->node, inner = node;
    while (warp->nodes[node].reconverge != NODE_CALL) {
        warp->nodes[node].expected &= ~mask;
        node = warp->nodes[node].parent;
    }
    warp->nodes[node].arrived |= mask;
    fragment->mask &= ~mask;
    if (fragment->mask) {
        fragment->pc++;
        return true;
    }
    fragment_remove(warp, index);
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

/* ---- Barriers ---- */

static void barrier_release(struct simt_block *block, unsigned id)
{
    struct barrier *barrier = &block->barriers[id];
    for (unsigned w = 0; w < block->warp_count; w++) {
        struct warp *warp = &block->warps[w];
        for (unsigned i = 0; i < warp->fragment_count; i++) {
            struct fragment *fragment = &warp->fragments[i];
            if (fragment->state != FRAGMENT_AT_BARRIER || fragment->barrier != id)
                continue;
            const struct instruction *instruction = &fragment->frame->function->code[fragment->pc];
            struct frame *frame = fragment->frame;
            uint32_t count = barrier->count;
            if (instruction->control == BARRIER_RED_POPC) {
                FOR_LANES (lane, fragment->mask)
                    frame_set_lane(frame, &instruction->destination, lane, count);
            }
            if (instruction->control == BARRIER_RED_AND)
                frame_set_predicate(frame, &instruction->destination, fragment->mask,
                                    count == barrier->arrived_threads ? ~0u : 0);
            if (instruction->control == BARRIER_RED_OR)
                frame_set_predicate(frame, &instruction->destination, fragment->mask,
                                    count ? ~0u : 0);
            fragment->state = FRAGMENT_READY;
            fragment->pc++;
        }
    }
    *barrier = (struct barrier){0};
    checker_block_sync(block->checker);
}

/* Follow jumps from `at`: the first instruction that does anything. */
static uint32_t skip_jumps(const struct program_function *function, uint32_t at)
{
    for (unsigned hops = 0; hops < 64; hops++) {
        const struct instruction *instruction = &function->code[at];
        if (instruction->kind == SIMT_BRANCH && !instruction->guard.used)
            at = instruction->target;
        else if (instruction->kind == SIMT_NOP)
            at++;
        else
            break;
    }
    return at;
}

/* Does the fragment leave the kernel right behind a condition, without doing anything more? */
static bool exit_is_early(const struct fragment *fragment)
{
    const struct program_function *function = fragment->frame->function;
    return function->code[fragment->pc].guard.used ||
           (fragment->way != PC_NEVER && skip_jumps(function, fragment->way) == fragment->pc);
}

/* Whether a thread that goes to PTX instruction `target` goes around the barrier, to do some work
 * other than to leave or to trap. */
static bool works_elsewhere(const struct program_function *function,
                            const struct ptx_blocks *blocks, const bool *reaches, uint32_t barrier,
                            uint32_t target)
{
    uint32_t block = blocks->block_of[target];
    uint16_t kind = function->code[skip_jumps(function, function->first_of[target])].kind;
    return block != barrier && !reaches[block] && kind != SIMT_EXIT && kind != SIMT_RETURN &&
           kind != SIMT_TRAP;
}

/* Whether code that a thread can only reach by going around the barrier does any work: then threads
 * that have left the kernel skipped the barrier, rather than having returned early (which CC >= 7.0
 * allows: a barrier waits for the threads that have not exited). */
static bool barrier_is_conditional(const struct program_function *function, uint32_t pc)
{
    const struct ptx_function *source = function->source;
    struct ptx_blocks blocks;
    bool *reaches = NULL, conditional = false;
    if (ptx_blocks_find(&blocks, source) && (reaches = calloc(blocks.count + 1, sizeof *reaches))) {
        uint32_t barrier = blocks.block_of[function->code[pc].number];
        ptx_blocks_reaching(&blocks, source, barrier, reaches);
        for (uint32_t block = 0; block < blocks.count; block++) {
            struct ptx_flow flow = ptx_block_flow(&blocks, source, block);
            if (!flow.jumps || !reaches[block])
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

/* Warps that have arrived: those that did not wait, and those of which every thread waits (PTX ISA,
 * "barrier": a warp arrives when all its threads that have not exited have). */
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

/* Release the barrier if everyone it waits for has come. False after a fault. */
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
    if (block->has_late_exits &&
        barrier_is_conditional(&block->launch->program->functions[barrier->function],
                               barrier->pc)) {
        for (unsigned w = 0; w < block->warp_count; w++)
            for (unsigned i = 0; i < block->warps[w].fragment_count; i++) {
                struct fragment *fragment = &block->warps[w].fragments[i];
                if (fragment->state == FRAGMENT_AT_BARRIER && fragment->barrier == id)
                    return simt_fault(
                        block, &block->warps[w], fragment,
                        fragment->frame->function->code[fragment->pc].number,
                        (unsigned)__builtin_ctz(fragment->mask), STATUS_DEADLOCK,
                        "waits at a barrier that only %u of the block's %u threads reach: the "
                        "others "
                        "went around it. A barrier must be reached by all threads of the block",
                        barrier->arrived_threads, block->threads);
            }
    }
    barrier_release(block, id);
    return true;
}

/* All barriers, after threads have exited. */
static bool barriers_check(struct simt_block *block)
{
    for (unsigned id = 0; id < BARRIERS; id++)
        if (!barrier_check(block, id))
            return false;
    return true;
}

static bool barrier_torn(struct simt_block *block, const struct warp *warp,
                         const struct fragment *fragment, uint32_t mask)
{
    return simt_fault(block, warp, fragment, fragment->frame->function->code[fragment->pc].number,
                      (unsigned)__builtin_ctz(mask), STATUS_DEADLOCK,
                      "waits at a barrier with %d of its warp's %d threads: the others took "
                      "another branch. A barrier must be reached by all threads of the block",
                      __builtin_popcount(mask), __builtin_popcount(warp->lanes & ~warp->exited));
}

/* The warp cannot go on. If that is because a part of it waits at a barrier that all lanes should
 * reach together, and the rest is still there, false and a fault. */
static bool barrier_check_torn(struct simt_block *block, struct warp *warp)
{
    for (unsigned i = 0; warp->is_torn && i < warp->fragment_count; i++) {
        const struct fragment *fragment = &warp->fragments[i];
        if (fragment->state == FRAGMENT_AT_BARRIER &&
            fragment->mask != (warp->lanes & ~warp->exited))
            return barrier_torn(block, warp, fragment, fragment->mask);
    }
    warp->is_torn = false;
    return true;
}

static bool execute_barrier(struct simt_block *block, struct warp *warp, struct fragment *fragment,
                            const struct instruction *instruction, uint32_t mask)
{
    unsigned first = (unsigned)__builtin_ctz(mask);
    uint64_t id = frame_lane(fragment->frame, &instruction->source[0], first);
    uint32_t number = instruction->number;
    if (id >= BARRIERS)
        return simt_fault(block, warp, fragment, number, first, STATUS_LAUNCH_ERROR,
                          "uses barrier %" PRIu64 "; a block has barriers 0 to %d", id,
                          BARRIERS - 1);
    if (instruction->immediate && mask != (warp->lanes & ~warp->exited) && !warp->is_loosened) {
        /* The other lanes may be about to leave the kernel; nothing else excuses them. */
        if (warp->is_torn || mask != fragment->mask)
            return barrier_torn(block, warp, fragment, mask);
        warp->is_torn = true;
    }
    unsigned width = (unsigned)block->launch->device->warp_lanes;
    struct barrier *barrier = &block->barriers[id];
    uint32_t expected = 0;
    if (instruction->source[1].used) {
        uint64_t threads = frame_lane(fragment->frame, &instruction->source[1], first);
        if (!threads || threads % width || threads > width * (uint64_t)block->warp_count)
            return simt_fault(block, warp, fragment, number, first, STATUS_LAUNCH_ERROR,
                              "names %" PRIu64
                              " threads at a barrier: it must be a multiple of %u, "
                              "and at most the block's",
                              threads, width);
        expected = (uint32_t)(threads / width);
    }
    if (!barrier->arrived_threads) {
        barrier->expected_warps = expected;
        barrier->function = fragment->frame->function_index;
        barrier->pc = fragment->pc;
    } else if (barrier->expected_warps != expected) {
        return simt_fault(block, warp, fragment, number, first, STATUS_DEADLOCK,
                          "names another number of threads at barrier %" PRIu64 " than those that "
                          "wait there",
                          id);
    } else if (!expected && instruction->immediate &&
               (barrier->pc != fragment->pc ||
                barrier->function != fragment->frame->function_index)) {
        char here[512], there[512];
        const struct program *program = block->launch->program;
        const struct program_function *function = &program->functions[barrier->function];
        program_locate(program, fragment->frame->function_index, number, here, sizeof here);
        program_locate(program, barrier->function, function->code[barrier->pc].number, there,
                       sizeof there);
        if (strcmp(here, there) != 0)
            return simt_fault(block, warp, fragment, number, first, STATUS_DEADLOCK,
                              "waits at one barrier while other threads of the block wait at "
                              "another, at %s",
                              there);
    }
    barrier->arrived_threads += (uint32_t)__builtin_popcount(mask);
    if (instruction->source[2].used)
        barrier->count += (uint32_t)__builtin_popcount(
            frame_predicate(fragment->frame, &instruction->source[2]) & mask);
    if (instruction->control == BARRIER_ARRIVE) {
        barrier->passed_warps++;
        fragment->pc++;
    } else {
        if (mask != fragment->mask) /* a guarded barrier.sync: the others go on */
            fragment_divide(warp, fragment, fragment->mask & ~mask, fragment->pc + 1);
        fragment->state = FRAGMENT_AT_BARRIER;
        fragment->barrier = (unsigned)id;
        block->counters.barriers++;
    }
    return barrier_check(block, (unsigned)id);
}

/* ---- Operations of several lanes ---- */

static bool is_collective(uint16_t kind)
{
    return kind == SIMT_SHUFFLE || kind == SIMT_VOTE || kind == SIMT_MATCH || kind == SIMT_REDUX ||
           kind == SIMT_ELECT;
}

static const struct operand *member_mask(const struct instruction *instruction)
{
    return &instruction->source[instruction->kind == SIMT_WARP_SYNC ? 0 : 3];
}

/* If all lanes that fragment `index` waits for have come, let them go on together. */
static bool sync_try(struct simt_block *block, struct warp *warp, unsigned index)
{
    struct fragment *fragment = &warp->fragments[index];
    const struct instruction *instruction = &fragment->frame->function->code[fragment->pc];
    uint32_t needed = fragment->needed & ~warp->exited, come = 0;
    bool collective = is_collective(instruction->kind);
    for (unsigned i = 0; i < warp->fragment_count; i++) {
        const struct fragment *other = &warp->fragments[i];
        if (other->state != FRAGMENT_AT_SYNC || other->needed != fragment->needed)
            continue;
        uint16_t kind = other->frame->function->code[other->pc].kind;
        bool together = collective ? other->frame == fragment->frame && other->pc == fragment->pc
                                   : kind == SIMT_WARP_SYNC;
        if (together)
            come |= other->mask;
    }
    if (needed & ~come)
        return false;
    uint32_t pc = fragment->pc;
    struct frame *frame = fragment->frame;
    if (collective)
        simt_collective(instruction, frame, come);
    else
        checker_warp_sync(block->checker, warp);
    for (unsigned i = 0; i < warp->fragment_count; i++) {
        struct fragment *other = &warp->fragments[i];
        if (other->state != FRAGMENT_AT_SYNC || !(other->mask & come))
            continue;
        if (collective ? other->frame != frame || other->pc != pc
                       : other->frame->function->code[other->pc].kind != SIMT_WARP_SYNC)
            continue;
        other->state = FRAGMENT_READY;
        other->pc++;
    }
    return true;
}

static void sync_check(struct simt_block *block, struct warp *warp)
{
    for (unsigned i = 0; i < warp->fragment_count; i++)
        if (warp->fragments[i].state == FRAGMENT_AT_SYNC && sync_try(block, warp, i))
            i = UINT32_MAX; /* start over: fragments have changed */
}

/* The lanes of `mask` with the first one's member mask, which becomes *needed. */
static uint32_t sync_group(const struct warp *warp, const struct frame *frame,
                           const struct operand *members, uint32_t mask, uint32_t *needed)
{
    *needed = mask;
    if (!members->used)
        return mask;
    uint64_t first = frame_lane(frame, members, (unsigned)__builtin_ctz(mask));
    uint32_t group = 0;
    FOR_LANES (lane, mask)
        group |= (uint32_t)(frame_lane(frame, members, lane) == first) << lane;
    *needed = (uint32_t)first & warp->lanes;
    return group;
}

static bool execute_sync(struct simt_block *block, struct warp *warp, struct fragment *fragment,
                         const struct instruction *instruction, uint32_t mask)
{
    const struct operand *members = member_mask(instruction);
    struct frame *frame = fragment->frame;
    if (members->used)
        FOR_LANES (lane, mask)
            if (!(frame_lane(frame, members, lane) >> lane & 1))
                return simt_fault(
                    block, warp, fragment, instruction->number, lane, STATUS_DEADLOCK,
                    "executes a warp operation whose member mask 0x%08x does not name it",
                    (uint32_t)frame_lane(frame, members, lane));
    /* Lanes with one member mask are a group; usually there is one group, or all are complete. */
    bool complete = true;
    uint32_t group = mask, needed = mask;
    for (uint32_t left = mask; complete && left; left &= ~group) {
        group = sync_group(warp, frame, members, left, &needed);
        complete = !(needed & ~warp->exited & ~group);
    }
    if (complete) {
        for (uint32_t left = mask; is_collective(instruction->kind) && left; left &= ~group) {
            group = sync_group(warp, frame, members, left, &needed);
            simt_collective(instruction, frame, group);
        }
        if (instruction->kind == SIMT_WARP_SYNC)
            checker_warp_sync(block->checker, warp);
        fragment->pc++;
        return true;
    }
    /* The group waits alone; other groups come back to this instruction, and all meet behind it. */
    if (mask != fragment->mask)
        fragment_divide(warp, fragment, fragment->mask & ~mask, fragment->pc + 1);
    if (group != mask &&
        !fragment_split(warp, fragment, mask & ~group, fragment->pc, fragment->pc + 1))
        return simt_no_memory(block);
    fragment->state = FRAGMENT_AT_SYNC;
    fragment->needed = needed;
    sync_check(block, warp);
    return true;
}

/* ---- The interpreter ---- */

static bool execute_unsupported(struct simt_block *block, const struct warp *warp,
                                const struct fragment *fragment,
                                const struct instruction *instruction, uint32_t mask)
{
    const struct ptx_instruction *source =
        &fragment->frame->function->source->instructions[instruction->number];
    const char *callee = NULL;
    const struct ptx_module *module = block->launch->program->module;
    for (unsigned i = 0; i < source->operand_count; i++)
        if (source->opcode == PTX_OP_CALL && source->operands[i].kind == PTX_OPERAND_FUNCTION)
            callee = module->functions[source->operands[i].index].name;
    if (callee)
        return simt_fault(block, warp, fragment, instruction->number, (unsigned)__builtin_ctz(mask),
                          STATUS_UNSUPPORTED, "calls %s, which the emulator does not provide",
                          callee);
    return simt_fault(
        block, warp, fragment, instruction->number, (unsigned)__builtin_ctz(mask),
        STATUS_UNSUPPORTED,
        "needs the PTX instruction %s (line %u of the PTX), which the emulator does not "
        "support",
        source->text ? source->text : "?", source->ptx_line);
}

static void execute_clock(const struct simt_block *block, struct frame *frame,
                          const struct instruction *instruction, uint32_t mask)
{
    /* A clock that advances with the block's instructions, 4 cycles each: it orders events and is
     * the same on every machine, but it is no measure of time. */
    uint64_t clock = 4 * block->executed;
    uint64_t value = clock;
    switch (instruction->control) {
    case PTX_SPECIAL_CLOCK_HI:
    case PTX_SPECIAL_GLOBALTIMER_HI:
        value = clock >> 32;
        break;
    case PTX_SPECIAL_CLOCK:
    case PTX_SPECIAL_GLOBALTIMER_LO:
        value = (uint32_t)clock;
        break;
    default:
        break;
    }
    FOR_LANES (lane, mask)
        frame_set_lane(frame, &instruction->destination, lane, value);
}

static void execute_convert_address(struct frame *frame, const struct instruction *instruction,
                                    uint32_t mask)
{
    uint64_t window = (uint64_t)instruction->immediate;
    uint64_t offset = instruction->flags & SIMT_TO_SPACE ? -window : window;
    const unsigned char *from = frame_source(frame, &instruction->source[0]);
    unsigned char *to = frame->registers + instruction->destination.offset;
    for (unsigned lane = 0; lane < LANES; lane++) {
        uint64_t address = lane_get(from + 8 * lane, 8) + offset;
        if (mask >> lane & 1)
            lane_set(to + 8 * lane, 8, address);
    }
}

static uint32_t addresses_in_space(const struct frame *frame, const struct instruction *instruction,
                                   uint32_t mask)
{
    uint32_t bits = 0;
    FOR_LANES (lane, mask) {
        uint64_t window = frame_lane(frame, &instruction->source[0], lane) >> 48;
        bool inside = instruction->space == PTX_SHARED  ? window == GUEST_SHARED_BASE >> 48
                      : instruction->space == PTX_LOCAL ? window == GUEST_LOCAL_BASE >> 48
                      : instruction->space == PTX_CONST ? window == GUEST_CONST_BASE >> 48
                      : instruction->space == PTX_PARAM ? window == GUEST_PARAM_BASE >> 48
                                                        : window == 0;
        bits |= (uint32_t)inside << lane;
    }
    return bits;
}

/* The next fragment that can run, after the current one; false when there is none. */
static bool warp_next_fragment(struct warp *warp)
{
    for (unsigned i = 0; i < warp->fragment_count; i++) {
        /* The newest first: inner divergence finishes before outer. */
        unsigned index = warp->fragment_count - 1 - i;
        if (warp->fragments[index].state == FRAGMENT_READY) {
            warp->current = index;
            return true;
        }
    }
    return false;
}

/* Give another fragment of the warp a turn, when there is one. */
static void warp_rotate(struct warp *warp)
{
    for (unsigned i = 1; i < warp->fragment_count; i++) {
        unsigned index = (warp->current + i) % warp->fragment_count;
        if (warp->fragments[index].state == FRAGMENT_READY) {
            warp->current = index;
            return;
        }
    }
}

/* Lanes that wait to meet others let them be: they go on by themselves. So the holder of a lock
 * gets to release it while other lanes of its warp spin (independent thread scheduling, CC >= 7.0).
 */
static void warp_loosen(struct warp *warp)
{
    unsigned running = warp->fragment_count;
    for (unsigned i = 0; i < running; i++)
        for (int n = warp->fragments[i].node; n != NODE_NONE; n = warp->nodes[n].parent) {
            struct node *node = &warp->nodes[n];
            if (!node->arrived)
                continue;
            bool call = node->reconverge == NODE_CALL;
            warp->fragments[warp->fragment_count++] =
                (struct fragment){.pc = call ? node->frame->return_pc : node->reconverge,
                                  .mask = node->arrived,
                                  .frame = call ? node->frame->parent : node->frame,
                                  .node = node->parent,
                                  .way = PC_NEVER};
            node->expected &= ~node->arrived;
            node->arrived = 0;
            warp->is_loosened = true;
        }
}

/* Account for the running fragment's turn, and end it when it has been long. Lanes that poll memory
 * while others of their warp wait for them may be polling for what those others would do. */
static void warp_spend(struct simt_block *block, struct warp *warp, uint64_t executed)
{
    warp->turn += executed;
    if (warp->turn < (warp->is_loosened && warp->polls ? POLLED_QUANTUM : FRAGMENT_QUANTUM))
        return;
    warp->polled_turns = warp->polls ? warp->polled_turns + 1 : 0;
    warp->turn = 0;
    warp->polls = false;
    if (warp->polled_turns >= (block->has_locks ? 1 : POLLED_TURNS)) {
        warp_loosen(warp);
        block->has_locks |= warp->is_loosened;
        warp->polled_turns = 0;
    }
    warp_rotate(warp);
}

enum warp_outcome { WARP_YIELDED, WARP_BLOCKED, WARP_FAULT };

/* Run one warp until it has issued a global memory request, cannot go on, or used up its turn. */
static enum warp_outcome warp_run(struct simt_block *block, struct warp *warp)
{
    uint64_t executed = 0;
    enum warp_outcome outcome = WARP_YIELDED;
    bool alone = block->warp_count == 1;

    while (true) {
        if (warp->current >= warp->fragment_count ||
            warp->fragments[warp->current].state != FRAGMENT_READY)
            if (!warp_next_fragment(warp)) {
                outcome = barrier_check_torn(block, warp) ? WARP_BLOCKED : WARP_FAULT;
                break;
            }
        /* Copies of what the loop needs at every instruction. */
        struct fragment *fragment = &warp->fragments[warp->current];
        struct frame *frame = fragment->frame;
        const struct instruction *code = frame->function->code;
        uint32_t reconverge =
            fragment->node == NODE_NONE ? PC_NEVER : warp->nodes[fragment->node].reconverge;
        if (fragment->node != NODE_NONE && warp->nodes[fragment->node].frame != frame)
            reconverge = PC_NEVER;
        struct lanes lanes = {.bytes = {frame->registers, frame->function->pool}};
        uint32_t pc = fragment->pc, active = fragment->mask;
        uint64_t *counts = block->executed_by + frame->function->stats_base;
        const struct instruction *instruction;
        uint32_t mask;

        /* Arithmetic, and branches that all lanes take or none, stay in this loop. */
        while (true) {
            if (pc == reconverge) {
                instruction = NULL;
                break;
            }
            instruction = &code[pc];
            mask = active;
            if (instruction->guard.used)
                mask &= frame_predicate(frame, &instruction->guard);
            executed++;
            counts[instruction->number]++;
            if (__builtin_expect(warp->undefined && warp->undefined->count, 0))
                checker_follow(block, warp, fragment, instruction, mask);
            if (instruction->kind == SIMT_ALU) {
                if (mask)
                    instruction->handler(instruction, &lanes, mask);
                pc++;
            } else if (instruction->kind == SIMT_BRANCH && (mask == active || !mask) &&
                       executed < FRAGMENT_QUANTUM) {
                pc = mask ? instruction->target : pc + 1;
                if (instruction->guard.used)
                    fragment->way = pc;
            } else {
                break;
            }
        }
        fragment->pc = pc;
        if (!instruction) {
            fragment_arrive(warp, warp->current);
            continue;
        }

        bool good = true, global = false;
        if (instruction->kind == SIMT_BRANCH) {
            good = execute_branch(block, warp, fragment, instruction, mask);
        } else if (!mask) {
            fragment->pc++;
        } else {
            switch (instruction->kind) {
            case SIMT_NOP:
                checker_fence(block->checker, instruction);
                fragment->pc++;
                break;
            case SIMT_BRANCH_INDEX:
                good = execute_branch_index(block, warp, fragment, instruction, mask);
                break;
            case SIMT_RETURN:
                good = execute_return(block, warp, warp->current, mask);
                break;
            case SIMT_EXIT:
                block->has_late_exits |= !exit_is_early(fragment);
                fragment->pc++;
                fragment_exit(block, warp, warp->current, mask);
                sync_check(block, warp);
                good = barriers_check(block);
                break;
            case SIMT_TRAP:
                good = simt_fault(block, warp, fragment, instruction->number,
                                  (unsigned)__builtin_ctz(mask), STATUS_LAUNCH_ERROR,
                                  "executes a trap");
                break;
            case SIMT_CALL:
            case SIMT_CALL_POINTER:
                good = execute_call(block, warp, fragment, instruction, mask);
                break;
            case SIMT_CALL_BUILTIN:
                good = simt_builtin_call(block, warp, fragment, instruction, mask);
                fragment->pc++;
                break;
            case SIMT_LOAD:
                warp->polls |= (instruction->flags & SIMT_VOLATILE) != 0;
                /* fall through */
            case SIMT_STORE:
                good = simt_load_store(block, warp, fragment, instruction, mask, &global);
                fragment->pc++;
                break;
            case SIMT_ATOMIC:
                warp->polls = true;
                good = simt_atomic(block, warp, fragment, instruction, mask, &global);
                fragment->pc++;
                break;
            case SIMT_COPY_ASYNC:
                good = simt_copy_async(block, warp, fragment, instruction, mask, &global);
                fragment->pc++;
                break;
            case SIMT_COPY_COMMIT:
                FOR_LANES (lane, mask)
                    warp->copy_group[lane]++;
                fragment->pc++;
                break;
            case SIMT_COPY_WAIT:
                if (instruction->flags & SIMT_EVERY) /* those of no group yet, too */
                    FOR_LANES (lane, mask)
                        warp->copy_group[lane]++;
                good = simt_copy_wait(block, warp, fragment, instruction, mask,
                                      (uint32_t)instruction->immediate);
                fragment->pc++;
                break;
            case SIMT_BARRIER:
                good = execute_barrier(block, warp, fragment, instruction, mask);
                break;
            case SIMT_WARP_SYNC:
            case SIMT_SHUFFLE:
            case SIMT_VOTE:
            case SIMT_MATCH:
            case SIMT_REDUX:
            case SIMT_ELECT:
                good = execute_sync(block, warp, fragment, instruction, mask);
                break;
            case SIMT_ACTIVE_MASK:
                FOR_LANES (lane, mask)
                    frame_set_lane(frame, &instruction->destination, lane, mask);
                fragment->pc++;
                break;
            case SIMT_CLOCK:
                block->executed += executed;
                execute_clock(block, frame, instruction, mask);
                block->executed -= executed;
                fragment->pc++;
                break;
            case SIMT_CONVERT_ADDRESS:
                execute_convert_address(frame, instruction, mask);
                fragment->pc++;
                break;
            case SIMT_IS_SPACE:
                frame_set_predicate(frame, &instruction->destination, mask,
                                    addresses_in_space(frame, instruction, mask));
                fragment->pc++;
                break;
            default:
                good = execute_unsupported(block, warp, fragment, instruction, mask);
                break;
            }
        }
        if (!good) {
            outcome = WARP_FAULT;
            break;
        }
        if (global && !alone)
            break;
        if (executed >= FRAGMENT_QUANTUM)
            break;
    }
    warp_spend(block, warp, executed);
    block->executed += executed;
    block->counters.warp_instructions += executed;
    return outcome;
}

/* ---- Blocks ---- */

/* Forget what the warp was doing: after a fault, calls may be under way. */
static void warp_discard(struct warp *warp)
{
    while (warp->calls) {
        struct frame *frame = warp->calls;
        frame_unlink(warp, frame);
        frame_free(frame);
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
        frame_free(warp->root);
        free(warp->nodes);
        free(warp->local);
        free(warp->copies);
        free(warp->undefined);
    }
    checker_free(block->checker);
    free(block->warps);
    free(block->shared);
    free(block->output);
    free(block->trace.runs);
    free(block);
}

struct simt_block *simt_block_create(const struct simt_launch *launch,
                                     struct instruction_stats *stats, uint64_t *executed)
{
    struct simt_block *block = calloc(1, sizeof *block);
    if (!block)
        return NULL;
    const struct program_function *function = &launch->program->functions[launch->function];
    unsigned width = (unsigned)launch->device->warp_lanes;
    block->launch = launch;
    block->stats = stats;
    block->executed_by = executed;
    block->threads = launch->block.x * launch->block.y * launch->block.z;
    block->warp_count = (block->threads + width - 1) / width;
    block->warps = calloc(block->warp_count, sizeof *block->warps);
    block->shared_static_end = program_shared_bytes(launch->program, launch->function);
    block->shared_bytes = launch->program->dynamic_shared + launch->dynamic_shared;
    block->shared_capacity = (block->shared_bytes + 64 + 63) & ~63ull;
    block->shared = aligned_alloc(64, block->shared_capacity);
    block->local_limit =
        function->local_bytes + (launch->program->has_calls ? LOCAL_STACK_BYTES : 0);
    /* Lanes are kept apart by an odd number of cache lines, so that they do not share host sets. */
    block->local_stride = ((block->local_limit + 63) & ~63ull) | 64;
    if (launch->checks)
        block->checker = checker_create(launch, block->shared_bytes);
    bool good = block->warps && block->shared && (block->checker || !launch->checks);
    for (unsigned w = 0; good && w < block->warp_count; w++) {
        struct warp *warp = &block->warps[w];
        warp->index = w;
        warp->free_node = -1;
        unsigned lanes = block->threads - w * width < width ? block->threads - w * width : width;
        warp->lanes = lanes == 32 ? 0xffffffffu : (1u << lanes) - 1;
        warp->root = frame_create(launch, launch->function);
        warp->local = block->local_limit ? calloc(LANES, block->local_stride) : NULL;
        good = warp->root && (warp->local || !block->local_limit);
    }
    if (!good) {
        simt_block_free(block);
        return NULL;
    }
    return block;
}

bool simt_block_start(struct simt_block *block, uint64_t number, unsigned sm)
{
    const struct simt_launch *launch = block->launch;
    block->number = number;
    block->sm = sm;
    block->index.x = (uint32_t)(number % launch->grid.x);
    block->index.y = (uint32_t)(number / launch->grid.x % launch->grid.y);
    block->index.z = (uint32_t)(number / launch->grid.x / launch->grid.y);
    block->is_watched = number == 0 || simt_is_observed(block);
    block->current_warp = 0;
    block->threads_alive = block->threads;
    block->executed = 0;
    block->has_late_exits = block->has_locks = false;
    block->output_length = 0;
    block->trace.count = 0;
    block->trace.sm = sm;
    block->trace.warps = block->warp_count;
    block->trace.may_merge = false;
    memset(block->barriers, 0, sizeof block->barriers);
    checker_begin(block->checker, number);
    /* Shared memory has no defined contents at a block's start; a pattern that is a NaN and an
     * absurd index makes a kernel that reads it first visibly wrong, and the same on every machine.
     */
    memset(block->shared, 0xff, block->shared_capacity);
    for (unsigned w = 0; w < block->warp_count; w++) {
        struct warp *warp = &block->warps[w];
        warp_discard(warp);
        warp->exited = 0;
        warp->turn = warp->polled_turns = 0;
        warp->sync_stamp = 0;
        warp->rounds = 0;
        if (warp->undefined)
            warp->undefined->count = 0;
        warp->polls = warp->is_loosened = warp->is_torn = false;
        warp->copy_count = 0;
        memset(warp->copy_group, 0, sizeof warp->copy_group);
        /* What the block before left there must not be seen: it depends on who ran it. */
        for (unsigned lane = 0; warp->local_written && lane < LANES; lane++)
            memset(warp->local + lane * block->local_stride, 0, warp->local_written);
        warp->local_written = 0;
        memset(warp->root->params, 0, (size_t)LANES * warp->root->function->params_bytes);
        warp->free_node = -1;
        for (unsigned i = warp->node_capacity; i-- > 0;) {
            warp->nodes[i].parent = warp->free_node;
            warp->free_node = (int)i;
        }
        warp->current = 0;
        warp->fragment_count = 1;
        warp->fragments[0] = (struct fragment){
            .mask = warp->lanes, .frame = warp->root, .node = NODE_NONE, .way = PC_NEVER};
        frame_begin(block, warp, warp->root);
    }
    return true;
}

/* No warp can go on, but not all have finished. */
static void block_deadlock(struct simt_block *block)
{
    for (unsigned w = 0; w < block->warp_count; w++) {
        struct warp *warp = &block->warps[w];
        if (!warp->fragment_count)
            continue;
        struct fragment *fragment = &warp->fragments[0];
        const struct instruction *instruction = &fragment->frame->function->code[fragment->pc];
        unsigned lane = (unsigned)__builtin_ctz(fragment->mask);
        if (fragment->state == FRAGMENT_AT_SYNC)
            simt_fault(block, warp, fragment, instruction->number, lane, STATUS_DEADLOCK,
                       "waits for lanes 0x%08x in a warp operation that only lanes 0x%08x reach",
                       fragment->needed, fragment->mask);
        else
            simt_fault(block, warp, fragment, instruction->number, lane, STATUS_DEADLOCK,
                       "waits at a barrier that %u of the block's %u threads have reached and the "
                       "others never will",
                       block->barriers[fragment->barrier].arrived_threads, block->threads);
        return;
    }
}

static enum simt_outcome block_run(struct simt_block *block, uint64_t quantum)
{
    uint64_t end = block->executed + quantum;
    unsigned blocked = 0;
    while (blocked < block->warp_count) {
        struct warp *warp = &block->warps[block->current_warp];
        if (warp->fragment_count) {
            unsigned barriers_before = block->threads_alive;
            uint64_t before = block->executed;
            enum warp_outcome outcome = warp_run(block, warp);
            if (outcome == WARP_FAULT || checker_fault_is_due(block, false))
                return SIMT_FAULT;
            if (block->executed != before || block->threads_alive != barriers_before)
                blocked = 0;
            else
                blocked++;
        } else {
            blocked++;
        }
        block->current_warp = (block->current_warp + 1) % block->warp_count;
        if (block->executed > block->launch->block_budget) {
            struct fragment *fragment = NULL;
            for (unsigned w = 0; !fragment && w < block->warp_count; w++)
                if (block->warps[w].fragment_count) {
                    warp = &block->warps[w];
                    fragment =
                        &warp->fragments[warp->current < warp->fragment_count ? warp->current : 0];
                }
            if (fragment) {
                simt_fault(block, warp, fragment,
                           fragment->frame->function->code[fragment->pc].number,
                           (unsigned)__builtin_ctz(fragment->mask), STATUS_TIMEOUT,
                           "is still running after %" PRIu64
                           " warp instructions of its block: an endless loop?",
                           block->launch->block_budget);
                return SIMT_FAULT;
            }
        }
        if (block->executed >= end && block->threads_alive)
            return SIMT_MORE;
    }
    for (unsigned w = 0; w < block->warp_count; w++)
        if (block->warps[w].fragment_count) {
            block_deadlock(block);
            return SIMT_FAULT;
        }
    return SIMT_DONE;
}

enum simt_outcome simt_block_run(struct simt_block *block, uint64_t quantum)
{
    enum simt_outcome outcome = block_run(block, quantum);
    return outcome != SIMT_MORE && checker_fault_is_due(block, true) ? SIMT_FAULT : outcome;
}

const struct failure *simt_block_failure(const struct simt_block *block)
{
    return &block->failure;
}

struct trace *simt_block_trace(struct simt_block *block)
{
    return &block->trace;
}

const struct counters *simt_block_counters(const struct simt_block *block)
{
    return &block->counters;
}

const char *simt_block_output(const struct simt_block *block, size_t *length)
{
    *length = block->output_length;
    return block->output;
}
