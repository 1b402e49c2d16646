/* timing_share.h: the share of each instruction in the modelled time. */
#ifndef TIMING_SHARE_H
#define TIMING_SHARE_H

#include "emulator/time/timing.h"
#include "emulator/warp/simt.h"

/* Compute the share of each instruction in the modelled time: its share in the work of the resource
 * with the largest bound, except the launch. The units of work are sectors (dram, dram_partition),
 * lines exchanged with the L2 (l2), wavefronts and lines (shared, lsu), and issue slots including
 * bank conflicts (issue). Other units are instructions of a pipe (alu, special, ...), loads from
 * constant memory (constant), bytes of atomic operations (atomic), and global loads (latency).
 *
 * `shares` receives program->instruction_count numbers, which add up to 1 minus the share of the
 * launch overhead. All are 0 if the resource has no work. Returns false if memory is exhausted. */
bool timing_shares(const struct timing *timing, const struct program *program,
                   const struct instruction_stats *stats, const struct device *device,
                   double *shares);

#endif
