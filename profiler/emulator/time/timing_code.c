/* timing_code.c: rounds of loads and issue slots, from the PTX.
 *
 * Rounds. A warp issues its instructions in order and waits at the first that needs a loaded value.
 * So what counts is not how many loads there are but how many the compiler may put in front of that
 * point: a *round* is a group of global loads that travel together, for the latency of one. A
 * function is read in the order of its text, and a load joins the round that is open unless
 *
 *   - its address, or the predicate that guards it, was computed from a value of that round;
 *   - a global store stands between: without __restrict__ or __ldg the compiler must assume that
 *     the load reads what was stored. Loads through the read-only path (ld.global.nc) may pass;
 *   - a value of that round was used in an earlier basic block: the warp has waited for it there;
 *   - the round was closed: by a barrier, a fence, an atomic, a wait for asynchronous copies, a
 *     call, the head or the end of a loop, or a branch on a value of that round.
 *
 * Within a basic block the assembler hoists global loads over uses and over stores to shared
 * memory, which is why the tiled kernels have four loads on their way and the copy without
 * __restrict__ has one. Short forward branches end no block: they become predicates. How many loads
 * a round may have is limited by registers, which PTX does not know.
 *
 * Issue slots. PTX instructions that only rename a register or read a parameter cost nothing:
 * `mov`, `cvta`, `ld.param`, a conversion between integers; nor do guarded branches forward. 64-bit
 * integer arithmetic takes two slots where addresses have 64 bits; on CC 1.x they have 32, and the
 * assembler narrows it. Everything else takes one, division too.
 */
#include "emulator/time/timing_code.h"

#include <stdlib.h>

enum { PREDICATED = 16 }; /* instructions that become predicated ones rather than a branch */

/* What the reading of one function knows. Registers hold the number of the round that their value
 * depends on; 0: none. */
struct scan {
    const struct ptx_function *function;
    uint32_t *round_of; /* by register */
    bool *is_loop;      /* by instruction: the head of a loop, or the branch that closes one */
    bool *begins_block; /* by instruction, and behind the last: of those that remain */
    uint32_t block;     /* the current one's number, from 1 */
    uint32_t used_in;   /* the first block that uses the round; 0: none so far */
    uint32_t round;     /* the last one's number */
    bool is_open;       /* loads may join it */
    bool has_store;     /* a global store stands behind its first load */
    bool has_load;      /* there was one since the last barrier */
    bool has_shared;    /* loads of shared memory have rounds, too */
};

static bool register_depends(const struct scan *scan, int32_t number)
{
    return scan->is_open && number >= 0 && (size_t)number < scan->function->register_count &&
           scan->round_of[number] == scan->round;
}

/* Whether an operand that is read holds a value of the open round. */
static bool operand_depends(const struct scan *scan, const struct ptx_operand *operand)
{
    const struct ptx_operand *elements = scan->function->vector_operands;
    switch (operand->kind) {
    case PTX_OPERAND_REGISTER:
        return register_depends(scan, operand->index);
    case PTX_OPERAND_ADDRESS:
        return operand->address_kind == PTX_OPERAND_REGISTER &&
               register_depends(scan, operand->index);
    case PTX_OPERAND_VECTOR:
        for (unsigned i = 0; i < operand->vector_count; i++)
            if (elements[operand->index + (int)i].kind == PTX_OPERAND_REGISTER &&
                register_depends(scan, elements[operand->index + (int)i].index))
                return true;
        return false;
    default:
        return false;
    }
}

/* Whether any source does: the guard, and all operands from `first` on. */
static bool sources_depend(const struct scan *scan, const struct ptx_instruction *instruction,
                           unsigned first)
{
    if (instruction->guarded && register_depends(scan, instruction->guard))
        return true;
    for (unsigned i = first; i < instruction->operand_count; i++)
        if (operand_depends(scan, &instruction->operands[i]))
            return true;
    return false;
}

static void register_set(struct scan *scan, int32_t number, uint32_t round)
{
    if (number >= 0 && (size_t)number < scan->function->register_count)
        scan->round_of[number] = round;
}

/* The destination's value now depends on `round`. */
static void destination_set(struct scan *scan, const struct ptx_instruction *instruction,
                            uint32_t round)
{
    if (instruction->operand_count == 0)
        return;
    const struct ptx_operand *destination = &instruction->operands[0];
    if (destination->kind == PTX_OPERAND_REGISTER) {
        register_set(scan, destination->index, round);
        register_set(scan, destination->second, round);
    } else if (destination->kind == PTX_OPERAND_VECTOR) {
        const struct ptx_operand *elements = scan->function->vector_operands + destination->index;
        for (unsigned i = 0; i < destination->vector_count; i++)
            if (elements[i].kind == PTX_OPERAND_REGISTER)
                register_set(scan, elements[i].index, round);
    }
}

