/* check_report.c: describes races and uses of uninitialized values in the terms of the source. */
#include "emulator/sinks/checker.h"

#include "emulator/decode/shared_names.h"

#include <inttypes.h>
#include <string.h>

int check_function_of(const struct program *program, uint32_t number)
{
    int function = 0;
    for (size_t f = 0; f < program->module->function_count; f++)
        if (!program->functions[f].source->is_declaration &&
            program->functions[f].stats_base <= number)
            function = (int)f;
    return function;
}

static void locate(const struct program *program, uint32_t number, char *text, size_t size)
{
    int function = check_function_of(program, number);
    program_locate(program, function, number - program->functions[function].stats_base, text, size);
}

uint64_t checker_block_at(const struct checker *checker, uint32_t stamp)
{
    const struct check_plan *plan = checker->plan;
    if (!plan->turn_count)
        return checker->block_number;
    size_t low = 0, high = plan->turn_count - 1;
    while (low < high) {
        size_t middle = (low + high + 1) / 2;
        if (plan->turns[middle].stamp <= stamp)
            low = middle;
        else
            high = middle - 1;
    }
    return plan->turns[low].block;
}

static void describe_thread(const struct simt_block *block, const struct checker *checker,
                            uint64_t mark, char *text, size_t size)
{
    const struct dimensions thread = dimensions_at(block->launch->block, shadow_thread(mark));
    const uint64_t number = checker_block_at(checker, shadow_stamp(mark));
    const struct dimensions index = dimensions_at(block->launch->grid, number);
    int length = snprintf(text, size, "thread (%u, %u, %u)", thread.x, thread.y, thread.z);
    if (number != checker->block_number && length >= 0 && (size_t)length < size)
        snprintf(text + length, size - (size_t)length, " of block (%u, %u, %u)", index.x, index.y,
                 index.z);
}

void check_describe(const struct simt_block *block, const struct instruction *instruction,
                    enum ptx_space space, uint64_t address, char *text, size_t size)
{
    if (space == PTX_LOCAL)
        snprintf(text, size, "byte %" PRIu64 " of its local variables", address);
    else if (space == PTX_SHARED)
        shared_describe(block->launch->program, block->launch->function, address,
                        instruction->bytes ? instruction->bytes : 4 /* mbarrier */, text, size);
    else
        memory_describe(block->launch->memory, address, text, size);
}

static const char *const race_advice[] = {
    [FINDING_RACE_CONSTANT] = "The load uses __ldg(), or a pointer that is const and __restrict__. "
                              "Both forms promise that no thread writes to this memory while the "
                              "kernel runs. Remove __ldg() or __restrict__",
    [FINDING_RACE_BLOCK_SCOPE] =
        "An atomic operation of block scope is atomic only for the threads of its own block. Use "
        "device scope for data that blocks share",
    [FINDING_RACE_BLOCK_FLAG] =
        "The blocks of a launch run in any order. A flag or a counter orders two blocks only with "
        "a __threadfence() on both sides: before one block changes the flag, and after the other "
        "block has read the flag",
    [FINDING_RACE_BLOCKS] =
        "The blocks of a launch run in any order and cannot wait for each other. Give each block "
        "its own elements, or change elements of several blocks only with atomic operations",
    [FINDING_RACE_WIDTHS] = "Atomic and volatile accesses of different widths are not atomic to "
                            "each other. Use the same width in both accesses",
    [FINDING_RACE_SAME_INSTRUCTION] =
        "The final value is undefined. Give each thread its own element",
    [FINDING_RACE_TWO_STORES] =
        "The final value is undefined. Is one of the two indices wrong, or is the array too small? "
        "If both stores are intended, put a __syncthreads() between the two stores",
    [FINDING_RACE_UPDATE] =
        "Both threads load this element, change the value and store it, so one of the two changes "
        "is lost. A barrier does not help. Use an atomic operation, such as atomicAdd(), or give "
        "each thread its own element",
    [FINDING_RACE_IN_WARP] = "Both threads belong to one warp, but the lanes of a warp may execute "
                             "instructions at different times. Add __syncwarp() between the two "
                             "accesses, or __syncthreads() if other warps take part",
    [FINDING_RACE_ATOMIC] =
        "Atomic and volatile accesses do not wait for each other, and a fence alone does not order "
        "them. Add a __syncthreads() that all threads of the block reach between the two accesses",
    [FINDING_RACE_SAME_LINE] =
        "Both accesses are in this line, and no __syncthreads() separates them. Is a "
        "__syncthreads() missing at the end of each iteration? Or does one thread write an element "
        "that another thread reads in the same step?",
    [FINDING_RACE_NO_BARRIER] =
        "There is no __syncthreads() that both threads reach between the two accesses. Add a "
        "__syncthreads() that all threads of the block reach",
};
static const char global_advice[] = ", or give each thread its own elements: a barrier "
                                    "synchronizes only the threads of one block";

