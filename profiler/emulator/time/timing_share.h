/* timing_share.h: which instructions the modelled time goes to. */
#ifndef TIMING_SHARE_H
#define TIMING_SHARE_H

#include "emulator/time/timing.h"
#include "emulator/warp/simt.h"

/* The time model names bounds (timing.h); the launch aside, the largest is the resource that the
 * time goes to. Of all the time but the launch's own, an instruction has the share that it has of
 * the work of that resource: of sectors (dram, dram_partition), of lines exchanged with the L2
 * (l2), of wavefronts and lines (shared, lsu), of issue slots, those of bank conflicts included
 * (issue), of loads from global memory (latency: all loads of a round take its time, not only the
 * one that begins it).
 *
 * `stats` are the launch's; `shares` gets program->instruction_count numbers. They and the launch's
 * share add up to 1, or are 0 where nothing was asked of the resource. False: no memory. */
bool timing_shares(const struct timing *timing, const struct program *program,
                   const struct instruction_stats *stats, const struct device *device,
                   double *shares);

#endif
