/* checker.h: the state of a block's checks, shared by the files that check (check*.c) only. */
#ifndef SIMT_CHECKER_H
#define SIMT_CHECKER_H

#include "emulator/sinks/check.h"
#include "emulator/sinks/undefined.h"

struct checker {
    struct check_plan *plan;
    struct shadow shared;
    struct order order;
    struct inbox inbox;     /* where blocks take turns, */
    uint32_t *device_fence; /* and of each thread: its last fence for the whole device, or 0 */
    uint64_t block_number;
    struct undefined_registers **undefined_of; /* by warp; NULL: there never was one */
    unsigned warp_count;
    unsigned char *local_defined; /* of each byte: whether the thread wrote it; NULL: unchecked */
    /* Undefined values in shared memory: of each granule, 1 + the number of where they came
     * from. */
    uint16_t *uninitialized; /* NULL: there never were any */
    struct uninitialized_source {
        struct undefined_reader reader;
        uint64_t address;
    } * uninitialized_list;
    unsigned uninitialized_count;
    struct failure undefined; /* the first use of an undefined value in the block, */
    uint32_t undefined_stamp; /* when that was, */
    bool undefined_steers;    /* and whether what happens next may come of it */
    struct shuffled {         /* whether read_is_shuffled: what was found last, */
        uint32_t load, store; /* 1 + their numbers in the program */
        bool is;
    } shuffled[16];
};

/* Only where there is one. */
static inline struct checker *checker_of(const struct simt_block *block)
{
    return block->sink_states[SINK_CHECK];
}

static inline bool is_strong(const struct instruction *instruction)
{
    return instruction->kind == SIMT_ATOMIC || (instruction->flags & SIMT_VOLATILE);
}

/* Whether an access or a fence is for the threads of its block alone. (A block is a cluster of its
 * own here.) */
static inline bool is_block_scope(const struct ptx_instruction *source)
{
    return ptx_has(source, PTX_MOD_CTA) || ptx_has(source, PTX_MOD_CLUSTER);
}

/* Whether the source names a memory order, as cuda::atomic_ref does: it expects any value. */
static inline bool has_memory_order(const struct ptx_instruction *source)
{
    return ptx_has(source, PTX_MOD_RELAXED) || ptx_has(source, PTX_MOD_ACQUIRE) ||
           ptx_has(source, PTX_MOD_ACQ_REL);
}

static inline unsigned element_bytes(const struct instruction *instruction)
{
    return instruction->kind == SIMT_MBARRIER ? sizeof(uint64_t) : instruction->bytes;
}

/* The number of the step's instruction in the program. */
static inline uint32_t number_of(const struct step *step)
{
    return step->fragment->frame->function->stats_base + step->instruction->number;
}

/* ---- check_report.c: what is said ---- */

/* The block that was running at the time. */
uint64_t checker_block_at(const struct checker *checker, uint32_t stamp);
/* Where an address is, in words. */
void check_describe(const struct simt_block *block, const struct instruction *instruction,
                    enum ptx_space space, uint64_t address, char *text, size_t size);
/* Record what was found. Always returns false. */
bool check_report(const struct step *step, enum ptx_space space,
                  const struct shadow_finding *finding);
/* A race in global memory that may not count: keep it, and go on. */
void check_report_later(const struct step *step, const struct shadow_finding *finding,
                        struct failure *race);
/* The function that holds an instruction, by the instruction's number in the program. */
int check_function_of(const struct program *program, uint32_t number);
/* Keep the use, by the step's instruction, of an undefined value that was read from an address,
 * until it is due. */
void check_report_undefined(const struct step *step, const struct undefined_reader *from,
                            unsigned lane, uint64_t address);

#endif