static const char mirrored_advice[] =
    ". These two blocks are mirror images across the diagonal of the grid: should only one block "
    "process this pair of tiles?";

static const char mirrored_threads_advice[] =
    ". These two threads are mirror images across the diagonal of the block: should only one "
    "thread exchange this pair of elements?";

static const char same_line_advice[] =
    ". Both accesses are in one line: load into a variable before this barrier, and store after "
    "it. If a later iteration needs the old value, store to another array";

static bool are_mirrored(struct dimensions a, struct dimensions b)
{
    return a.x != a.y && a.x == b.y && a.y == b.x;
}

/* Returns true if the operand depends on the load, as far as `steps` instructions show. */
static bool comes_from(const struct ptx_function *function, const struct ptx_operand *operand,
                       const struct ptx_instruction *load, unsigned steps)
{
    unsigned writers = 0;
    for (size_t n = 0;
         operand->kind == PTX_OPERAND_REGISTER && writers < 2 && n < function->instruction_count;
         n++) {
        const struct ptx_instruction *i = &function->instructions[n];
        if (!i->operand_count || i->operands[0].kind != PTX_OPERAND_REGISTER ||
            i->operands[0].index != operand->index)
            continue;
        writers++;
        if (i == load)
            return true;
        for (unsigned k = 1; k < i->operand_count && steps; k++)
            if (comes_from(function, &i->operands[k], load, steps - 1))
                return true;
    }
    return false;
}

/* Returns true if one instruction loads an element, and the other updates it from this value. */
static bool is_update(const struct program *program, uint32_t a, uint32_t b)
{
    enum { STEPS_MOST = 3 };
    const int function = check_function_of(program, a);
    const struct program_function *both = &program->functions[function];
    if (check_function_of(program, b) != function)
        return false;
    const struct ptx_instruction *load = &both->source->instructions[a - both->stats_base],
                                 *store = &both->source->instructions[b - both->stats_base];
    if (load->opcode == PTX_OP_ST) {
        const struct ptx_instruction *first = load;
        load = store;
        store = first;
    }
    const struct ptx_operand *from = &load->operands[1], *to = &store->operands[0];
    return load->opcode == PTX_OP_LD && store->opcode == PTX_OP_ST &&
           comes_from(both->source, &store->operands[1], load, STEPS_MOST) &&
           from->kind == PTX_OPERAND_ADDRESS && to->kind == PTX_OPERAND_ADDRESS &&
           from->address_kind == to->address_kind && from->scope == to->scope &&
           from->index == to->index && from->integer == to->integer;
}

static enum finding_id classify_race(const struct step *step, const struct shadow_finding *finding,
                                     bool is_same)
{
    const struct checker *checker = checker_of(step->block);
    const struct check_plan *plan = checker->plan;
    const uint64_t other = finding->other;
    const unsigned width = (unsigned)step->block->launch->device->warp_lanes;
    const uint8_t form = plan->forms[step_number(step)];
    const uint8_t other_form = plan->forms[shadow_instruction(other)];
    const bool are_strong = (other & SHADOW_STRONG) && is_strong(step->instruction);
    const bool differs_in_width = are_strong && !shadow_forms_agree(other_form, form, false);
    if (plan->traits[step_number(step)] & CHECK_CONSTANT)
        return FINDING_RACE_CONSTANT;
    if (!are_strong &&
        is_update(step->block->launch->program, step_number(step), shadow_instruction(other)))
        return FINDING_RACE_UPDATE;
    if (checker_block_at(checker, shadow_stamp(other)) != checker->block_number) {
        if (are_strong && !differs_in_width && !shadow_forms_agree(other_form, form, true))
            return FINDING_RACE_BLOCK_SCOPE;
        return plan->fences ? FINDING_RACE_BLOCK_FLAG : FINDING_RACE_BLOCKS;
    }
    if (differs_in_width)
        return FINDING_RACE_WIDTHS;
    if (finding->verdict == SHADOW_WRITE_AFTER_WRITE && is_same)
        return FINDING_RACE_SAME_INSTRUCTION;
    if (finding->verdict == SHADOW_WRITE_AFTER_WRITE && !(other & SHADOW_STRONG))
        return FINDING_RACE_TWO_STORES;
    if (shadow_thread(other) / width == step->warp->index)
        return FINDING_RACE_IN_WARP;
    return other & SHADOW_STRONG ? FINDING_RACE_ATOMIC : FINDING_RACE_NO_BARRIER;
}

