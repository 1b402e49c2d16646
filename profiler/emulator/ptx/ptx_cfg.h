/* ptx_cfg.h: the control flow of a function: successors, basic blocks, reconvergence points. */
#ifndef PTX_CFG_H
#define PTX_CFG_H

#include "emulator/ptx/ptx.h"

struct ptx_flow {
    bool ends_block; /* True if the next instruction is not the only possible successor. */
    bool falls;      /* The lane may continue at the next instruction. */
    bool leaves;     /* The lane may leave the function: ret, exit, or a branch without a label. */
    bool jumps;
    uint32_t target; /* Instruction number, or instruction_count for the function's end. */
    const struct ptx_targets *table; /* Possible targets of brx.idx, or NULL. */
};

/* Returns the successors of an instruction for one lane. A call returns, so it does not end a
 * block. An unguarded trap or brkpt has no successor, because it ends the launch. */
struct ptx_flow ptx_flow_at(const struct ptx_function *function, size_t instruction);

/* Basic blocks, in the order of the text. Control enters a block only at its first instruction. */
struct ptx_blocks {
    uint32_t count;
    uint32_t *first_of; /* First instruction of each block. Element `count` is instruction_count. */
    uint32_t *block_of; /* Block of each instruction. Element instruction_count is `count`. */
};

/* Find the basic blocks. Returns false if memory is exhausted. Always call ptx_blocks_free. */
bool ptx_blocks_find(struct ptx_blocks *blocks, const struct ptx_function *function);
void ptx_blocks_free(struct ptx_blocks *blocks);

static inline bool ptx_begins_block(const struct ptx_blocks *blocks, size_t instruction)
{
    return blocks->first_of[blocks->block_of[instruction]] == instruction;
}

static inline struct ptx_flow ptx_block_flow(const struct ptx_blocks *blocks,
                                             const struct ptx_function *function, size_t block)
{
    return ptx_flow_at(function, blocks->first_of[block + 1] - 1);
}

/* Set reaches[b] to true if control may flow from the end of block b to the beginning of block
 * `goal`. `reaches` has blocks->count + 1 elements. */
void ptx_blocks_reaching(const struct ptx_blocks *blocks, const struct ptx_function *function,
                         uint32_t goal, bool *reaches);

/* Compute `reconverge` of every branch. A path to a trap counts as a path that never ends. Returns
 * false if memory is exhausted. */
bool ptx_cfg_analyse(struct ptx_function *function);

#endif
