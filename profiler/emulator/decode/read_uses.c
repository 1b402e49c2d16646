/* read_uses.c: see read_uses.h. */
#include "emulator/decode/read_uses.h"

#include "emulator/decode/simt_allocate.h"
#include "emulator/ptx/ptx_cfg.h"

#include <stdlib.h>

/* Registers that depend on the value. */
struct followed {
    bool *depends; /* by register number */
    bool reads;    /* the instruction in hand reads one of them, other than as its guard */
    bool grew;
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

/* Whether the instruction gives the values it reads to memory or to others. */
static bool gives_away(const struct ptx_instruction *instruction)
{
    switch (instruction->opcode) {
    case PTX_OP_ST:
    case PTX_OP_RED:
    case PTX_OP_ATOM:
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

/* Follow the value through one instruction. Whether it uses it. */
static bool follow(const struct ptx_function *function, const struct ptx_instruction *instruction,
                   struct followed *followed, bool *passed)
{
    struct ptx_instruction bare = *instruction;
    bool guarded = bare.guarded && followed->depends[bare.guard];
    bare.guarded = false;
    followed->reads = false;
    registers_visit(function, &bare, note_read, followed);
    if (followed->reads && gives_away(instruction))
        *passed = true;
    else if (followed->reads || (guarded && !gives_away(instruction)))
        registers_visit(function, instruction, note_write, followed);
    return followed->reads || guarded;
}

/* Whether a branch whose condition depends on the value may lead back to where it was read. */
static bool may_come_back(const struct ptx_function *function, const struct followed *followed,
                          const struct ptx_blocks *blocks, const bool *reaches)
{
    for (size_t i = 0; i < function->instruction_count; i++) {
        const struct ptx_instruction *instruction = &function->instructions[i];
        if (instruction->opcode == PTX_OP_BRA && instruction->guarded &&
            followed->depends[instruction->guard] && reaches[blocks->block_of[i]])
            return true;
    }
    return false;
}

bool read_is_compared(const struct ptx_function *function, uint32_t instruction)
{
    struct followed followed = {
        .depends = calloc(function->register_count + 1, sizeof *followed.depends), .grew = true};
    bool compared = false;
    if (!followed.depends)
        return false;
    registers_visit(function, &function->instructions[instruction], note_write, &followed);
    while (followed.grew) {
        followed.grew = false;
        for (size_t i = 0; i < function->instruction_count; i++) {
            const struct ptx_instruction *at = &function->instructions[i];
            followed.reads = false;
            if (at->opcode == PTX_OP_MOV) /* unchanged */
                registers_visit(function, at, note_read, &followed);
            if (followed.reads)
                registers_visit(function, at, note_write, &followed);
            compared |= at->opcode == PTX_OP_ATOM && ptx_has(at, PTX_MOD_CAS) &&
                        at->operands[2].kind == PTX_OPERAND_REGISTER &&
                        followed.depends[at->operands[2].index];
        }
    }
    free(followed.depends);
    return compared;
}

enum read_use read_use_find(const struct ptx_function *function, uint32_t instruction)
{
    struct followed followed = {
        .depends = calloc(function->register_count + 1, sizeof *followed.depends), .grew = true};
    struct ptx_blocks blocks = {0};
    bool *reaches = NULL, used = false, passed = false;
    enum read_use use = READ_UNKNOWN;
    if (followed.depends && ptx_blocks_find(&blocks, function) &&
        (reaches = calloc(blocks.count + 1, sizeof *reaches))) {
        registers_visit(function, &function->instructions[instruction], note_write, &followed);
        while (followed.grew) {
            followed.grew = false;
            for (size_t i = 0; i < function->instruction_count; i++)
                used |= follow(function, &function->instructions[i], &followed, &passed);
        }
        ptx_blocks_reaching(&blocks, function, blocks.block_of[instruction], reaches);
        use = !used                                                             ? READ_UNUSED
              : !passed || may_come_back(function, &followed, &blocks, reaches) ? READ_TESTED
                                                                                : READ_PASSED;
    }
    free(followed.depends);
    free(reaches);
    ptx_blocks_free(&blocks);
    return use;
}