bool check_report(const struct step *step, enum ptx_space space,
                  const struct shadow_finding *finding)
{
    struct simt_block *block = step->block;
    const struct instruction *instruction = step->instruction;
    char where[256], thread[96], line[512], here[512];
    check_describe(block, instruction, space, finding->address, where, sizeof where);
    uint32_t other = shadow_instruction(finding->other);
    locate(block->launch->program, step_number(step), here, sizeof here);
    bool is_same = other == step_number(step);
    describe_thread(block, checker_of(block), finding->other, thread, sizeof thread);
    locate(block->launch->program, other, line, sizeof line);
    bool writes = finding->verdict != SHADOW_READ_AFTER_WRITE;
    bool frees = instruction->kind == SIMT_CALL_BUILTIN;
    const uint64_t there = checker_block_at(checker_of(block), shadow_stamp(finding->other));
    const bool is_other_block = there != checker_of(block)->block_number;
    const struct dimensions shape = is_other_block ? block->launch->grid : block->launch->block;
    const uint64_t lanes = block->launch->device->warp_lanes;
    const bool is_mirrored =
        space == PTX_GLOBAL &&
        are_mirrored(dimensions_at(shape, is_other_block
                                              ? checker_of(block)->block_number
                                              : step->warp->index * lanes + finding->lane),
                     dimensions_at(shape, is_other_block ? there : shadow_thread(finding->other)));
    enum finding_id id = classify_race(step, finding, is_same);
    if (id == FINDING_RACE_NO_BARRIER && space == PTX_SHARED && !strcmp(here, line))
        id = FINDING_RACE_SAME_LINE;
    simt_fault(step, finding->lane, STATUS_RACE, "%s %s, %s %s %s %s%s: a race. %s%s",
               frees    ? "frees"
               : writes ? "writes"
                        : "reads",
               where, finding->verdict == SHADOW_WRITE_AFTER_WRITE && !frees ? "to which" : "which",
               thread,
               finding->verdict == SHADOW_WRITE_AFTER_READ ? "reads"
               : writes && !frees                          ? "writes another value"
                                                           : "writes",
               is_same ? "with the same instruction, at " : "at ", line, race_advice[id],
               is_mirrored && id == FINDING_RACE_BLOCKS ? mirrored_advice
               : is_mirrored && (id == FINDING_RACE_IN_WARP || id == FINDING_RACE_NO_BARRIER)
                   ? mirrored_threads_advice
               : id == FINDING_RACE_IN_WARP && !strcmp(here, line)    ? same_line_advice
               : id == FINDING_RACE_NO_BARRIER && space == PTX_GLOBAL ? global_advice
                                                                      : "");
    failure_find(&block->failure, id, 0);
    return false;
}

void check_report_later(const struct step *step, const struct shadow_finding *finding,
                        struct failure *race)
{
    struct simt_block *block = step->block;
    check_report(step, PTX_GLOBAL, finding);
    *race = block->failure;
    block->failure = (struct failure){0};
    block->faulted = false;
}

void check_report_undefined(const struct step *step, const struct undefined_reader *from,
                            unsigned lane, uint64_t address)
{
    uint32_t reader = from->number;
    enum ptx_space space = from->space;
    struct simt_block *block = step->block;
    struct checker *checker = checker_of(block);
    if (checker->undefined.kind != FAILURE_NONE ||
        from->function != step->fragment->frame->function)
        return;
    const struct program *program = block->launch->program;
    const struct frame *frame = step->fragment->frame;
    const struct program_function *function = frame->function;
    uint32_t user = step->instruction->number;
    char where[256], read[512], line[512], use[600] = "";
    struct step reading = *step;
    reading.instruction = &function->code[function->first_of[reader]];
    if (space != PTX_REG)
        check_describe(block, reading.instruction, space, address, where, sizeof where);
    else
        snprintf(where, sizeof where, "lane %u of its warp", (unsigned)address);
    program_locate(program, frame->function_index, reader, read, sizeof read);
    program_locate(program, frame->function_index, user, line, sizeof line);
    if (strcmp(read, line) != 0)
        snprintf(use, sizeof use, ", and uses the value at %s", line);
    simt_fault(&reading, lane, STATUS_UNINITIALISED,
               space == PTX_SHARED ? "reads %s, which no thread of the block has written%s. Shared "
                                     "memory is uninitialized when a block begins"
               : space == PTX_LOCAL
                   ? "reads %s (an array, or a variable that is accessed through a pointer), which "
                     "the thread has not written since the function began%s"
               : space == PTX_REG
                   ? "reads a register of %s by a shuffle in which that lane takes no "
                     "part%s: the value is undefined"
                   : "reads %s, which no thread has written%s",
               where, use);
    failure_find(&block->failure, space == PTX_REG ? FINDING_LANE_ABSENT : FINDING_NONE, 0);
    checker->undefined = block->failure;
    block->holds_fault = true;
    checker->undefined_stamp = checker->order.epoch;
    checker->undefined_steers = function->code[function->first_of[user]].kind != SIMT_STORE;
    block->failure = (struct failure){0};
    block->faulted = false;
}
