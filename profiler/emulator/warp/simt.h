/* simt.h: execute one block of a kernel, warp by warp.
 *
 * A warp is a set of *fragments*. A fragment is a set of lanes at the same instruction of the same
 * function activation (frame). A warp starts as one fragment. A divergent branch splits a fragment
 * in two and opens a *reconvergence node* at the branch's immediate post-dominator. A fragment that
 * reaches this point waits until all lanes of the node have arrived or exited. Then the arrived
 * lanes continue as one fragment. A call also opens a node, which `ret` closes. Fragments take
 * turns, so that waiting lanes make progress (independent thread scheduling, CC 7.0).
 *
 * A block runs its warps in turn. A warp's turn ends at barriers and usually after each global
 * memory request, so that the order of requests is similar to the order on hardware. The exception:
 * in LAUNCH_COMPUTE, if warps and blocks do not communicate, the turn continues after a request.
 * The order of turns is fixed, so all results are deterministic. */
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

/* Returns the x, y and z indices of thread `number` in a block or of block `number` in a grid. */
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

enum launch_mode {
    LAUNCH_CHECK, /* Count, and look for races and uses of uninitialized values (check.h). */
    LAUNCH_COUNT,
    LAUNCH_COMPUTE, /* Compute results only. The only counter is `warp_instructions`. */
};

/* Bits of emulator_launch.repair: mistakes that a launch repairs, to show further mistakes. */
enum emulator_repair {
    /* Repair missing barriers, and barriers that not all threads of the block reach. Warps
     * synchronize at each change between shared stores and shared loads (repair.c). If warps wait
     * for each other in loops, the kernel may run until the budget ends. */
    EMULATOR_REPAIR_BARRIERS = 1,
    /* Repair too little dynamic shared memory: a block receives as much as the device allows.
     * Occupancy is still computed from the size that the launch requests. */
    EMULATOR_REPAIR_SHARED = 2,
    /* Skip invalid loads (result 0) and invalid stores. Other invalid accesses still fail. */
    EMULATOR_REPAIR_BOUNDS = 4,
};

/* The parameters of one launch. The default of every field after `device` is 0. The caller owns all
 * objects that the fields point to, and must not free them before the launch has ended. */
struct emulator_launch {
    const struct program *program;
    int function;
    struct dimensions grid, block;
    uint64_t dynamic_shared;
    const unsigned char *params; /* kernel_params_bytes bytes with the kernel's parameters. */
    const struct guest_memory *memory;
    const struct device *device;
    unsigned workers; /* Number of host threads. 0 means 1. Results do not depend on this number. */
    enum launch_mode mode;
    bool model_memory; /* Also model caches, DRAM and time. Ignored in LAUNCH_COMPUTE. */
    const struct machine_code *machine;
    const struct texture *textures; /* Texture object n is element n - 1 (texture.h). */
    uint32_t texture_count;
    /* Hide the device: %smid is 0, %nsmid is 1, and clocks count instructions. */
    bool is_anonymous;
    /* For a cooperative launch: guest address of the two 4-byte words that grid.sync() uses. All
     * blocks must be resident. The first word is 8, the size of both words. The second is 0. */
    uint64_t grid_workspace;
    bool reversed; /* Blocks that communicate run in reverse order within a wave. */
    unsigned repair;
    const struct shared_taint *taint; /* Alters data to follow its flow (observer.h), or NULL. */
    /* Limit of checked global bytes. 0 means CHECK_GLOBAL_BYTES. */
    uint64_t checked_bytes;
    /* In launches above the limit, check each array's beginning and the first accesses. */
    bool checks_parts;
    struct region_touch *touched; /* Output: one element per region (region_touch_free). */
    bool keeps_reads;             /* Also record in `touched` which bytes were read. */
    uint64_t block_budget; /* Limit of a block's instructions. 0 means EMULATOR_BLOCK_BUDGET. */
    /* Seed of a random sample of 1/8 of the blocks. All run if it is 0 or if blocks communicate. */
    uint64_t sample;
    uint64_t grid_budget;  /* Limit of all blocks' instructions. 0 means EMULATOR_GRID_BUDGET. */
    FILE *output;          /* Receives the output of device printf. NULL discards the output. */
    unsigned output_lines; /* Limit of output lines. 0 means no limit. Output has at most 1 MiB. */
    const struct observer *observer;
    struct partition_history *history; /* Output of model_memory. The caller frees its bytes. */
    void (*progress)(void *context, double share); /* Called between waves of blocks, or NULL. */
    void *progress_context;
};

/* The limits are thousands of times the instruction counts of the course's kernels. An endless loop
 * in one block reaches the block limit after about two seconds. */
#define EMULATOR_BLOCK_BUDGET (50ull * 1000 * 1000)
#define EMULATOR_GRID_BUDGET (100ull * 1000 * 1000 * 1000)

enum { SINKS_MAX = 5, SINK_EVENTS_MAX = 32 };

/* Properties of an instruction for the time model (timing_code.c). */
struct code_traits {
    bool begins_round; /* True for the first load of a round (a group of loads in flight). */
    bool is_crowded;   /* True for a load of a crowded round (read_share.c). */
    uint8_t combines;  /* enum combining. */
};

struct simt_run {
    struct emulator_launch launch;
    bool is_ordered; /* Blocks communicate, so they take turns on one worker. */
    bool keeps_turns;
    unsigned resident_blocks;
    /* Sinks (sink.h) in the order in which they receive events, and their plans. NULL if unused. */
    const struct sink *sinks[SINKS_MAX];
    void *plans[SINKS_MAX];
    /* For each event, the sinks that receive it, ending with NULL. */
    const struct sink *receivers[SINK_EVENTS_MAX][SINKS_MAX + 1];
    /* For each instruction. NULL if times are not modelled. In the trace, a load has the value 2 *
     * (number of the round in the warp), plus 1 if the round is crowded. */
    const struct code_traits *traits;
    /* The result of code_read_waits. NULL if the kernel reads no clock. */
    const struct code_traits *waits;
};

struct instruction_stats {
    uint64_t executed, requests, sectors, wavefronts, ideal;
    uint64_t bytes;
    uint64_t transactions;
    /* Bytes between two neighbouring active lanes of an access of block 0, or 0 if none exist. */
    int64_t distance;
};

struct simt_block;

void simt_run_listen(struct simt_run *run);

enum simt_outcome { SIMT_DONE, SIMT_MORE, SIMT_FAULT };

/* Create a reusable block. Returns NULL if memory is exhausted. `stats` and `executed` have
 * program->instruction_count entries, and the blocks of one host thread may share them. Executions
 * are counted in `executed`, and stats->executed remains 0. */
struct simt_block *simt_block_create(const struct simt_run *run, struct instruction_stats *stats,
                                     uint64_t *executed);
void simt_block_free(struct simt_block *block);

/* Start block `number` of the grid (x is the fastest dimension) on an SM. */
void simt_block_start(struct simt_block *block, uint64_t number, unsigned sm);

/* Run until the block is done, faults, or has executed about `quantum` warp instructions. After
 * SIMT_FAULT, block->failure is the fault, or a harness failure if memory is exhausted. */
enum simt_outcome simt_block_run(struct simt_block *block, uint64_t quantum);

/* Returns the cycles until the block's last warp ended, or 0 if the kernel reads no clock. */
uint64_t simt_block_cycles(const struct simt_block *block);
#endif
