/* timing_code.c: rounds of loads and issue slots, from the PTX.
 *
 * Rounds. A warp issues its instructions in order, and waits at the first instruction that uses a
 * loaded value. The compiler moves other loads before this point. A *round* is a group of global
 * loads that are in flight together and cost one latency. The instructions of a function are read
 * in the order of the text. A load joins the open round unless
 *
 *   - its address or its guard predicate depends on a value of this round;
 *   - a global store is after the round's first load: without __restrict__ or __ldg, the compiler
 *     must assume that the load reads the stored value. Loads through the read-only path
 *     (ld.global.nc) can join;
 *   - an earlier basic block used a value of this round: the warp has waited for the round there;
 *   - the round was closed by a barrier, a fence, an atomic, a wait for asynchronous copies, a
 *     call, the head or the end of a loop, or a branch on a value of this round;
 *   - the load is in a loop, and the round has LOOP_LOADS loads.
 *
 * Within a basic block, the assembler hoists global loads above stores to shared memory and above
 * uses of loaded values. Short forward branches do not end a block, because they become predicates.
 * Registers limit the loads of a round, but PTX does not show this limit.
 *
 * Chains. The latencies of the instructions of a basic block add up along dependences. The longest
 * sum is the time of a warp in this block. A barrier ends a block. Only CC >= 7 was measured.
 *
 * Combined atomics. On CC >= 8, the compiler may prove that all lanes of a warp use one address.
 * Then it combines the integers of the lanes, and one lane accesses memory. If the kernel uses the
 * result, only additions are combined, and additions of different numbers only in full warps
 * (observed for sm_90). The model assumes a proof if the address depends on neither the thread
 * index nor memory.
 *
 * Issue slots. PTX instructions that only rename a register or read a parameter take no slot:
 * `mov`, `cvta`, `ld.param`, a conversion between integers. Guarded forward branches also take no
 * slot. 64-bit integer arithmetic takes two slots if addresses have 64 bits; on CC 1.x, addresses
 * have 32 bits, and the assembler narrows this arithmetic. Divisions, roots and special functions
 * take as many slots as the instructions that replace them (observed for sm_90), except divisions
 * on CC 1.x. An instruction on double-precision numbers takes two slots, because it occupies the
 * scheduler for two clocks. A load of a double-precision constant also takes two slots. Every other
 * instruction takes one slot.
 *
 * Pipes. Additions and left shifts of integers have no pipe here, because the assembler distributes
 * them between the ALU pipe and the multiplication pipe. */
#include "emulator/time/timing_code.h"

#include "emulator/decode/simt_allocate.h"

#include <stdlib.h>

enum {
    PREDICATED = 16,
    CHAIN_MAX = 1 << 14,
    VARYING_PASSES = 8,
    /* Limit of the loads of a round in a loop. The assembler had 15 to 17 of 32 loads in flight in
     * five of seven loops (sm_90). More loads require more registers. */
    LOOP_LOADS = 16,
    CROWDED_LOADS = 12, /* A round of at least this number of loads is crowded (read_share.c). */
    CONSTANTS = 64,
    LOOP_CONSTANTS = 8,
    /* Clocks from an instruction to the use of its result, measured in one warp (H200, H100). */
    ARITHMETIC_LATENCY = 5, /* Measured: 4.7. */
    DOUBLE_LATENCY = 8,
    SPECIAL_LATENCY = 24, /* Measured with exp2f. rsqrtf, which scales small numbers, takes 41. */
    SHARED_LATENCY = 29,  /* Also used for shuffles. Measured: 25 to 32. */
    BARRIER_LATENCY = 15,
    BRANCH_LATENCY = 24, /* For a branch that closes a loop. Measured with an addition: 29. */
};

struct scan_register {
    uint32_t round;    /* The round on which the value depends, or 0. */
    uint32_t ready_in; /* Number of the block to which `ready` belongs. */
    uint16_t ready;    /* Clock in the block when the value is available. */
    bool varies;       /* True if the value may differ among a warp's lanes. */
};

