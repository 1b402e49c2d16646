/* simt.h: execute one block of a kernel, warp by warp.
 *
 * Theory of operation. A warp is a set of *fragments*: lanes that are at the same instruction of
 * the same function activation (frame). It starts as one fragment. A divergent branch splits a
 * fragment in two and opens a *reconvergence node* at the branch's immediate post-dominator; a
 * fragment that gets there waits until all lanes of the node have arrived (or exited) and they go
 * on as one. Calls are nodes too, closed by `ret`. Fragments take turns, so that lanes that wait
 * for each other make progress (independent thread scheduling, CC 7.0).
 *
 * A block runs its warps in turn; a warp hands over after each global memory request and at
 * barriers, so that the requests of a block are counted in an order like the hardware's. The order
 * is fixed, so everything is deterministic. What a warp's global requests touch is appended to the
 * block's trace.
 *
 * The room simt/ is this, and what it takes: simt_state.h lists its files, from low to high. It may
 * touch decode/, alu/, memory/, device/, ptx/ and base/. To have one more kind of instruction
 * executed is a row of the table in simt_interpreter.c, and its function.
 */
#ifndef SIMT_H
#define SIMT_H

#include "emulator/decode/simt_decode.h"
#include "emulator/memory/counters.h"
#include "emulator/memory/hierarchy.h"
#include "emulator/memory/texture.h"
#include "emulator/simt/observer.h"

#include <stdio.h>

struct dimensions {
    uint32_t x, y, z;
};

struct check_plan;

/* To see which way data go: words that are data (asked when they are stored) come out of shared
 * memory with some bits changed. simt_spoil.c. */
struct shared_spoil {
    bool (*is_data)(const void *context, uint32_t word);
    const void *context;
    uint32_t by_shuffle; /* bits that change in data that a lane gets from others */
    uint32_t by_itself,
        by_another; /* bits that change where the thread that loads had stored it, or not */
};

/* What a launch did to a region of memory. */
struct region_touch {
    bool may_be_written;
    bool is_known;                                 /* the sets below say all; else they are empty */
    struct ranges read, written;                   /* bytes, counted from its beginning, */
    struct ranges strongly_read, strongly_written; /* and those only by atomic operations and the
                                                      like, which may meet each other */
};
void region_touch_free(struct region_touch *touch);

/* What all blocks of a launch share. */
struct simt_launch {
    const struct program *program;
    int function; /* an entry */
    struct dimensions grid, block;
    const struct observer *observer; /* of one block's accesses; may be NULL */

    uint64_t dynamic_shared;     /* bytes */
    const unsigned char *params; /* the entry's parameter buffer, kernel_params_bytes long */
    const struct guest_memory *memory;
    const struct device *device;
    const struct texture *textures; /* objects by number, from 1; see texture.h */
    uint32_t texture_count;
    struct check_plan *checks; /* races and undefined reads, see simt_check.h; NULL: unchecked */
    bool counting;             /* what accesses cost; false: only warp instructions */
    bool keeps_turns;          /* a warp hands over after each global memory request */
    bool tracing;              /* append runs to the trace */
    /* By instruction (timing_code.h): traced loads have the number of their warp's round. NULL: all
     * 0.
     */
    const bool *begins_round;
    /* The same for loads of shared memory, too, for kernels that read a clock (simt_clock.c); NULL:
     * others. And the blocks that an SM has room for. */
    const bool *waits;
    unsigned resident_blocks;
    uint64_t block_budget; /* warp instructions that one block may execute */
    bool is_silent;        /* nobody reads what device printf writes: only the first is looked at */
    bool is_ordered;       /* blocks communicate, so one worker gives them turns */
    bool is_anonymous;     /* registers do not tell the device, see emulator.h */
    bool mend_barriers;    /* as if barriers stood where they are missing, see simt_mend.c */
    bool mend_bounds;      /* loads and stores out of bounds are left out */
    bool checks_parts;
    uint64_t checked_bytes;  /* of global memory, at most, in a launch that has it checked */
    uint64_t grid_workspace; /* guest address for grid.sync(); 0: not a cooperative launch */
    const struct shared_spoil *spoil; /* NULL: loads get what is there */
};

/* What one PTX instruction cost, summed over warps. */
struct instruction_stats {
    uint64_t executed, requests, sectors, wavefronts, ideal;
    uint64_t bytes;        /* that active lanes asked for */
    uint64_t transactions; /* runs of coalesce_global: lines, whole or in part */
    int64_t distance; /* bytes from an active lane's address to its right neighbour's, in the first
                         such access of block 0; 0: none, or the same address */
};

struct simt_block;

enum simt_outcome { SIMT_DONE, SIMT_MORE, SIMT_FAULT };

/* A reusable block; NULL without memory. `stats` and `executed` have program->instruction_count
 * entries and may be shared by the blocks of one host thread. The interpreter counts executions in
 * `executed`, which it touches at every instruction, and everything else in `stats`, whose
 * `executed` stays 0. */
struct simt_block *simt_block_create(const struct simt_launch *launch,
                                     struct instruction_stats *stats, uint64_t *executed);
void simt_block_free(struct simt_block *block);

/* Begin block number `number` (x fastest) of the grid on an SM. False: no memory. */
bool simt_block_start(struct simt_block *block, uint64_t number, unsigned sm);

/* Run until the block is done, has executed about `quantum` warp instructions, or faults. */
enum simt_outcome simt_block_run(struct simt_block *block, uint64_t quantum);

/* The fault, after SIMT_FAULT: a student failure, or a harness failure without memory. */
const struct failure *simt_block_failure(const struct simt_block *block);

/* Cycles until the block's last warp ended, where the kernel reads a clock; else 0. */
uint64_t simt_block_cycles(const struct simt_block *block);

/* The trace of the block since simt_block_start. The caller may take it over (and zero it). */
struct trace *simt_block_trace(struct simt_block *block);
/* Counters of all blocks that ran in this object. */
const struct counters *simt_block_counters(const struct simt_block *block);
/* What device printf wrote since simt_block_start; not NUL-terminated. */
const char *simt_block_output(const struct simt_block *block, size_t *length);

#endif
