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

#include "emulator/cost/counters.h"
#include "emulator/cost/hierarchy.h"
#include "emulator/decode/simt_decode.h"
#include "emulator/guest/texture.h"

#include <stdio.h>

struct dimensions {
    uint32_t x, y, z;
};

struct observer;
struct region_touch;
struct shared_taint;
struct sink;

/* How closely a launch is observed. */
enum launch_mode {
    LAUNCH_CHECK,   /* count, and look for races and uses of uninitialized values (check.h) */
    LAUNCH_COUNT,   /* count what instructions and accesses cost */
    LAUNCH_COMPUTE, /* results only; `warp_instructions` is the only counter that is filled */
};

/* Mistakes that a launch can be told to repair, to see whether the kernel is right but for them. */
enum emulator_repair {
    /* Barriers that are missing, or that not all threads of the block reach: warps synchronize
     * wherever they go from storing to shared memory to loading from it, or back (repair.c).
     * Then there are neither races through shared memory nor deadlocks at barriers; all else is
     * checked. A kernel whose warps wait for each other in loops may run until its budget is
     * spent. */
    EMULATOR_REPAIR_BARRIERS = 1,
    /* Too little dynamic shared memory: a block gets as much as the device allows. Occupancy is
     * still that of what the launch asks for. */
    EMULATOR_REPAIR_SHARED = 2,
    /* Loads and stores out of bounds, or misaligned: they are left out, and such a load gets 0.
     * Atomics and asynchronous copies fail as ever. */
    EMULATOR_REPAIR_BOUNDS = 4,
};

/* One launch, from the caller down to the interpreter. Zero is the default of every field after
 * `device`. The caller owns all that is pointed to, and keeps it until the launch has ended. */
struct emulator_launch {
    const struct program *program;
    int function; /* Number of the kernel in the program. */
    struct dimensions grid, block;
    uint64_t dynamic_shared;     /* Bytes of dynamic shared memory of a block. */
    const unsigned char *params; /* The kernel's parameters, kernel_params_bytes of them. */
    const struct guest_memory *memory;
    const struct device *device;
    unsigned workers; /* Threads of the host, at least 1. No result depends on their number. */
    enum launch_mode mode;
    bool model_memory; /* Emulate caches, DRAM and the time, too. Not in LAUNCH_COMPUTE. */
    const struct texture *textures; /* Objects by number, from 1 (texture.h). */
    uint32_t texture_count;
    /* The kernel cannot read which device this is: every block is on SM 0 of 1. (Clocks count
     * instructions, and addresses are the same, anyway.) */
    bool is_anonymous;
    /* Of a cooperative launch, whose blocks must all be resident: the guest address of 8 bytes, the
     * first word their number and the second 0, through which grid.sync() works. */
    uint64_t grid_workspace;
    unsigned repair;                  /* Set of enum emulator_repair. */
    const struct shared_taint *taint; /* Mark the data that go through shared memory. */
    uint64_t checked_bytes; /* Global memory is checked up to this size; 0: CHECK_GLOBAL_BYTES. */
    bool
        checks_parts; /* Of larger memory, check the beginnings of arrays and the first accesses. */
    struct region_touch *touched; /* Filled, one for each region; region_touch_free frees each. */
    bool keeps_reads;             /* Fill in there what was read, too. */
    uint64_t
        block_budget; /* Warp instructions that a block may execute; 0: EMULATOR_BLOCK_BUDGET. */
    uint64_t grid_budget;  /* The same for all blocks together; 0: EMULATOR_GRID_BUDGET. */
    FILE *output;          /* Receives what device printf writes. NULL: that is dropped. */
    unsigned output_lines; /* Lines of it that are passed on; 0: all, up to a megabyte. */
    const struct observer *observer;   /* Sees accesses of one block or all (observer.h). */
    struct partition_history *history; /* Filled when model_memory is set; free() its bytes. */
    void (*progress)(void *context, double share); /* Called between waves of blocks. */
    void *progress_context;
};

/* Enough for any honest kernel of the course by a factor of thousands; about two seconds of an
 * endless loop in one block. */
#define EMULATOR_BLOCK_BUDGET (50ull * 1000 * 1000)
#define EMULATOR_GRID_BUDGET (100ull * 1000 * 1000 * 1000)

enum { SINKS_MAX = 5, SINK_EVENTS_MAX = 32 };

/* A launch under way: what emulator_run derives from it for all its blocks. */
struct simt_run {
    struct emulator_launch launch; /* The caller's, with the defaults filled in. */
    bool is_ordered;               /* Blocks communicate, so one worker gives them turns. */
    bool keeps_turns;              /* A warp hands over after each global memory request. */
    unsigned resident_blocks;      /* Blocks that an SM has room for. */
    /* Those that observe the launch (sink.h), in the order in which they get events, and what was
     * planned for each; NULL: the launch does without. */
    const struct sink *sinks[SINKS_MAX];
    void *plans[SINKS_MAX];
    const struct sink *receivers[SINK_EVENTS_MAX][SINKS_MAX + 1]; /* by event */
    /* By instruction (timing_code.h): traced loads have the number of their warp's round. NULL: all
     * 0. */
    const bool *begins_round;
    /* The same with loads of shared memory, for kernels that read a clock; else NULL. */
    const bool *waits;
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

/* Fill in `receivers`, when the sinks have been chosen. */
void simt_run_listen(struct simt_run *run);

enum simt_outcome { SIMT_DONE, SIMT_MORE, SIMT_FAULT };

/* A reusable block; NULL without memory. `stats` and `executed` have program->instruction_count
 * entries and may be shared by the blocks of one host thread. The interpreter counts executions in
 * `executed`, which it touches at every instruction, and everything else in `stats`, whose
 * `executed` stays 0. */
struct simt_block *simt_block_create(const struct simt_run *run, struct instruction_stats *stats,
                                     uint64_t *executed);
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
