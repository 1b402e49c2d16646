/* checker.h: the state of a block's checks, for check*.c only. */
#ifndef SIMT_CHECKER_H
#define SIMT_CHECKER_H

#include "emulator/sinks/check.h"
#include "emulator/sinks/undefined.h"

struct checker {
    struct check_plan *plan;
    struct shadow shared;
    struct order order;
    struct inbox inbox;     /* Used if blocks take turns. */
    uint32_t *device_fence; /* For each thread: stamp of its last fence of device scope. */
    uint64_t block_number;
    struct undefined_registers **undefined_of; /* For each warp: its set, or NULL. */
    unsigned warp_count;
    unsigned char *local_defined; /* For each byte of local memory: true if initialized. */
    /* For each granule of shared memory: 1 + the index in uninitialized_list of the undefined value
     * that is stored there, or 0. The array is NULL if no undefined value was stored. */
    uint16_t *uninitialized;
    struct uninitialized_source {
        struct undefined_reader reader;
        uint64_t address;
    } * uninitialized_list;
    unsigned uninitialized_count;
    struct failure undefined;
    uint32_t undefined_stamp; /* Epoch (order.h) in which `undefined` was found. */
    bool undefined_steers;    /* Later faults may be consequences of `undefined`. */
    struct shuffled {
        uint32_t load, store; /* 1 + the instruction's number in the program. */
        bool is;
    } shuffled[16];
};

static inline struct checker *checker_of(const struct simt_block *block)
{
    return block->sink_states[SINK_CHECK];
}

static inline bool is_strong(const struct instruction *instruction)
{
    return instruction->kind == SIMT_ATOMIC || (instruction->flags & SIMT_VOLATILE);
}

/* Returns true for block scope or cluster scope, because a cluster consists of one block. */
static inline bool is_block_scope(const struct ptx_instruction *source)
{
    return ptx_has(source, PTX_MOD_CTA) || ptx_has(source, PTX_MOD_CLUSTER);
}

static inline unsigned element_bytes(const struct instruction *instruction)
{
    return instruction->kind == SIMT_MBARRIER ? sizeof(uint64_t) : instruction->bytes;
}

/* Returns the number of the block that ran at the time of a stamp. */
uint64_t checker_block_at(const struct checker *checker, uint32_t stamp);
/* Write a description of an address in the terms of the source, such as "tile[3][17]". */
void check_describe(const struct simt_block *block, const struct instruction *instruction,
                    enum ptx_space space, uint64_t address, char *text, size_t size);
bool check_report(const struct step *step, enum ptx_space space,
                  const struct shadow_finding *finding);
/* Save the report of a race in global memory in *race, and let the block continue. */
void check_report_later(const struct step *step, const struct shadow_finding *finding,
                        struct failure *race);
/* Returns the index of the function that contains instruction `number` of the program. */
int check_function_of(const struct program *program, uint32_t number);
/* Save a report that the step's instruction uses an undefined value, which `from` read at
 * `address`. The report is due after the block's next barrier or at its end. */
void check_report_undefined(const struct step *step, const struct undefined_reader *from,
                            unsigned lane, uint64_t address);

#endif