struct scan_place {
    int32_t depth;     /* Number of loops that begin here, minus loops that ended. */
    bool is_loop;      /* True at a loop's head, and at the branch that closes a loop. */
    bool begins_block; /* True at the start of a basic block that is not predicated. */
};

struct scan {
    const struct ptx_function *function;
    struct code_traits *traits;      /* For each instruction of the function. */
    struct scan_register *registers; /* For each register. */
    struct scan_place *places;       /* For each instruction. */
    bool has_wide_addresses, has_redux, has_chains, has_shared;
    bool knows_varying; /* True if `varies` is known for all registers. */
    bool any_varies;    /* A register that the current instruction reads varies. */
    bool changes;       /* note_varying has set `varies`. */
    uint32_t blocks;
    uint16_t chain;   /* Clock when all results of this block are available. */
    uint16_t sources; /* Clock when the current instruction's sources are available. */
    uint16_t latency;
    uint32_t loads;
    uint32_t members[LOOP_LOADS]; /* The instructions of the round's first loads. */
    int32_t loops;
    uint32_t block;   /* Number of the current basic block (begins_block), from 1. */
    uint32_t used_in; /* The first block that uses a value of the round, or 0. */
    uint32_t round;
    bool is_open;
    bool has_store;     /* A global store follows the round's first load. */
    bool has_load;      /* There was a load since the last barrier. */
    int32_t load_loops; /* Number of loops around the last load. */
    bool has_result;    /* An instruction reads the result of the current atomic operation. */
    /* Double-precision constants that were loaded since the head or the end of a loop. */
    uint64_t constants[CONSTANTS];
    unsigned constant_count;
};

static bool register_depends(const struct scan *scan, int32_t number)
{
    return scan->is_open && scan->registers[number].round == scan->round;
}

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

static void destination_set(struct scan *scan, const struct ptx_instruction *instruction,
                            uint32_t round)
{
    if (instruction->operand_count == 0)
        return;
    const struct ptx_operand *destination = &instruction->operands[0];
    if (destination->kind == PTX_OPERAND_REGISTER) {
        scan->registers[destination->index].round = round;
        if (destination->second >= 0)
            scan->registers[destination->second].round = round;
    } else if (destination->kind == PTX_OPERAND_VECTOR) {
        const struct ptx_operand *elements = scan->function->vector_operands + destination->index;
        for (unsigned i = 0; i < destination->vector_count; i++)
            if (elements[i].kind == PTX_OPERAND_REGISTER)
                scan->registers[elements[i].index].round = round;
    }
}

static bool is_global(const struct ptx_instruction *instruction)
{
    return instruction->space == PTX_GLOBAL || instruction->space == PTX_GENERIC;
}

static bool is_wide_integer(enum ptx_type type)
{
    return type == PTX_U64 || type == PTX_S64 || type == PTX_B64;
}

static bool is_integer(enum ptx_type type)
{
    return type >= PTX_U8 && type <= PTX_B64;
}

static bool is_barrier(const struct ptx_instruction *instruction)
{
    return (instruction->opcode == PTX_OP_BAR || instruction->opcode == PTX_OP_BARRIER) &&
           !ptx_has(instruction, PTX_MOD_WARP);
}

/* Returns true if two loads probably read one line: they have one base register, and their offsets
 * differ by at least a sector but less than a line. */
static bool are_in_line(const struct ptx_instruction *a, const struct ptx_instruction *b)
{
    if (a->operand_count < 2 || b->operand_count < 2)
        return false;
    const struct ptx_operand *x = &a->operands[1], *y = &b->operands[1];
    const uint64_t up = (uint64_t)x->integer - (uint64_t)y->integer, distance = up < -up ? up : -up;
    return x->kind == PTX_OPERAND_ADDRESS && y->kind == PTX_OPERAND_ADDRESS &&
           x->address_kind == PTX_OPERAND_REGISTER && y->address_kind == PTX_OPERAND_REGISTER &&
           x->index == y->index && distance >= SECTOR_BYTES && distance < LINE_BYTES;
}