static bool is_global(const struct ptx_instruction *instruction)
{
    return instruction->space == PTX_GLOBAL || instruction->space == PTX_GENERIC;
}

static bool is_barrier(const struct ptx_instruction *instruction)
{
    return (instruction->opcode == PTX_OP_BAR || instruction->opcode == PTX_OP_BARRIER) &&
           !ptx_has(instruction, PTX_MOD_WARP);
}

/* Whether it is a load that joins no round but begins one. */
static bool scan_load(struct scan *scan, const struct ptx_instruction *instruction)
{
    bool passes_stores = ptx_has(instruction, PTX_MOD_NC);
    bool joins = scan->is_open && (passes_stores || !scan->has_store) &&
                 (!scan->used_in || scan->used_in == scan->block) &&
                 !sources_depend(scan, instruction, 1);
    if (!joins) {
        scan->round++;
        scan->used_in = 0;
        scan->is_open = true;
        scan->has_store = false;
    }
    scan->has_load = true;
    return !joins;
}

/* The warp waits here for the open round. */
static void scan_use(struct scan *scan)
{
    if (!scan->used_in)
        scan->used_in = scan->block;
}

/* Read one instruction; whether it begins a round. */
static bool scan_instruction(struct scan *scan, const struct ptx_instruction *instruction,
                             size_t number)
{
    bool begins = false;
    scan->block += scan->begins_block[number];
    if (scan->is_loop[number])
        scan->is_open = false;
    switch (instruction->opcode) {
    case PTX_OP_TEX:
    case PTX_OP_TLD4:
    case PTX_OP_SULD:
    case PTX_OP_LD:
    case PTX_OP_LDU:
        if (!is_global(instruction) && !(scan->has_shared && instruction->space == PTX_SHARED))
            break;
        begins = scan_load(scan, instruction);
        destination_set(scan, instruction, scan->round);
        return begins;
    case PTX_OP_CP: /* .async brings data as a load does, and some later form waits for it */
        if (instruction->operand_count >= 2)
            return scan_load(scan, instruction);
        if (!ptx_has(instruction, PTX_MOD_COMMIT_GROUP))
            scan->is_open = false;
        return false;
    case PTX_OP_ST:
        scan->has_store |= is_global(instruction);
        if (sources_depend(scan, instruction, 0))
            scan_use(scan);
        return false;
    case PTX_OP_ATOM:
        begins = is_global(instruction);
        scan->is_open = false;
        return begins;
    case PTX_OP_RED:
    case PTX_OP_BAR:
    case PTX_OP_BARRIER:
    case PTX_OP_MEMBAR:
    case PTX_OP_FENCE:
    case PTX_OP_CALL:
        scan->is_open = false;
        return false;
    case PTX_OP_BRA:
    case PTX_OP_BRX:
    case PTX_OP_RET:
    case PTX_OP_EXIT:
        if (sources_depend(scan, instruction, 0))
            scan->is_open = false;
        return false;
    default:
        break;
    }
    bool depends = sources_depend(scan, instruction, 1);
    if (depends && instruction->opcode != PTX_OP_MOV)
        scan_use(scan);
    destination_set(scan, instruction, depends ? scan->round : 0);
    return false;
}

/* Mark the branches that lead back, and where they lead. */
static void mark_loops(const struct ptx_function *function, bool *is_loop)
{
    for (size_t i = 0; i < function->instruction_count; i++) {
        const struct ptx_instruction *instruction = &function->instructions[i];
        if (instruction->opcode != PTX_OP_BRA || instruction->operand_count == 0 ||
            instruction->operands[0].kind != PTX_OPERAND_LABEL)
            continue;
        uint64_t target = (uint64_t)instruction->operands[0].integer;
        if (target <= i)
            is_loop[target] = is_loop[i] = true;
    }
}

/* Whether the assembler makes predicates of a forward branch over these instructions. */
static bool is_short(const struct ptx_function *function, size_t from, size_t end)
{
    if (end - from > PREDICATED)
        return false;
    for (size_t i = from; i < end; i++)
        switch (function->instructions[i].opcode) {
        case PTX_OP_BRA:
        case PTX_OP_BRX:
        case PTX_OP_CALL:
        case PTX_OP_BAR:
        case PTX_OP_BARRIER:
            return false;
        default:
            break;
        }
    return true;
}

/* Mark where basic blocks begin that the assembler leaves apart. */
static void mark_blocks(const struct ptx_function *function, bool *begins_block)
{
    for (size_t i = 0; i < function->instruction_count; i++) {
        const struct ptx_instruction *instruction = &function->instructions[i];
        if (instruction->opcode != PTX_OP_BRA || instruction->operand_count == 0 ||
            instruction->operands[0].kind != PTX_OPERAND_LABEL)
            continue;
        uint64_t target = (uint64_t)instruction->operands[0].integer;
        if (target > i && !is_short(function, i + 1, target))
            begins_block[i + 1] = begins_block[target] = true;
    }
}

