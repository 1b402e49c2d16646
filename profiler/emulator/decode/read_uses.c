#include "emulator/decode/read_uses.h"

#include "emulator/decode/simt_allocate.h"
#include "emulator/ptx/ptx_cfg.h"

#include <stdlib.h>
#include <string.h>

struct followed {
    bool *depends;
    bool moves_only; /* Follow the value only through mov. */
    bool reads;      /* The current instruction reads a dependent register, apart from its guard. */
    bool grew;
    bool used, passed; /* An instruction uses the value, or passes it on. */
};

static void note_read(void *context, int32_t number, bool is_write)
{
    struct followed *followed = context;
    followed->reads |= !is_write && followed->depends[number];
}

static void note_write(void *context, int32_t number, bool is_write)
{
    struct followed *followed = context;
    followed->grew |= is_write && !followed->depends[number];
    followed->depends[number] |= is_write;
}

/* Returns true if the instruction passes on a read value. Atomic MIN, MAX, AND and OR do so only if
 * the address depends on the value, because algorithms such as shortest paths allow old values. */
static bool passes_on(const struct ptx_instruction *instruction, const bool *depends)
{
    const struct ptx_operand *to = &instruction->operands[instruction->opcode == PTX_OP_ATOM];
    switch (instruction->opcode) {
    case PTX_OP_RED:
    case PTX_OP_ATOM:
        return !(ptx_has(instruction, PTX_MOD_MIN) || ptx_has(instruction, PTX_MOD_MAX) ||
                 ptx_has(instruction, PTX_MOD_AND) || ptx_has(instruction, PTX_MOD_OR)) ||
               (to->kind == PTX_OPERAND_ADDRESS && to->address_kind == PTX_OPERAND_REGISTER &&
                depends[to->index]);
    case PTX_OP_ST:
    case PTX_OP_LD:
    case PTX_OP_LDU:
    case PTX_OP_CP:
    case PTX_OP_TEX:
    case PTX_OP_TLD4:
    case PTX_OP_SULD:
    case PTX_OP_SUST:
    case PTX_OP_SURED:
    case PTX_OP_CALL:
        return true;
    default:
        return false;
    }
}

static void follow(const struct ptx_function *function, const struct ptx_instruction *instruction,
                   struct followed *followed)
{
    struct ptx_instruction bare = *instruction;
    bool guarded = bare.guarded && followed->depends[bare.guard];
    bare.guarded = false;
    followed->reads = false;
    registers_visit(function, &bare, note_read, followed);
    bool passes = passes_on(instruction, followed->depends);
    if (followed->reads && passes)
        followed->passed = true;
    else if (followed->reads || (guarded && !passes))
        registers_visit(function, instruction, note_write, followed);
    followed->used |= followed->reads || guarded;
}

/* Follow the value that `instruction` reads. Returns false if memory is exhausted. The caller must
 * free followed->depends in either case. */
static bool follow_value(const struct ptx_function *function, uint32_t instruction,
                         struct followed *followed)
{
    const struct ptx_instruction *code = function->instructions;
    followed->depends = calloc(function->register_count + 1, sizeof *followed->depends);
    if (!followed->depends)
        return false;
    registers_visit(function, &code[instruction], note_write, followed);
    do {
        followed->grew = false;
        for (size_t i = 0; i < function->instruction_count; i++)
            if (!followed->moves_only || code[i].opcode == PTX_OP_MOV)
                follow(function, &code[i], followed);
    } while (followed->grew);
    return true;
}

