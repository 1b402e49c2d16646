/* timing_code.h: what the time model reads from the code itself: how many of a warp's loads are on
 * their way together, and how many issue slots its instructions take.
 */
#ifndef TIMING_CODE_H
#define TIMING_CODE_H

#include "emulator/device/device.h"
#include "emulator/warp/simt.h"

/* What the text of a program says, by instruction (program->instruction_count of each). */
struct code {
    bool *begins_round; /* a load that is not on its way together with one before it */
    bool *waits;        /* a barrier behind loads: a block's stores wait for its slowest load */
    uint8_t *slots;     /* issue slots: instructions that the assembler makes of it */
    uint32_t count;
};

/* Read a program; timing_code.c has the rules. False: no memory; code_free is allowed then, too. */
bool code_read(const struct program *program, const struct device *device, struct code *code);
/* begins_round alone, where loads of shared memory count like those of global memory; to be
 * freed. NULL: no memory. */
bool *code_read_waits(const struct program *program);
void code_free(struct code *code);

/* Sums over the warps of a launch. */
struct code_counts {
    uint64_t load_rounds; /* times that a warp waits for memory: loads in flight together are one */
    uint64_t barrier_waits;
    uint64_t issue_slots;
};

/* Weigh what was read by `stats` (code->count entries, of which only `executed` is used). */
struct code_counts code_count(const struct code *code, const struct instruction_stats *stats);

#endif
