/* emulator.h: launch a kernel on an emulated GPU.
 *
 * Theory of operation. The grid runs in *waves*: as many blocks as the device holds at once, block
 * number b on SM b mod SMs. A wave has three phases, each spread over worker threads: execute the
 * blocks (simt.h), which leaves a trace of global accesses for each; pass each SM's traces through
 * its L1; pass everything through the L2, which is split among the workers by address
 * (hierarchy.h). All results are the same for any number of workers.
 */
#ifndef EMULATOR_H
#define EMULATOR_H

#include "emulator/simt/simt.h"
#include "emulator/timing/timing.h"

/* Mistakes that a launch can be told to mend, to see whether the kernel is right but for them. */
enum emulator_mend {
    /* Barriers that are missing, or that not all threads of the block reach: warps meet wherever
     * they go from storing to shared memory to loading from it, or back (simt_mend.c). Then there
     * are neither races through shared memory nor deadlocks at barriers; all else is checked. A
     * kernel whose warps wait for each other in loops may run until its budget is spent. */
    EMULATOR_MEND_BARRIERS = 1,
    /* Too little dynamic shared memory: a block gets as much as the device allows. Occupancy is
     * still that of what the launch asks for. */
    EMULATOR_MEND_SHARED = 2,
    /* Loads and stores out of bounds, or misaligned: they are left out, and such a load gets 0.
     * Atomics and asynchronous copies fail as ever. */
    EMULATOR_MEND_BOUNDS = 4,
};

struct emulator_launch {
    const struct program *program;
    int function; /* an entry */
    struct dimensions grid, block;
    uint64_t dynamic_shared; /* bytes */
    const unsigned char *params;
    const struct guest_memory *memory;
    const struct texture *textures; /* objects by number, from 1; see texture.h */
    uint32_t texture_count;
    const struct device *device;
    unsigned workers;  /* threads, >= 1 */
    bool model_memory; /* caches, DRAM and time; without, only counters of requests */
    bool unchecked;    /* do not look for races and undefined reads (simt_check.h) */
    bool uncounted;    /* only compute: of the counters there are but warp_instructions */
    bool is_anonymous; /* the kernel cannot read which device this is: every block is on SM 0 of 1.
                              (Clocks count instructions, and addresses are the same, anyway.) */
    /* Of a cooperative launch, whose blocks must all be resident: the guest address of 8 bytes, the
     * first word their number and the second 0, through which grid.sync() works. 0: none. */
    uint64_t grid_workspace;
    unsigned mend;                    /* enum emulator_mend: run as if mistakes were not there */
    const struct shared_spoil *spoil; /* mark what goes through shared memory; may be NULL */
    uint64_t checked_bytes; /* of global memory, up to which it is checked; 0: CHECK_GLOBAL_BYTES */
    bool checks_parts; /* where there is more: the beginnings of arrays, and the first accesses */
    struct region_touch *touched; /* filled: of each region, by region_touch_free; may be NULL */
    bool keeps_reads;             /* there, also what was read */
    uint64_t block_budget; /* warp instructions a block may execute; 0: EMULATOR_BLOCK_BUDGET */
    uint64_t grid_budget;  /* and all together; 0: EMULATOR_GRID_BUDGET */
    FILE *output;          /* device printf; NULL drops it */
    unsigned output_lines; /* of it that are passed on; 0: all, up to a megabyte */
    const struct observer *observer;   /* of one block's accesses; may be NULL */
    struct partition_history *history; /* filled when model_memory; may be NULL. free() its bytes */
    void (*progress)(void *context, double share); /* called between waves; may be NULL */
    void *progress_context;
};

/* Enough for any honest kernel of the course by a factor of thousands; about two seconds of an
 * endless loop in one block. */
#define EMULATOR_BLOCK_BUDGET (50ull * 1000 * 1000)
#define EMULATOR_GRID_BUDGET (100ull * 1000 * 1000 * 1000)

struct emulator_result {
    struct counters counters;
    struct memory_counts memory; /* when model_memory */
    struct timing timing;        /* when model_memory */
    char explanation[256];       /* of the time: its bound in a sentence; when model_memory */
    double conflict_share; /* of the time but the launch's own: what it would be shorter if shared
                                    memory had no bank conflicts; when model_memory */
    unsigned resident_blocks; /* on one SM */
    uint64_t shared_bytes;    /* of a block, static and dynamic */
    /* When model_memory: blocks that accessed global memory, and those of them that load from
     * lower addresses than the one before. */
    uint64_t active_blocks, descending_blocks;
    uint64_t busiest_block;          /* warp instructions of the block that executed the most */
    uint64_t output_lines;           /* that device printf wrote */
    struct instruction_stats *stats; /* program->instruction_count entries; free() it */
    struct failure later_race;       /* see emulator_run */
};

/* Check a launch shape against the device's limits, as the driver would. A student failure
 * STATUS_LAUNCH_ERROR names the limit. */
bool emulator_check_launch(const struct emulator_launch *launch, struct failure *failure);

/* Run the kernel. Student failures are its faults (the one of the lowest block number), harness
 * failures ours. result->stats must be freed, also after a failure. A launch that succeeds may have
 * left a student failure, a race, in result->later_race: threads stored different values to one
 * element of global memory. Report it when nothing more telling is wrong with the results. */
bool emulator_run(const struct emulator_launch *launch, struct emulator_result *result,
                  struct failure *failure);

#endif
