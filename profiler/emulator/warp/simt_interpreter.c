/* simt_interpreter.c: execute the instructions of a warp (simt.h). */
#include "emulator/warp/sink.h"

#include "base/vectorised.h"

static bool execute_nop(const struct step *step)
{
    EMIT(step->block, fence, step);
    return true;
}

static bool execute_trap(const struct step *step)
{
    return simt_fault(step, (unsigned)__builtin_ctz(step->mask), STATUS_LAUNCH_ERROR,
                      "executes a trap");
}

static bool execute_unsupported(const struct step *step)
{
    const struct ptx_instruction *source =
        &step->fragment->frame->function->source->instructions[step->instruction->number];
    const struct ptx_module *module = step->block->launch->program->module;
    unsigned lane = (unsigned)__builtin_ctz(step->mask);
    const char *callee = NULL;
    for (unsigned i = 0; i < source->operand_count; i++)
        if (source->opcode == PTX_OP_CALL && source->operands[i].kind == PTX_OPERAND_FUNCTION)
            callee = module->functions[source->operands[i].index].name;
    if (callee)
        return simt_fault(step, lane, STATUS_UNSUPPORTED,
                          "calls %s, which the emulator does not provide", callee);
    if (source->problem)
        return simt_fault(
            step, lane, STATUS_UNSUPPORTED,
            "needs the PTX instruction %s in a form that the emulator does not support (%s)",
            source->text, source->problem);
    return simt_fault(step, lane, STATUS_UNSUPPORTED,
                      "needs the PTX instruction %s (line %u of the PTX), which the emulator does "
                      "not support",
                      source->text ? source->text : "?", source->ptx_line);
}

/* If no sink sets the time (clock.c), the clock only shows the order of events. */
static bool execute_clock(const struct step *step)
{
    enum { CYCLES = 4 };
    enum ptx_special special = (enum ptx_special)step->instruction->control;
    uint64_t value = CYCLES * (step->block->executed + step->executed);
    EMIT(step->block, clock, step, &value);
    if (special == PTX_SPECIAL_CLOCK_HI || special == PTX_SPECIAL_GLOBALTIMER_HI)
        value >>= 32;
    FOR_LANES (lane, step->mask)
        frame_set_lane(step->fragment->frame, &step->instruction->destination, lane, value);
    return true;
}

static bool execute_active_mask(const struct step *step)
{
    FOR_LANES (lane, step->mask)
        frame_set_lane(step->fragment->frame, &step->instruction->destination, lane, step->mask);
    return true;
}

VECTORISED static void add_to_lanes(uint64_t *to, const uint64_t *from, uint64_t offset,
                                    uint32_t mask)
{
    for (unsigned lane = 0; lane < LANES; lane++)
        to[lane] = mask & lane_bit[lane] ? from[lane] + offset : to[lane];
}

static bool execute_convert_address(const struct step *step)
{
    const struct instruction *instruction = step->instruction;
    struct frame *frame = step->fragment->frame;
    uint64_t window = (uint64_t)instruction->immediate;
    add_to_lanes((uint64_t *)(void *)(frame->registers + instruction->destination.offset),
                 (const uint64_t *)(const void *)frame_source(frame, &instruction->source[0]),
                 instruction->flags & SIMT_TO_SPACE ? -window : window, step->mask);
    return true;
}

static bool execute_is_space(const struct step *step)
{
    uint64_t window = space_window((enum ptx_space)step->instruction->space);
    uint32_t inside = 0;
    FOR_LANES (lane, step->mask)
        inside |= (uint32_t)(step_source(step, 0, lane) >> 48 == window >> 48) << lane;
    frame_set_predicate(step->fragment->frame, &step->instruction->destination, step->mask, inside);
    return true;
}

