/* read_share.h: loads of several SMs that reach the L2 as one.
 *
 * Between the SMs of a GPC and the L2 of an H200 sits a coalescer (LRC). A load that asks for the
 * same sectors of a line as one that is still on its way joins it: the L2 is asked once, and both
 * SMs get the answer. testdata/measure_sharing.sh found that
 *
 *  - SM 0 shares with 13 others of its GPC, and with no SM of other GPCs; GPCs have 16 or 18 SMs,
 *    and as many consecutive blocks of a grid's first wave are on one. In the model all of a GPC
 *    share;
 *  - up to four loads become one; a fifth is asked again;
 *  - the sectors must be the same: a load of another sector of the line, of more or of fewer, does
 *    not join;
 *  - a load waits for others about 465 clocks when the L2 must ask DRAM, 64 when it has the data.
 *
 * The model knows rounds of loads (timing_code.c) instead of clocks: loads of the same round of
 * blocks that run at the same time may meet. read_share.c has the numbers. Which of them do is
 * chance on hardware, and a fixed series of numbers here.
 */
#ifndef READ_SHARE_H
#define READ_SHARE_H

#include "emulator/device/device.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct read_share;

/* For an L2 with `sets` sets, on a device with l2_read_groups. NULL: no memory. */
struct read_share *read_share_create(const struct device *device, uint64_t sets);
void read_share_free(struct read_share *share);

/* A load that missed the L1 of SM `sm`. */
struct shared_load {
    uint64_t line;      /* address / line size */
    unsigned sectors;   /* of the line, a bit each */
    unsigned sm, round; /* the number of its warp's round, below 512 */
    uint64_t wave;      /* of its block, from 0 */
};

/* Whether the load joins one of set `set` that is on its way. If not, it is on its way from now on.
 * Different sets may be used concurrently. */
bool read_share_join(struct read_share *share, size_t set, const struct shared_load *load);

/* Ask the host for what read_share_join will read. */
void read_share_prefetch(const struct read_share *share, size_t set, unsigned sm);

/* The L2 has not got what the load asks for: loads of the line wait for DRAM. */
void read_share_missed(struct read_share *share, size_t set, const struct shared_load *load);

#endif