/* Add a load to the round. The round is crowded (read_share.c) if it has CROWDED_LOADS loads, or
 * two loads of different sectors of a line. */
static void round_add(struct scan *scan, size_t number)
{
    const struct ptx_instruction *code = scan->function->instructions;
    bool is_crowded = scan->loads + 1 >= CROWDED_LOADS ||
                      (scan->loads > 0 && scan->traits[scan->members[0]].is_crowded);
    for (uint32_t i = 0; i < scan->loads && i < LOOP_LOADS && !is_crowded; i++)
        is_crowded = are_in_line(&code[scan->members[i]], &code[number]);
    if (scan->loads < LOOP_LOADS)
        scan->members[scan->loads] = (uint32_t)number;
    scan->loads++;
    for (uint32_t i = 0; i < scan->loads && i < LOOP_LOADS; i++)
        scan->traits[scan->members[i]].is_crowded = is_crowded;
    scan->traits[number].is_crowded = is_crowded;
}

static bool scan_load(struct scan *scan, const struct ptx_instruction *instruction, size_t number)
{
    bool passes_stores = ptx_has(instruction, PTX_MOD_NC);
    bool joins = scan->is_open && (passes_stores || !scan->has_store) &&
                 !(scan->loops && scan->loads >= LOOP_LOADS) &&
                 (!scan->used_in || scan->used_in == scan->block) &&
                 !sources_depend(scan, instruction, 1);
    if (!joins) {
        scan->round++;
        scan->used_in = 0;
        scan->is_open = true;
        scan->has_store = false;
        scan->loads = 0;
    }
    round_add(scan, number);
    scan->has_load = true;
    scan->load_loops = scan->loops;
    return !joins;
}

static void scan_use(struct scan *scan)
{
    if (!scan->used_in)
        scan->used_in = scan->block;
}

