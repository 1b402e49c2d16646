/* check_report.c: what was found, in the words of the source. */
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

/* Where an instruction of the program stands, by its number in the whole program. */
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
    const struct dimensions shape = block->launch->block, grid = block->launch->grid;
    uint32_t thread = shadow_thread(mark), stamp = shadow_stamp(mark);
    int length = snprintf(text, size, "thread (%u, %u, %u)", thread % shape.x,
                          thread / shape.x % shape.y, thread / shape.x / shape.y);
    uint64_t number = checker_block_at(checker, stamp);
    if (number == checker->block_number || length < 0 || (size_t)length >= size)
        return;
    snprintf(text + length, size - (size_t)length, " of block (%u, %u, %u)",
             (unsigned)(number % grid.x), (unsigned)(number / grid.x % grid.y),
             (unsigned)(number / grid.x / grid.y));
}

void check_describe(const struct simt_block *block, const struct instruction *instruction,
                    enum ptx_space space, uint64_t address, char *text, size_t size)
{
    if (space == PTX_LOCAL)
        snprintf(text, size, "byte %" PRIu64 " of its local variables", address);
    else if (space == PTX_SHARED)
        shared_describe(block->launch->program, block->launch->function, address,
                        instruction->bytes ? instruction->bytes : 4 /* a wait */, text, size);
    else
        memory_describe(block->launch->memory, address, text, size);
}

/* What to do about a race. */
struct advice {
    enum finding_id id;
    const char *text;
};

/* What stands between two accesses, or rather does not, and what to do about it. */
static struct advice advise(const struct simt_block *block, const struct warp *warp,
                            const struct checker *checker, enum ptx_space space,
                            const struct shadow_finding *finding, bool same_instruction,
                            bool differs_in_width, bool is_narrow)
{
    const uint64_t other = finding->other;
    unsigned width = (unsigned)block->launch->device->warp_lanes;
    bool is_block = checker_block_at(checker, shadow_stamp(other)) == checker->block_number;
    if (!is_block && is_narrow && !differs_in_width)
        return (struct advice){
            FINDING_RACE_BLOCK_SCOPE,
            "An atomic operation of block scope is atomic to the threads of its own block only: "
            "use one of device scope for what blocks share"};
    if (!is_block && checker->plan->fences)
        return (struct advice){
            FINDING_RACE_BLOCK_FLAG,
            "The blocks of a launch run in any order. A flag or a counter orders what two of "
            "them do only with a __threadfence() on both sides: before the one changes it, and "
            "after the other has read it"};
    if (!is_block)
        return (struct advice){
            FINDING_RACE_BLOCKS,
            "The blocks of a launch run in any order and cannot wait for each other: give each "
            "block elements of its own, or let all change them by atomic operations"};
    if (differs_in_width)
        return (struct advice){
            FINDING_RACE_WIDTHS,
            "Atomic and volatile accesses of different widths are not atomic to each other: "
            "access the same elements in both"};
    if (same_instruction)
        return (struct advice){
            FINDING_RACE_SAME_INSTRUCTION,
            "Which value stays is undefined: give each thread an element of its own"};
    if (finding->verdict == SHADOW_WRITE_AFTER_WRITE && !(other & SHADOW_STRONG))
        return (struct advice){
            FINDING_RACE_TWO_STORES,
            "Which value stays is undefined: is one of the two indices wrong, or the array too "
            "small? If both belong there, a __syncthreads() must stand between them"};
    if (shadow_thread(other) / width == warp->index)
        return (struct advice){
            FINDING_RACE_IN_WARP,
            "Both threads are of one warp, but its lanes need not run in step: an "
            "unsynchronised exchange. Add __syncwarp() between the two, or __syncthreads() "
            "where "
            "other warps take part in it"};
    if (other & SHADOW_STRONG)
        return (struct advice){
            FINDING_RACE_ATOMIC,
            "Atomic and volatile accesses do not wait for each other, and a fence alone orders "
            "nothing: add a __syncthreads() between the two that all threads of the block reach"};
    if (space == PTX_GLOBAL)
        return (struct advice){
            FINDING_RACE_NO_BARRIER,
            "No __syncthreads() that both reach stands between the two: add one, or, as a "
            "barrier holds the threads of one block only, give each thread elements of its own"};
    return (struct advice){
        FINDING_RACE_NO_BARRIER,
        "No __syncthreads() that both reach stands between the two: add one for all threads of "
        "the block"};
}

bool check_report(const struct step *step, enum ptx_space space,
                  const struct shadow_finding *finding)
{
    struct simt_block *block = step->block;
    const struct instruction *instruction = step->instruction;
    struct checker *checker = checker_of(block);
    char where[256], thread[96], line[512];
    check_describe(block, instruction, space, finding->address, where, sizeof where);
    uint32_t other = shadow_instruction(finding->other);
    bool same = other == number_of(step);
    bool is_constant = checker->plan->traits[number_of(step)] & CHECK_CONSTANT;
    const uint8_t *forms = checker->plan->forms;
    bool are_strong = (finding->other & SHADOW_STRONG) && is_strong(instruction);
    bool is_narrow = are_strong && !shadow_forms_agree(forms[other], forms[number_of(step)], true);
    bool differs = are_strong && !shadow_forms_agree(forms[other], forms[number_of(step)], false);
    describe_thread(block, checker, finding->other, thread, sizeof thread);
    locate(block->launch->program, other, line, sizeof line);
    bool writes = finding->verdict != SHADOW_READ_AFTER_WRITE;
    bool frees = instruction->kind == SIMT_CALL_BUILTIN;
    const struct advice advice =
        is_constant
            ? (struct advice){FINDING_RACE_CONSTANT,
                              "It reads through __ldg() or a pointer that is const and "
                              "__restrict__, which promise that nobody writes there while the "
                              "kernel runs: leave the promise out"}
            : advise(block, step->warp, checker, space, finding,
                     same && finding->verdict == SHADOW_WRITE_AFTER_WRITE, differs, is_narrow);
    simt_fault(step, finding->lane, STATUS_RACE, "%s %s, %s %s %s %s%s: a race. %s",
               frees    ? "frees"
               : writes ? "writes"
                        : "reads",
               where, finding->verdict == SHADOW_WRITE_AFTER_WRITE && !frees ? "to which" : "which",
               thread,
               finding->verdict == SHADOW_WRITE_AFTER_READ ? "reads"
               : writes && !frees                          ? "writes another value"
                                                           : "writes",
               same ? "with the same instruction, at " : "at ", line, advice.text);
    failure_find(&block->failure, advice.id, 0);
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
    simt_fault(
        &reading, lane, STATUS_UNINITIALISED,
        space == PTX_SHARED  ? "reads %s, which no thread of the block has written%s. Shared "
                               "memory holds nothing when a block begins"
        : space == PTX_LOCAL ? "reads %s (arrays, and what has an address), which it has not "
                               "written since their function began%s"
        : space == PTX_REG   ? "takes the value of %s by a shuffle in which that lane takes no "
                               "part%s: it is undefined"
                             : "reads %s, which nobody has written%s",
        where, use);
    checker->undefined = block->failure;
    checker->undefined_stamp = checker->order.epoch;
    checker->undefined_steers = function->code[function->first_of[user]].kind != SIMT_STORE;
    block->failure = (struct failure){0};
    block->faulted = false;
}
