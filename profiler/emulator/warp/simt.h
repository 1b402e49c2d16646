/* simt.h: executes one block of a kernel, warp by warp.
 *
 * Theory of operation. A warp is a set of *fragments*. A fragment is a set of lanes at the same
 * instruction of the same function activation (frame). A warp starts as one fragment. A divergent
 * branch splits a fragment in two and opens a *reconvergence node* at the branch's immediate
 * post-dominator. A fragment that reaches this point waits until all lanes of the node have arrived
 * or exited; then they continue as one fragment. Calls are nodes too, closed by `ret`. Fragments
 * take turns, so that lanes that wait for each other make progress (independent thread scheduling,
 * CC 7.0).
 *
 * A block runs its warps in turn. A warp's turn ends after each global memory request and at
 * barriers, so that the requests of a block are counted in an order similar to the hardware's. The
 * order is fixed, so all results are deterministic. Global requests are appended to the block's
 * trace.
 *
 * simt_state.h lists the files. A new kind of instruction needs a function, and a row in the table
 * of simt_interpreter.c.
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

/* Returns the index of a thread in a block, or of a block in a grid, by its number (x fastest). */
static inline struct dimensions dimensions_at(struct dimensions shape, uint64_t number)
{
    return (struct dimensions){(uint32_t)(number % shape.x), (uint32_t)(number / shape.x % shape.y),
                               (uint32_t)(number / shape.x / shape.y)};
}

struct machine_code;
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

/* Mistakes that a launch can repair, to find out whether the kernel is correct without them. */
enum emulator_repair {
    /* Barriers that are missing, or that not all threads of the block reach: warps synchronize
     * wherever they change from stores to shared memory to loads, or back (repair.c). Then there
     * are no races through shared memory and no deadlocks at barriers; the other checks remain. A
     * kernel whose warps wait for each other in loops may run until its budget is spent. */
    EMULATOR_REPAIR_BARRIERS = 1,
    /* Too little dynamic shared memory: a block gets as much as the device allows. Occupancy still
     * follows from what the launch requests. */
    EMULATOR_REPAIR_SHARED = 2,
    /* Loads and stores that are out of bounds or misaligned: they are skipped, and such a load
     * returns 0. Atomics and asynchronous copies still fail. */
    EMULATOR_REPAIR_BOUNDS = 4,
};

/* One launch, from the caller down to the interpreter. Zero is the default of every field after
 * `device`. The caller owns everything that is pointed to until the launch has ended. */
struct emulator_launch {
    const struct program *program;
    int function; /* Number of the kernel in the program. */
    struct dimensions grid, block;
    uint64_t dynamic_shared;     /* Bytes of dynamic shared memory of a block. */
    const unsigned char *params; /* The kernel's parameters, kernel_params_bytes of them. */
    const struct guest_memory *memory;
    const struct device *device;
    unsigned workers; /* Host threads, at least 1. Results do not depend on their number. */
    enum launch_mode mode;
    bool model_memory; /* Emulate caches, DRAM and the time, too. Not in LAUNCH_COMPUTE. */
    const struct machine_code *machine; /* Of the kernel, for the device; NULL: unknown. */
    const struct texture *textures;     /* Objects by number, from 1 (texture.h). */
    uint32_t texture_count;
    /* The kernel cannot find out the device: every block is on SM 0 of 1, and clocks count
     * instructions. */
    bool is_anonymous;
    /* Cooperative launch, whose blocks must all be resident: guest address of the 8 bytes that
     * grid.sync() uses. The first word is the number of blocks, the second 0. */
    uint64_t grid_workspace;
    bool reversed;   /* Of blocks that communicate, the last of a wave runs first. */
    unsigned repair; /* Set of enum emulator_repair. */
    const struct shared_taint *taint; /* Alter data that pass through shared memory (taint.c). */
    uint64_t checked_bytes; /* Global memory is checked up to this size; 0: CHECK_GLOBAL_BYTES. */
    bool checks_parts; /* Larger memory: check the beginnings of arrays and the first accesses. */
    struct region_touch *touched; /* Filled, one per region; region_touch_free frees each. */
    bool keeps_reads;             /* Also fill in the sets of bytes that were read there. */
    uint64_t block_budget; /* Limit of warp instructions per block; 0: EMULATOR_BLOCK_BUDGET. */
    /* Not 0: run about one block in eight, chosen by this seed, unless blocks communicate. */
    uint64_t sample;
    uint64_t grid_budget;  /* Limit for all blocks together; 0: EMULATOR_GRID_BUDGET. */
    FILE *output;          /* Receives the output of device printf. NULL: it is discarded. */
    unsigned output_lines; /* Limit of its lines; 0: all, up to a megabyte. */
    const struct observer *observer;   /* Sees accesses of one block or all (observer.h). */
    struct partition_history *history; /* Filled when model_memory is set; free() its bytes. */
    void (*progress)(void *context, double share); /* Called between waves of blocks. */
    void *progress_context;
};

