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

#include "emulator/sinks/observer.h"
#include "emulator/time/timing.h"
#include "emulator/warp/simt.h"

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
 * STATUS_LAUNCH_ERROR names the limit, STATUS_UNSUPPORTED an instruction that the device lacks. */
bool emulator_check_launch(const struct emulator_launch *launch, struct failure *failure);

/* Run the kernel. Student failures are its faults (the one of the lowest block number), harness
 * failures ours. result->stats must be freed, also after a failure. A launch that succeeds may have
 * left a student failure, a race, in result->later_race: threads stored different values to one
 * element of global memory. Report it when nothing more telling is wrong with the results. */
bool emulator_run(const struct emulator_launch *launch, struct emulator_result *result,
                  struct failure *failure);

#endif
