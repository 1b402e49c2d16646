/* timing_code.h: what the time model reads from the code itself: how many of a warp's loads are on
 * their way together, and how many issue slots its instructions take.
 */
#ifndef TIMING_CODE_H
#define TIMING_CODE_H

#include "emulator/device/device.h"
#include "emulator/simt/simt.h"

/* Sums over the warps of a launch. */
struct code_counts {
    uint64_t load_rounds;   /* times that a warp waits for memory: loads that are in flight together
                               are one */
    uint64_t barrier_waits; /* barriers behind loads: a block's stores wait for its slowest load */
    uint64_t issue_slots;   /* instructions that the assembler makes of the PTX */
};

/* Mark the instructions that begin a round (program->instruction_count flags, all false). False: no
 * memory. */
bool code_mark_rounds(const struct program *program, bool *begins_round);

/* Read the program, weighted by `stats` (program->instruction_count entries, of which only
 * `executed` is used). False: no memory. timing_code.c has the rules. */
bool code_count(const struct program *program, const struct instruction_stats *stats,
                const struct device *device, struct code_counts *counts);

#endif