/* Returns true if a branch that depends on the value is on a path from `from` to `to`. */
static bool may_lead_to(const struct ptx_function *function, const struct followed *followed,
                        const struct ptx_blocks *blocks, uint32_t from, uint32_t to)
{
    bool *reaches = calloc(blocks->count + 1, sizeof *reaches);
    bool *arrives = calloc(blocks->count + 1, sizeof *arrives);
    bool found = false;
    if (reaches && arrives)
        ptx_blocks_reaching(blocks, function, to, reaches);
    for (size_t i = 0; reaches && arrives && i < function->instruction_count && !found; i++) {
        const struct ptx_instruction *instruction = &function->instructions[i];
        if (instruction->opcode != PTX_OP_BRA || !instruction->guarded ||
            !followed->depends[instruction->guard] || !reaches[blocks->block_of[i]])
            continue;
        ptx_blocks_reaching(blocks, function, blocks->block_of[i], arrives);
        found = blocks->block_of[i] == from || arrives[from];
    }
    free(reaches);
    free(arrives);
    return found;
}

bool read_is_compared(const struct ptx_function *function, uint32_t instruction)
{
    struct followed followed = {.moves_only = true};
    bool compared = false, good = follow_value(function, instruction, &followed);
    for (size_t i = 0; good && i < function->instruction_count && !compared; i++) {
        const struct ptx_instruction *at = &function->instructions[i];
        compared = at->opcode == PTX_OP_ATOM && ptx_has(at, PTX_MOD_CAS) &&
                   at->operands[2].kind == PTX_OPERAND_REGISTER &&
                   followed.depends[at->operands[2].index];
    }
    free(followed.depends);
    return compared;
}

/* Returns the use of the value of load `instruction`. If a branch that depends on the value may
 * lead to the load `another` (if NULL, to the load itself), the value counts as tested. */
static enum read_use find_use(const struct ptx_function *function, uint32_t instruction,
                              const struct ptx_instruction *another)
{
    struct followed followed = {0};
    struct ptx_blocks blocks = {0};
    uint32_t back = another ? (uint32_t)(another - function->instructions) : instruction;
    enum read_use use = READ_UNKNOWN;
    if (follow_value(function, instruction, &followed) && ptx_blocks_find(&blocks, function)) {
        bool polls =
            followed.passed && may_lead_to(function, &followed, &blocks,
                                           blocks.block_of[instruction], blocks.block_of[back]);
        use = !followed.used ? READ_UNUSED : !followed.passed || polls ? READ_TESTED : READ_PASSED;
    }
    free(followed.depends);
    ptx_blocks_free(&blocks);
    return use;
}

static bool is_same_address(const struct ptx_operand *x, const struct ptx_operand *y)
{
    return x->kind == y->kind && x->address_kind == y->address_kind && x->index == y->index &&
           x->integer == y->integer;
}

static bool reads_the_same(const struct ptx_instruction *a, const struct ptx_instruction *b)
{
    if (a->opcode != PTX_OP_LD || b->opcode != PTX_OP_LD ||
        memcmp(a->modifiers, b->modifiers, sizeof a->modifiers) != 0 || a->space != b->space ||
        a->operand_count < 2 || b->operand_count < 2)
        return false;
    return is_same_address(&a->operands[1], &b->operands[1]);
}

bool read_is_updated(const struct ptx_function *function, uint32_t store)
{
    const struct ptx_instruction *to = &function->instructions[store];
    bool updates = false;
    for (uint32_t i = 0; i < store && to->operand_count && !updates; i++) {
        const struct ptx_instruction *from = &function->instructions[i];
        updates = from->opcode == PTX_OP_LD && from->space == to->space &&
                  from->operand_count > 1 && is_same_address(&from->operands[1], &to->operands[0]);
    }
    return updates;
}

enum { FULL_MASK = -1 };

struct masks {
    /* Per register: an instruction writes FULL_MASK (`full`) or another value (`other`). */
    bool *full, *other;
    bool writes_full;
};

static void note_mask(void *context, int32_t number, bool is_write)
{
    struct masks *masks = context;
    if (is_write)
        (masks->writes_full ? masks->full : masks->other)[number] = true;
}

static void find_masks(const struct ptx_function *function, struct masks *masks)
{
    for (size_t i = 0; i < function->instruction_count; i++) {
        const struct ptx_instruction *at = &function->instructions[i];
        masks->writes_full = at->opcode == PTX_OP_MOV && at->operand_count > 1 &&
                             at->operands[1].kind == PTX_OPERAND_INTEGER &&
                             (int32_t)at->operands[1].integer == FULL_MASK;
        registers_visit(function, at, note_mask, masks);
    }
}