static const struct {
    bool (*execute)(const struct step *step);
    bool advances; /* If false, `execute` sets the pc. */
} executions[] = {
    [SIMT_NOP] = {execute_nop, true},
    [SIMT_BRANCH] = {simt_branch, false},
    [SIMT_BRANCH_INDEX] = {simt_branch_index, false},
    [SIMT_RETURN] = {simt_return, false},
    [SIMT_EXIT] = {simt_exit, false},
    [SIMT_TRAP] = {execute_trap, false},
    [SIMT_CALL] = {simt_call, false},
    [SIMT_CALL_POINTER] = {simt_call, false},
    [SIMT_CALL_BUILTIN] = {simt_builtin_call, true},
    [SIMT_LOAD] = {simt_load_store, true},
    [SIMT_STORE] = {simt_load_store, true},
    [SIMT_ATOMIC] = {simt_atomic, true},
    [SIMT_TEXTURE] = {simt_texture, true},
    [SIMT_TEXTURE_QUERY] = {simt_texture_query, true},
    [SIMT_SURFACE_LOAD] = {simt_surface, true},
    [SIMT_SURFACE_STORE] = {simt_surface, true},
    [SIMT_SURFACE_ATOMIC] = {simt_surface, true},
    [SIMT_COPY_ASYNC] = {simt_copy_async, true},
    [SIMT_COPY_COMMIT] = {simt_copy_commit, true},
    [SIMT_COPY_WAIT] = {simt_copy_wait, true},
    [SIMT_BARRIER] = {simt_barrier, false},
    [SIMT_MBARRIER] = {simt_mbarrier, true},
    [SIMT_WARP_SYNC] = {simt_warp_sync, false},
    [SIMT_SHUFFLE] = {simt_warp_sync, false},
    [SIMT_VOTE] = {simt_warp_sync, false},
    [SIMT_MATCH] = {simt_warp_sync, false},
    [SIMT_REDUX] = {simt_warp_sync, false},
    [SIMT_ACTIVE_MASK] = {execute_active_mask, true},
    [SIMT_ELECT] = {simt_warp_sync, false},
    [SIMT_CLOCK] = {execute_clock, true},
    [SIMT_CONVERT_ADDRESS] = {execute_convert_address, true},
    [SIMT_IS_SPACE] = {execute_is_space, true},
    [SIMT_MATRIX_ADDRESS] = {simt_matrix_address, true},
    [SIMT_MATRIX_ROWS] = {simt_matrix_rows, true},
    [SIMT_MATRIX_TRANSPOSE] = {simt_matrix_transpose, true},
    [SIMT_MATRIX_MULTIPLY] = {simt_matrix_multiply, true},
    [SIMT_UNSUPPORTED] = {execute_unsupported, false},
};

enum run_end {
    RUN_AT_NODE,
    RUN_AT_STEP, /* The caller must call step_execute. */
    RUN_OVER,
    RUN_FAULTED,
};

/* Returns true for memory accesses and address conversions, which do not change fragments. */
static inline bool is_straight(const struct instruction *instruction)
{
    return instruction->kind == SIMT_LOAD || instruction->kind == SIMT_STORE ||
           instruction->kind == SIMT_ATOMIC || instruction->kind == SIMT_CONVERT_ADDRESS;
}

static inline bool turn_is_over(const struct step *step)
{
    return (step->warp->hands_over && step->block->warp_count > 1) ||
           step->executed >= FRAGMENT_QUANTUM;
}

/* Returns true if the invariant register already has its value. Sets is_held if all lanes now write
 * the register. */
static inline bool is_held(const struct warp *warp, const struct instruction *instruction,
                           uint32_t mask)
{
    struct invariant_register *invariant = &warp->invariant[instruction->invariant - 1];
    bool is_held = invariant->is_held;
    invariant->is_held |= mask == warp->lanes;
    return is_held;
}

/* Returns the number of instructions to skip: the whole run if its last result is held, else 1. */
static inline unsigned held_run(const struct warp *warp, const struct instruction *instruction)
{
    unsigned run = instruction->invariant_run;
    bool all = warp->invariant[instruction->invariant + run - 2u].is_held && !warp->is_followed;
    return all ? run : 1;
}

/* Execute arithmetic, memory accesses, and branches that all lanes or no lanes take. Stop at any
 * other instruction, at the reconvergence point, or at the end of the turn. */
