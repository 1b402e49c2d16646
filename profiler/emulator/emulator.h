/* emulator.h: launch a kernel on an emulated GPU.
 *
 * The grid runs in *waves*: a wave has as many blocks as the device can hold at once. Block b of
 * the wave runs on SM b mod N, where N is the number of SMs. A wave has three phases, each
 * distributed over worker threads. The first phase executes the blocks (simt.h) and records a trace
 * of global accesses for each block. The second phase passes the traces of each SM through its L1.
 * The third phase passes the remaining accesses through the L2, which is divided among the workers
 * by address (hierarchy.h). All results are the same for any number of workers. */
#ifndef EMULATOR_H
#define EMULATOR_H

#include "emulator/sinks/observer.h"
#include "emulator/time/timing.h"
#include "emulator/warp/simt.h"

struct emulator_result {
    struct counters counters;
    struct memory_counts memory; /* Filled in if launch->model_memory is true. */
    struct timing timing;        /* Filled in if launch->model_memory is true. */
    char explanation[256];       /* Sentence on the resource that limits the time; may be empty. */
    /* Share of the kernel's time, without the launch overhead, that bank conflicts cause. */
    double conflict_share;
    unsigned resident_blocks; /* Resident blocks per SM, without the limit of registers. */
    /* Resident blocks per SM, with the limit of registers if it is known. 0 if a block has too many
     * registers. No counter depends on this number. */
    unsigned limited_blocks;
    double occupancy_pct; /* Warps of limited_blocks, in percent of an SM's maximum. */
    uint64_t shared_bytes;
    /* Filled in if launch->model_memory is true. An active block accesses global memory. To find
     * displaced blocks, active blocks are sorted by loaded address. A block is displaced if the
     * difference between its rank and its number is not the median difference. A continuing
     * block's stores touch or overlap the previous block's stores. A filling block stores a large
     * part of a range of several tiles. */
    uint64_t active_blocks, displaced_blocks, continuing_blocks, filling_blocks;
    uint64_t blocks_run;    /* Number of blocks that ran. 0 if blocks communicate. */
    uint64_t busiest_block; /* Largest number of warp instructions of one block. */
    uint64_t output_lines;
    struct instruction_stats *stats; /* One entry per instruction, which the caller frees. */
    struct failure later_race;
};

/* Check a launch configuration against the device's limits, as the driver does. Student failures:
 * STATUS_LAUNCH_ERROR, or STATUS_UNSUPPORTED for an instruction that the device does not have. */
bool emulator_check_launch(const struct emulator_launch *launch, struct failure *failure);

/* Run the kernel. Returns false for a failure. A student failure is the error of the block with the
 * lowest number. A harness failure is an error of the emulator or the machine. The caller must free
 * result->stats, even after a failure. After success, result->later_race may be a student failure:
 * threads stored different values to one element. Report this race if no other check fails. */
bool emulator_run(const struct emulator_launch *launch, struct emulator_result *result,
                  struct failure *failure);

#endif