static bool is_wide_integer(enum ptx_type type)
{
    return type == PTX_U64 || type == PTX_S64 || type == PTX_B64;
}

static bool is_integer(enum ptx_type type)
{
    return type >= PTX_U8 && type <= PTX_B64;
}

static unsigned slots(const struct ptx_function *function, size_t number, bool has_wide_addresses)
{
    const struct ptx_instruction *instruction = &function->instructions[number];
    const uint8_t *types = instruction->types;
    switch (instruction->opcode) {
    case PTX_OP_BRA:
        return !(instruction->guarded && instruction->operands[0].integer > (int64_t)number);
    case PTX_OP_MOV:
    case PTX_OP_CVTA:
        return 0;
    case PTX_OP_CVT:
        return instruction->type_count < 2 || !is_integer(types[0]) || !is_integer(types[1]);
    case PTX_OP_LD:
        return instruction->space != PTX_PARAM;
    case PTX_OP_ADD:
    case PTX_OP_SUB:
    case PTX_OP_MUL:
    case PTX_OP_MAD:
    case PTX_OP_SHL:
    case PTX_OP_SHR:
    case PTX_OP_AND:
    case PTX_OP_OR:
    case PTX_OP_XOR:
    case PTX_OP_SETP:
    case PTX_OP_SELP:
        return has_wide_addresses && is_wide_integer(types[0]) ? 2 : 1;
    default:
        return 1;
    }
}

/* Begin to read a function; false: no memory. */
static bool scan_begin(struct scan *scan, const struct ptx_function *function)
{
    *scan = (struct scan){
        .function = function,
        .round_of = calloc(function->register_count + 1, sizeof *scan->round_of),
        .is_loop = calloc(function->instruction_count + 1, sizeof *scan->is_loop),
        .begins_block = calloc(function->instruction_count + 1, sizeof *scan->begins_block),
        .block = 1,
    };
    if (!scan->round_of || !scan->is_loop || !scan->begins_block)
        return false;
    mark_loops(function, scan->is_loop);
    mark_blocks(function, scan->begins_block);
    return true;
}

static void scan_end(struct scan *scan)
{
    free(scan->round_of);
    free(scan->is_loop);
    free(scan->begins_block);
}

static bool function_read(const struct program *program, size_t f, bool has_wide_addresses,
                          struct code *code)
{
    const struct ptx_function *function = &program->module->functions[f];
    uint32_t at = program->functions[f].stats_base;
    struct scan scan;
    bool good = scan_begin(&scan, function);
    for (size_t i = 0; good && i < function->instruction_count; i++, at++) {
        const struct ptx_instruction *instruction = &function->instructions[i];
        if (is_barrier(instruction)) {
            code->waits[at] = scan.has_load;
            scan.has_load = false;
        }
        code->begins_round[at] = scan_instruction(&scan, instruction, i);
        code->slots[at] = (uint8_t)slots(function, i, has_wide_addresses);
    }
    scan_end(&scan);
    return good;
}

bool *code_read_waits(const struct program *program)
{
    bool *waits = calloc((size_t)program->instruction_count + 1, sizeof *waits), good = waits;
    for (size_t f = 0; good && f < program->module->function_count; f++) {
        const struct ptx_function *function = &program->module->functions[f];
        struct scan scan;
        good = scan_begin(&scan, function);
        scan.has_shared = true;
        for (size_t i = 0; good && i < function->instruction_count; i++)
            waits[program->functions[f].stats_base + i] =
                scan_instruction(&scan, &function->instructions[i], i);
        scan_end(&scan);
    }
    if (good)
        return waits;
    free(waits);
    return NULL;
}

bool code_read(const struct program *program, const struct device *device, struct code *code)
{
    size_t room = (size_t)program->instruction_count + 1;
    *code = (struct code){.begins_round = calloc(room, sizeof *code->begins_round),
                          .waits = calloc(room, sizeof *code->waits),
                          .slots = calloc(room, sizeof *code->slots),
                          .count = program->instruction_count};
    bool good = code->begins_round && code->waits && code->slots;
    for (size_t f = 0; good && f < program->module->function_count; f++)
        good = function_read(program, f, device->compute_capability >= 20, code);
    return good;
}

void code_free(struct code *code)
{
    free(code->begins_round);
    free(code->waits);
    free(code->slots);
    *code = (struct code){0};
}

struct code_counts code_count(const struct code *code, const struct instruction_stats *stats)
{
    struct code_counts counts = {0};
    for (uint32_t i = 0; i < code->count; i++) {
        counts.load_rounds += code->begins_round[i] ? stats[i].executed : 0;
        counts.barrier_waits += code->waits[i] ? stats[i].executed : 0;
        counts.issue_slots += code->slots[i] * stats[i].executed;
    }
    return counts;
}