static inline enum run_end run_fragment(struct step *step)
{
    struct warp *warp = step->warp;
    struct fragment *fragment = step->fragment;
    struct frame *frame = fragment->frame;
    const struct instruction *code = frame->function->code;
    const struct node *node = fragment->node == NODE_NONE ? NULL : &warp->nodes[fragment->node];
    uint32_t reconverge = node && node->frame == frame ? node->reconverge : PC_NEVER;
    struct lanes lanes = {.bytes = {frame->registers, frame->function->pool}};
    uint32_t pc = fragment->pc, active = fragment->mask;
    uint64_t *counts = step->block->executed_by + frame->function->stats_base;
    uint64_t executed = step->executed;
    const bool is_plain = step->block->observation == OBSERVED_NOT;
    const bool is_fast = step->block->observation != OBSERVED_ALL, is_gated = step->block->is_gated;

    while (pc != reconverge) {
        const struct instruction *instruction = &code[pc];
        uint32_t mask = active;
        if (instruction->guard.used)
            mask &= frame_predicate(frame, &instruction->guard);
        executed++;
        counts[instruction->number]++;
        if (__builtin_expect(warp->is_followed, 0)) {
            const struct step now = {step->block, warp, fragment, instruction, mask, executed};
            EMIT(step->block, follow, &now);
        }
        if (instruction->invariant &&
            (instruction->kind == SIMT_ALU || executed < FRAGMENT_QUANTUM) &&
            is_held(warp, instruction, mask)) {
            unsigned run = executed < FRAGMENT_QUANTUM / 2 ? held_run(warp, instruction) : 1;
            for (unsigned i = 1; i < run; i++)
                counts[instruction->number + i]++;
            executed += run - 1;
            pc += run;
            continue;
        }
        if (instruction->kind == SIMT_ALU) {
            if (mask)
                instruction->handler(instruction, &lanes, mask);
            pc++;
            continue;
        }
        if (instruction->kind == SIMT_BRANCH && (mask == active || !mask) &&
            executed < FRAGMENT_QUANTUM) {
            pc = mask ? instruction->target : pc + 1;
            if (instruction->guard.used)
                fragment->way = pc, fragment->condition = (uint32_t)(instruction - code);
            continue;
        }
        step->instruction = instruction;
        step->mask = mask;
        step->executed = executed;
        if (instruction->is_fast && is_fast && mask && executed < FRAGMENT_QUANTUM &&
            memory_move_quickly(step)) {
            if (is_plain) {
                pc++;
                continue;
            }
        } else {
            if (__builtin_expect(step->block->column_count, 0) && instruction->kind != SIMT_EXIT)
                memory_store_columns(step->block);
            fragment->pc = pc;
            if (!is_straight(instruction) || !mask || is_gated)
                return RUN_AT_STEP;
            if (!executions[instruction->kind].execute(step))
                return RUN_FAULTED;
        }
        fragment->pc = ++pc;
        if (turn_is_over(step))
            return RUN_OVER;
    }
    fragment->pc = pc;
    step->executed = executed;
    return RUN_AT_NODE;
}

static bool step_execute(const struct step *step)
{
    uint16_t kind = step->instruction->kind;
    if (!step->mask && kind != SIMT_BRANCH) {
        step->fragment->pc++;
        return true;
    }
    if (!executions[kind].execute(step))
        return false;
    if (executions[kind].advances)
        step->fragment->pc++;
    return true;
}

/* Count instructions, and select another fragment at the end of the turn. After several turns of
 * polling, let lanes that wait for reconvergence continue: they may write the polled value. */
static void warp_spend(struct simt_block *block, struct warp *warp, uint64_t executed)
{
    block->executed += executed;
    block->counters.warp_instructions += executed;
    warp->turn += executed;
    warp->spent += executed;
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

bool warp_run(struct simt_block *block, struct warp *warp)
{
    struct step step = {.block = block, .warp = warp};
    bool good = true;
    warp->hands_over = false;
    for (;;) {
        if (!warp_choose_fragment(warp)) {
            good = barrier_check_torn(block, warp);
            break;
        }
        step.fragment = &warp->fragments[warp->current];
        enum run_end end = run_fragment(&step);
        if (end == RUN_AT_NODE) {
            fragment_arrive(warp, warp->current);
            continue;
        }
        if (end == RUN_AT_STEP && block->is_gated && step.mask &&
            !ASK(true, block, admits, &step)) {
            step.executed--;
            continue;
        }
        good = end != RUN_FAULTED && (end == RUN_OVER || step_execute(&step));
        if (!good || turn_is_over(&step))
            break;
    }
    warp_spend(block, warp, step.executed);
    return good;
}