static bool scan_instruction(struct scan *scan, const struct ptx_instruction *instruction,
                             size_t number)
{
    bool begins = false;
    scan->block += scan->places[number].begins_block;
    if (scan->places[number].is_loop)
        scan->is_open = false;
    switch (instruction->opcode) {
    case PTX_OP_TEX:
    case PTX_OP_TLD4:
    case PTX_OP_SULD:
    case PTX_OP_LD:
    case PTX_OP_LDU:
        if (!is_global(instruction) && !(scan->has_shared && instruction->space == PTX_SHARED))
            break;
        begins = scan_load(scan, instruction, number);
        destination_set(scan, instruction, scan->round);
        return begins;
    case PTX_OP_CP: /* Only cp.async with two operands loads data. */
        if (instruction->operand_count >= 2)
            return scan_load(scan, instruction, number);
        if (!ptx_has(instruction, PTX_MOD_COMMIT_GROUP))
            scan->is_open = false;
        return false;
    case PTX_OP_ST:
        scan->has_store |= is_global(instruction);
        if (sources_depend(scan, instruction, 0))
            scan_use(scan);
        return false;
    case PTX_OP_ATOM:
        scan->is_open = false;
        return is_global(instruction) && scan->has_result;
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

static void note_varying(void *context, int32_t number, bool is_write)
{
    struct scan *scan = context;
    bool *varies = &scan->registers[number].varies;
    if (!is_write)
        scan->any_varies |= *varies;
    else if (scan->any_varies && !*varies)
        *varies = scan->changes = true;
}

/* Returns true if the result may differ among lanes even if the registers that are read do not. */
static bool is_varying(const struct ptx_instruction *instruction)
{
    switch (instruction->opcode) {
    case PTX_OP_LD:
        return instruction->space != PTX_PARAM && instruction->space != PTX_CONST;
    case PTX_OP_LDU:
    case PTX_OP_ATOM:
    case PTX_OP_TEX:
    case PTX_OP_TLD4:
    case PTX_OP_SULD:
    case PTX_OP_CALL:
    case PTX_OP_SHFL:
    case PTX_OP_MATCH:
    case PTX_OP_ELECT:
        return true;
    default:
        break;
    }
    for (unsigned i = 1; i < instruction->operand_count; i++) {
        const struct ptx_operand *operand = &instruction->operands[i];
        if (operand->kind == PTX_OPERAND_SPECIAL &&
            (operand->index <= PTX_SPECIAL_TID_Z || operand->index >= PTX_SPECIAL_LANEID))
            return true;
    }
    return false;
}

static void find_varying(struct scan *scan)
{
    const struct ptx_function *function = scan->function;
    scan->changes = !scan->knows_varying;
    scan->knows_varying = true;
    for (unsigned pass = 0; scan->changes && pass < VARYING_PASSES; pass++) {
        scan->changes = false;
        for (size_t i = 0; i < function->instruction_count; i++) {
            scan->any_varies = is_varying(&function->instructions[i]);
            registers_visit(function, &function->instructions[i], note_varying, scan);
        }
    }
}

static enum combining combining_of(struct scan *scan, const struct ptx_instruction *instruction)
{
    if (!scan->has_redux || !is_global(instruction) || ptx_has(instruction, PTX_MOD_CAS) ||
        ptx_has(instruction, PTX_MOD_EXCH) || ptx_has(instruction, PTX_MOD_INC) ||
        ptx_has(instruction, PTX_MOD_DEC) || !instruction->type_count ||
        !is_integer(instruction->types[0]))
        return COMBINES_NEVER;
    const struct ptx_operand *address = &instruction->operands[instruction->opcode == PTX_OP_ATOM];
    const struct ptx_operand *value = address + 1;
    find_varying(scan);
    if (address->kind != PTX_OPERAND_ADDRESS ||
        (address->address_kind == PTX_OPERAND_REGISTER && scan->registers[address->index].varies))
        return COMBINES_NEVER;
    const bool adds = ptx_has(instruction, PTX_MOD_ADD);
    if (adds && (value->kind != PTX_OPERAND_REGISTER || !scan->registers[value->index].varies))
        return COMBINES_ALWAYS;
    if (ptx_type_bytes(instruction->types[0]) != 4)
        return COMBINES_NEVER;
    return !scan->has_result ? COMBINES_ALWAYS : adds ? COMBINES_FULL_WARPS : COMBINES_NEVER;
}

static size_t branch_target(const struct ptx_function *function, size_t number)
{
    const struct ptx_instruction *instruction = &function->instructions[number];
    return instruction->opcode == PTX_OP_BRA && instruction->operand_count > 0 &&
                   instruction->operands[0].kind == PTX_OPERAND_LABEL
               ? (size_t)instruction->operands[0].integer
               : SIZE_MAX;
}

/* Returns true if the assembler predicates the code from `from` to `end` instead of branching. */
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

static void mark_places(const struct ptx_function *function, struct scan_place *places)
{
    for (size_t i = 0; i < function->instruction_count; i++) {
        const size_t target = branch_target(function, i);
        if (target <= i) {
            places[target].is_loop = places[i].is_loop = true;
            places[target].depth++;
            places[i + 1].depth--;
        } else if (target != SIZE_MAX && !is_short(function, i + 1, target)) {
            places[i + 1].begins_block = places[target].begins_block = true;
        }
    }
}

/* Returns the numbers of machine instructions on an H200. Divided numbers are not subnormal. */
static struct slots special_slots(const struct ptx_instruction *instruction)
{
    const enum ptx_type type = instruction->type_count ? instruction->types[0] : PTX_NONE;
    const bool is_short = ptx_has(instruction, PTX_MOD_FTZ),
               is_near = ptx_has(instruction, PTX_MOD_APPROX) || ptx_has(instruction, PTX_MOD_FULL);
    const bool divides = instruction->opcode == PTX_OP_DIV || instruction->opcode == PTX_OP_REM;
    if (type == PTX_F64 && is_near && is_short)
        return (struct slots){2, {[PIPE_SPECIAL] = 1}};
    if (type == PTX_F64 && (divides || instruction->opcode == PTX_OP_SQRT))
        return (struct slots){25, {[PIPE_DOUBLE] = 8, [PIPE_SPECIAL] = 1, [PIPE_ALU] = 2}};
    if (type == PTX_F64)
        return (struct slots){17, {[PIPE_DOUBLE] = 5, [PIPE_SPECIAL] = 1, [PIPE_ALU] = 2}};
    if (divides && is_wide_integer(type))
        return (struct slots){68, {[PIPE_MULTIPLY] = 62, [PIPE_SPECIAL] = 3, [PIPE_ALU] = 28}};
    if (divides && type == PTX_S32)
        return (struct slots){22, {[PIPE_MULTIPLY] = 9, [PIPE_SPECIAL] = 3, [PIPE_ALU] = 9}};
    if (divides && is_integer(type))
        return (struct slots){17, {[PIPE_MULTIPLY] = 7, [PIPE_SPECIAL] = 3, [PIPE_ALU] = 6}};
    switch (instruction->opcode) {
    case PTX_OP_SIN:
    case PTX_OP_COS:
        return (struct slots){2, {[PIPE_SPECIAL] = 1}};
    case PTX_OP_LG2:
        return (struct slots){is_short ? 1 : 3, {[PIPE_SPECIAL] = 1, [PIPE_ALU] = !is_short}};
    case PTX_OP_EX2:
    case PTX_OP_RSQRT:
        return (struct slots){is_short ? 1 : 4, {[PIPE_SPECIAL] = 1, [PIPE_ALU] = !is_short}};
    case PTX_OP_TANH:
        return (struct slots){1, {[PIPE_SPECIAL] = 1}};
    default:
        break;
    }
    if (!is_near && divides)
        return (struct slots){11, {[PIPE_SPECIAL] = 2}};
    if (!is_near)
        return (struct slots){10, {[PIPE_SPECIAL] = 1, [PIPE_ALU] = 2}};
    return (struct slots){(is_short ? 1 : 4) + divides,
                          {[PIPE_SPECIAL] = 1, [PIPE_ALU] = !is_short}};
}

static struct slots conversion_slots(const struct ptx_instruction *instruction)
{
    if (instruction->type_count < 2)
        return (struct slots){1, {0}};
    const enum ptx_type to = instruction->types[0], from = instruction->types[1];
    if (is_integer(to) && is_integer(from))
        return (struct slots){0};
    const bool rounds = ptx_has(instruction, PTX_MOD_RNI) || ptx_has(instruction, PTX_MOD_RZI) ||
                        ptx_has(instruction, PTX_MOD_RMI) || ptx_has(instruction, PTX_MOD_RPI);
    const bool is_special = rounds || to == PTX_F64 || from == PTX_F64 || is_wide_integer(to) ||
                            is_wide_integer(from) || (is_integer(from) && ptx_type_bytes(from) < 4);
    return is_special ? (struct slots){1, {[PIPE_SPECIAL] = 1}}
                      : (struct slots){1, {[PIPE_ALU] = 1}};
}

static struct slots pipe_slots(unsigned width, enum pipe pipe)
{
    struct slots slots = {.issue = (uint8_t)width};
    slots.pipes[pipe] = (uint8_t)width;
    return slots;
}

/* A multiplication with a result of 64 bits, or of the upper 32 bits, has half the rate. A
 * multiplication of two 64-bit numbers has four machine instructions. (Measured on an H200.) */
static struct slots multiply_slots(const struct ptx_instruction *instruction, unsigned width)
{
    const bool is_half = ptx_has(instruction, PTX_MOD_WIDE) || ptx_has(instruction, PTX_MOD_HI);
    struct slots slots = pipe_slots(width * width, PIPE_MULTIPLY);
    slots.pipes[PIPE_MULTIPLY] *= is_half ? 2 : 1;
    return slots;
}

/* A double-precision operation occupies the scheduler for two clocks (measured on an H200). */
static struct slots double_slots(const struct ptx_instruction *instruction)
{
    if (instruction->opcode == PTX_OP_SELP)
        return pipe_slots(2, PIPE_ALU);
    if (instruction->opcode == PTX_OP_MIN || instruction->opcode == PTX_OP_MAX)
        return (struct slots){10, {[PIPE_DOUBLE] = 1, [PIPE_ALU] = 4}};
    return (struct slots){2, {[PIPE_DOUBLE] = 1}};
}

static struct slots slots_of(const struct ptx_function *function, size_t number,
                             bool has_wide_addresses)
{
    const struct ptx_instruction *instruction = &function->instructions[number];
    const enum ptx_type type = instruction->type_count ? instruction->types[0] : PTX_NONE;
    const unsigned width = has_wide_addresses && is_wide_integer(type) ? 2 : 1;
    switch (instruction->opcode) {
    case PTX_OP_BRA:
        return (struct slots){
            !(instruction->guarded && instruction->operands[0].integer > (int64_t)number), {0}};
    case PTX_OP_MOV:
    case PTX_OP_CVTA:
        return (struct slots){0};
    case PTX_OP_CVT:
        return conversion_slots(instruction);
    case PTX_OP_LD:
        return (struct slots){instruction->space != PTX_PARAM, {0}};
    case PTX_OP_DIV:
    case PTX_OP_REM:
        if (!has_wide_addresses)
            return (struct slots){1, {0}};
        return special_slots(instruction);
    case PTX_OP_RCP:
    case PTX_OP_SQRT:
    case PTX_OP_RSQRT:
    case PTX_OP_SIN:
    case PTX_OP_COS:
    case PTX_OP_EX2:
    case PTX_OP_LG2:
    case PTX_OP_TANH:
        return special_slots(instruction);
    case PTX_OP_POPC:
    case PTX_OP_CLZ:
    case PTX_OP_BFIND:
    case PTX_OP_BREV:
        return pipe_slots(1, PIPE_SPECIAL);
    case PTX_OP_SHFL:
        return pipe_slots(1, PIPE_SHUFFLE);
    case PTX_OP_BAR:
    case PTX_OP_BARRIER:
        if (is_barrier(instruction))
            return pipe_slots(1, PIPE_BARRIER);
        break;
    case PTX_OP_MUL:
    case PTX_OP_MAD:
        if (is_integer(type))
            return multiply_slots(instruction, width);
        break;
    case PTX_OP_ABS:
    case PTX_OP_NEG:
        if (type == PTX_F64)
            return (struct slots){0};
        break;
    case PTX_OP_SHR:
    case PTX_OP_AND:
    case PTX_OP_OR:
    case PTX_OP_XOR:
    case PTX_OP_NOT:
    case PTX_OP_LOP3:
    case PTX_OP_SHF:
    case PTX_OP_PRMT:
    case PTX_OP_BFE:
    case PTX_OP_BFI:
    case PTX_OP_SETP:
    case PTX_OP_SET:
    case PTX_OP_SELP:
    case PTX_OP_MIN:
    case PTX_OP_MAX:
        return type == PTX_F64 ? double_slots(instruction) : pipe_slots(width, PIPE_ALU);
    case PTX_OP_ADD:
    case PTX_OP_SUB:
    case PTX_OP_SHL:
        if (type != PTX_F64)
            return (struct slots){(uint8_t)width, {0}};
        break;
    default:
        break;
    }
    return type == PTX_F64 && instruction->opcode != PTX_OP_ST ? double_slots(instruction)
                                                               : (struct slots){1, {0}};
}

/* Returns the clocks until the result is available, without waits for global memory. */
static uint16_t latency_of(const struct ptx_instruction *instruction, const struct slots *slots)
{
    if (!slots->issue || instruction->space == PTX_GLOBAL)
        return 0;
    if (instruction->space == PTX_SHARED || slots->pipes[PIPE_SHUFFLE])
        return SHARED_LATENCY;
    if (slots->pipes[PIPE_SPECIAL])
        return (uint16_t)(SPECIAL_LATENCY + ARITHMETIC_LATENCY * (slots->issue - 1));
    return (uint16_t)(slots->pipes[PIPE_DOUBLE] ? DOUBLE_LATENCY * slots->pipes[PIPE_DOUBLE]
                                                : ARITHMETIC_LATENCY);
}

static void chain_register(void *context, int32_t number, bool is_write)
{
    struct scan *scan = context;
    struct scan_register *visited = &scan->registers[number];
    if (is_write) {
        visited->ready = (uint16_t)(scan->sources + scan->latency);
        visited->ready_in = scan->blocks;
    } else if (visited->ready_in == scan->blocks && visited->ready > scan->sources) {
        scan->sources = visited->ready;
    }
}

/* Returns the clocks of the block if the instruction ends the block: before the next block, at a
 * barrier, or at the branch of a loop. Otherwise returns 0. */
static uint16_t scan_chain(struct scan *scan, const struct ptx_instruction *instruction,
                           size_t number, const struct slots *slots)
{
    const bool closes = instruction->opcode == PTX_OP_BRA && scan->places[number].is_loop;
    const bool waits = is_barrier(instruction);
    scan->sources = 0;
    scan->latency = latency_of(instruction, slots);
    registers_visit(scan->function, instruction, chain_register, scan);
    const unsigned end = (unsigned)scan->sources + scan->latency;
    scan->chain = (uint16_t)(end > scan->chain ? (end < CHAIN_MAX ? end : CHAIN_MAX) : scan->chain);
    if (number + 1 < scan->function->instruction_count && !scan->places[number + 1].begins_block &&
        scan->places[number + 1].depth == 0 && !closes && !waits)
        return 0;
    const unsigned chain =
        scan->chain + (closes ? BRANCH_LATENCY : 0u) + (waits ? BARRIER_LATENCY : 0u);
    scan->chain = 0;
    scan->blocks++;
    return (uint16_t)chain;
}

/* Returns the slots for new double-precision constants: two for each, unless its lower half is 0.
 * In a loop, the first LOOP_CONSTANTS take none, because they are loaded before the loop. */
static unsigned scan_constants(struct scan *scan, const struct ptx_instruction *instruction)
{
    unsigned slots = 0;
    for (unsigned i = 1; i < instruction->operand_count; i++) {
        const struct ptx_operand *operand = &instruction->operands[i];
        unsigned known = 0;
        if (operand->kind != PTX_OPERAND_FLOAT || operand->float_bytes != sizeof(double) ||
            !(uint32_t)operand->bits)
            continue;
        while (known < scan->constant_count && scan->constants[known] != operand->bits)
            known++;
        if (known < scan->constant_count || known == CONSTANTS)
            continue;
        scan->constants[scan->constant_count++] = operand->bits;
        slots += scan->loops && known < LOOP_CONSTANTS ? 0 : 2;
    }
    return slots;
}

static int8_t local_bytes(const struct ptx_instruction *instruction)
{
    const bool loads = instruction->opcode == PTX_OP_LD;
    const struct ptx_operand *value = &instruction->operands[!loads];
    if ((!loads && instruction->opcode != PTX_OP_ST) || instruction->space != PTX_LOCAL ||
        !instruction->type_count)
        return 0;
    const int bytes = (int)ptx_type_bytes(instruction->types[0]) *
                      (value->kind == PTX_OPERAND_VECTOR ? (int)value->vector_count : 1);
    return (int8_t)(loads ? bytes : -bytes);
}

/* Read a function. `options` contains the has_ fields. Returns false if memory is exhausted. */
static bool function_read(const struct program *program, size_t f, const struct scan *options,
                          struct code *code)
{
    const struct ptx_function *function = &program->module->functions[f];
    const struct program_function *decoded = &program->functions[f];
    struct code_traits *traits = code->traits + decoded->stats_base;
    struct code_cost *cost = code->costs + decoded->stats_base;
    struct scan scan = *options;
    scan.function = function;
    scan.traits = traits;
    scan.registers = calloc(function->register_count + 1, sizeof *scan.registers);
    scan.places = calloc(function->instruction_count + 1, sizeof *scan.places);
    scan.block = scan.blocks = 1;
    const bool good = scan.registers && scan.places;
    if (good)
        mark_places(function, scan.places);
    for (size_t i = 0; good && i < function->instruction_count; i++, traits++, cost++) {
        const struct ptx_instruction *instruction = &function->instructions[i];
        scan.loops += scan.places[i].depth;
        if (is_barrier(instruction)) {
            cost->waits = scan.has_load && scan.loops <= scan.load_loops;
            scan.has_load = false;
        }
        if (instruction->opcode == PTX_OP_ATOM || instruction->opcode == PTX_OP_RED) {
            scan.has_result = !(decoded->code[decoded->first_of[i]].flags & SIMT_NO_RESULT);
            traits->combines = (uint8_t)combining_of(&scan, instruction);
        }
        traits->begins_round = scan_instruction(&scan, instruction, i);
        cost->slots = slots_of(function, i, scan.has_wide_addresses);
        if (scan.places[i].is_loop)
            scan.constant_count = 0;
        cost->slots.issue += (uint8_t)scan_constants(&scan, instruction);
        cost->local = local_bytes(instruction);
        if (scan.has_chains)
            cost->chain = scan_chain(&scan, instruction, i, &cost->slots);
    }
    free(scan.registers);
    free(scan.places);
    return good;
}

static bool program_read(const struct program *program, const struct scan *options,
                         struct code *code)
{
    size_t room = (size_t)program->instruction_count + 1;
    *code = (struct code){.traits = calloc(room, sizeof *code->traits),
                          .costs = calloc(room, sizeof *code->costs),
                          .count = program->instruction_count};
    bool good = code->traits && code->costs;
    for (size_t f = 0; good && f < program->module->function_count; f++)
        good = function_read(program, f, options, code);
    return good;
}

bool code_read_waits(const struct program *program, struct code *code)
{
    const struct scan options = {.has_wide_addresses = true, .has_redux = true, .has_shared = true};
    return program_read(program, &options, code);
}

bool code_read(const struct program *program, const struct device *device, struct code *code)
{
    const struct scan options = {.has_wide_addresses = device->compute_capability >= 20,
                                 .has_redux = device->compute_capability >= 80,
                                 .has_chains = device->compute_capability >= 70};
    return program_read(program, &options, code);
}

void code_free(struct code *code)
{
    free(code->traits);
    free(code->costs);
    *code = (struct code){0};
}

struct code_counts code_count(const struct code *code, const struct instruction_stats *stats)
{
    struct code_counts counts = {0};
    for (uint32_t i = 0; i < code->count; i++) {
        const struct code_cost *cost = &code->costs[i];
        const uint64_t executed = stats[i].executed;
        counts.load_rounds += code->traits[i].begins_round ? executed : 0;
        counts.barrier_waits += cost->waits ? executed : 0;
        counts.chain += cost->chain * executed;
        counts.issue_slots += cost->slots.issue * executed;
        const int bytes = cost->local * LANES;
        counts.local_load_bytes += bytes > 0 ? (uint64_t)bytes * executed : 0;
        counts.local_store_bytes += bytes < 0 ? (uint64_t)-bytes * executed : 0;
        for (unsigned pipe = 0; pipe < PIPE_COUNT; pipe++)
            counts.pipe_slots[pipe] += cost->slots.pipes[pipe] * executed;
    }
    return counts;
}
