/* ptx_cfg.h: the control flow of a function: where control goes from each instruction, basic
 * blocks, and where the lanes of a warp meet again. Who else needs to know asks here.
 */
#ifndef PTX_CFG_H
#define PTX_CFG_H

#include "emulator/ptx/ptx.h"

/* Where one lane goes from an instruction. */
struct ptx_flow {
    bool ends_block; /* it may go elsewhere than to the next instruction */
    bool falls;      /* it may go to the next instruction */
    bool leaves;     /* it may leave the function: ret, exit, a branch without label */
    bool jumps;      /* it may go to `target` (bra): an instruction number, */
    uint32_t target; /* which may equal the function's instruction_count */
    const struct ptx_targets *table; /* it may go to these (brx.idx), else NULL */
};

/* A call comes back, so it ends no block. A trap (or brkpt) goes nowhere: it ends the launch. */
struct ptx_flow ptx_flow_at(const struct ptx_function *function, size_t instruction);

/* Basic blocks, in the order of the text: each begins where a branch leads or behind an instruction
 * that ends a block, and control enters it nowhere else. */
struct ptx_blocks {
    uint32_t count;
    uint32_t *first_of; /* block -> first instruction; block `count` -> instruction_count */
    uint32_t *block_of; /* instruction -> block; instruction_count -> `count` */
};

/* False without memory; ptx_blocks_free in any case. A function without instructions has none. */
bool ptx_blocks_find(struct ptx_blocks *blocks, const struct ptx_function *function);
void ptx_blocks_free(struct ptx_blocks *blocks);

static inline bool ptx_begins_block(const struct ptx_blocks *blocks, size_t instruction)
{
    return blocks->first_of[blocks->block_of[instruction]] == instruction;
}

/* Where control goes behind the last instruction of a block. */
static inline struct ptx_flow ptx_block_flow(const struct ptx_blocks *blocks,
                                             const struct ptx_function *function, size_t block)
{
    return ptx_flow_at(function, blocks->first_of[block + 1] - 1);
}

/* Which blocks reach `goal`: reaches[b] is whether control that has passed the end of block b may
 * come to the beginning of block `goal`. `reaches` has blocks->count + 1 elements. */
void ptx_blocks_reaching(const struct ptx_blocks *blocks, const struct ptx_function *function,
                         uint32_t goal, bool *reaches);

/* Compute `reconverge` of every branch of the function: immediate post-dominators of the
 * control-flow graph, with a virtual exit behind ret and exit. A path that traps counts as one that
 * never ends. ptx_parse calls it. False without memory. */
bool ptx_cfg_analyse(struct ptx_function *function);

#endif