static bool is_full_mask(const struct masks *masks, const struct ptx_operand *operand)
{
    if (operand->kind == PTX_OPERAND_INTEGER)
        return (int32_t)operand->integer == FULL_MASK;
    return operand->kind == PTX_OPERAND_REGISTER && masks->full[operand->index] &&
           !masks->other[operand->index];
}

static bool gathers(const struct ptx_function *function, const struct masks *masks,
                    const struct ptx_instruction *instruction, struct followed *followed)
{
    enum ptx_opcode opcode = instruction->opcode;
    if ((opcode != PTX_OP_SHFL && opcode != PTX_OP_VOTE && opcode != PTX_OP_MATCH &&
         opcode != PTX_OP_REDUX) ||
        !ptx_has(instruction, PTX_MOD_SYNC) || instruction->guarded || !instruction->operand_count)
        return false;
    followed->reads = false;
    registers_visit(function, instruction, note_read, followed);
    return followed->reads &&
           is_full_mask(masks, &instruction->operands[instruction->operand_count - 1]);
}

/* Returns true if a path from `from` to `to` avoids the marked instructions, if such a path reaches
 * an indirect branch, or if memory is exhausted. */
static bool may_go_around(const struct ptx_function *function, uint32_t from, uint32_t to,
                          const bool *marked)
{
    uint32_t count = (uint32_t)function->instruction_count, waiting = 0;
    bool *seen = calloc(count + 1, sizeof *seen);
    uint32_t *stack = calloc(count + 1, sizeof *stack);
    bool found = !seen || !stack;
    if (!found && from < count) {
        seen[from] = true;
        stack[waiting++] = from;
    }
    while (waiting && !found) {
        uint32_t at = stack[--waiting];
        if (marked[at])
            continue;
        found = at == to;
        struct ptx_flow flow = ptx_flow_at(function, at);
        found |= flow.table != NULL;
        const uint32_t next[] = {flow.falls ? at + 1 : count, flow.jumps ? flow.target : count};
        for (unsigned i = 0; i < 2; i++)
            if (next[i] < count && !seen[next[i]]) {
                seen[next[i]] = true;
                stack[waiting++] = next[i];
            }
    }
    free(seen);
    free(stack);
    return found;
}

bool read_is_shuffled(const struct ptx_function *function, uint32_t load, uint32_t store)
{
    struct followed followed = {0};
    bool *gathering = calloc(function->instruction_count + 1, sizeof *gathering);
    struct masks masks = {.full = calloc(function->register_count + 1, sizeof *masks.full),
                          .other = calloc(function->register_count + 1, sizeof *masks.other)};
    bool shuffled = false;
    if (follow_value(function, load, &followed) && gathering && masks.full && masks.other) {
        find_masks(function, &masks);
        for (size_t i = 0; i < function->instruction_count; i++)
            gathering[i] = gathers(function, &masks, &function->instructions[i], &followed);
        shuffled = !may_go_around(function, load + 1, store, gathering) &&
                   !may_go_around(function, 0, store, gathering);
    }
    free(masks.full);
    free(masks.other);
    free(followed.depends);
    free(gathering);
    return shuffled;
}

enum read_use read_use_find(const struct ptx_function *function, uint32_t instruction)
{
    enum read_use use = find_use(function, instruction, NULL);
    /* Compilers may peel the first iteration of a polling loop. Then the loop has its own load. */
    for (uint32_t i = 0; i < function->instruction_count && use == READ_PASSED; i++)
        if (i != instruction &&
            reads_the_same(&function->instructions[instruction], &function->instructions[i]) &&
            find_use(function, i, NULL) == READ_TESTED)
            use = find_use(function, instruction, &function->instructions[i]);
    return use;
}