/* Thousands of times what the course's kernels need; about two seconds of an endless loop in one
 * block. */
#define EMULATOR_BLOCK_BUDGET (50ull * 1000 * 1000)
#define EMULATOR_GRID_BUDGET (100ull * 1000 * 1000 * 1000)

enum { SINKS_MAX = 5, SINK_EVENTS_MAX = 32 };

/* A running launch: what emulator_run derives from it for all its blocks. */
struct simt_run {
    struct emulator_launch launch; /* The caller's, with the defaults filled in. */
    bool is_ordered;               /* Blocks communicate, so one worker gives them turns. */
    bool keeps_turns;              /* A warp's turn ends after each global memory request. */
    unsigned resident_blocks;      /* Blocks that fit on an SM. */
    /* The sinks (sink.h) in the order in which they receive events, and their plans; NULL:
     * unused. */
    const struct sink *sinks[SINKS_MAX];
    void *plans[SINKS_MAX];
    const struct sink *receivers[SINK_EVENTS_MAX][SINKS_MAX + 1]; /* by event */
    /* By instruction: the load begins a round (timing_code.h). Traced loads have the number of
     * their warp's round; if NULL, 0. */
    const bool *begins_round;
    /* By instruction: an atomic operation of a warp reaches memory as one (timing_code.h); NULL:
     * times are not modeled. */
    const bool *combines;
    /* begins_round, also for loads of shared memory, if the kernel reads a clock; else NULL. */
    const bool *waits;
};

/* The cost of one PTX instruction, summed over warps. */
struct instruction_stats {
    uint64_t executed, requests, sectors, wavefronts, ideal;
    uint64_t bytes;        /* Bytes that active lanes requested. */
    uint64_t transactions; /* Runs of coalesce_global: lines, or parts of lines. */
    int64_t distance;      /* Bytes between the addresses of two neighbouring active lanes, in the
                              first such access of block 0; 0: none, or the same address. */
};

struct simt_block;

/* Fill in `receivers` from `sinks`. */
void simt_run_listen(struct simt_run *run);

enum simt_outcome { SIMT_DONE, SIMT_MORE, SIMT_FAULT };

/* Create a reusable block. NULL: no memory. `stats` and `executed` have program->instruction_count
 * entries, and the blocks of one host thread may share them. The interpreter counts executions in
 * `executed`, and everything else in `stats`, whose field `executed` stays 0. */
struct simt_block *simt_block_create(const struct simt_run *run, struct instruction_stats *stats,
                                     uint64_t *executed);
void simt_block_free(struct simt_block *block);

/* Start block number `number` (x fastest) of the grid on an SM. False: no memory. */
bool simt_block_start(struct simt_block *block, uint64_t number, unsigned sm);

/* Run until the block is done, has executed about `quantum` warp instructions, or faults. */
enum simt_outcome simt_block_run(struct simt_block *block, uint64_t quantum);

/* The fault, after SIMT_FAULT: a student failure, or a harness failure if there is no memory. */
const struct failure *simt_block_failure(const struct simt_block *block);

/* Cycles until the block's last warp ended if the kernel reads a clock; else 0. */
uint64_t simt_block_cycles(const struct simt_block *block);

/* The trace of the block since simt_block_start. The caller may take ownership and zero it. */
struct trace *simt_block_trace(struct simt_block *block);
/* Counters of all blocks that ran in this object. */
const struct counters *simt_block_counters(const struct simt_block *block);
/* The output of device printf since simt_block_start; not NUL-terminated. */
const char *simt_block_output(const struct simt_block *block, size_t *length);

#endif
