/* read_share.h: loads of several SMs that reach the L2 as one request.
 *
 * An H200 has a coalescer (LRC) between the SMs of a GPC and the L2. A load joins an outstanding
 * load of the same sectors of a line: the L2 gets one request, and both SMs get the data.
 * testdata/measure_sharing.sh found:
 *
 * - SM 0 shares loads with 13 other SMs of its GPC, but not with SMs of another GPC. A GPC has 16
 *   or 18 SMs, which run 16 or 18 consecutive blocks of the first wave. In the model, all SMs of a
 *   GPC share loads.
 * - Up to four loads become one request. A fifth load is a new request.
 * - A load can join for about 465 clocks if the L2 reads DRAM, and for 64 clocks otherwise.
 *
 * The model uses rounds of loads (timing_code.c) instead of clocks. Loads may join if they belong
 * to the same round of blocks that run at the same time. A *slot* is the number of a block among
 * the blocks of its SM. Blocks of one slot started together and stay in step. On hardware, chance
 * determines which loads join. In the model, a hash of line, round and block determines this. */
#ifndef READ_SHARE_H
#define READ_SHARE_H

#include "emulator/device/device.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct read_share;

/* `sets` is the number of sets of the L2. device->l2_read_groups must be above 0. Returns NULL if
 * memory is exhausted. */
struct read_share *read_share_create(const struct device *device, uint64_t sets);
void read_share_free(struct read_share *share);

struct shared_load {
    uint64_t line;    /* Address / LINE_BYTES. */
    unsigned sectors; /* One bit for each sector of the line. */
    unsigned place;   /* Number of the load's block in its wave. */
    unsigned places;  /* Number of blocks in the wave, above 0. */
    unsigned round;   /* The round of the load (timing_code.c), below 256. */
    bool is_crowded;
    uint64_t wave; /* Number of the wave of the load's block, from 0. */
};

/* Returns true if the load joins an outstanding load of set `set`. Otherwise, the load becomes an
 * outstanding load. Callers may use different sets concurrently. */
bool read_share_join(struct read_share *share, size_t set, const struct shared_load *load);

void read_share_prefetch(const struct read_share *share, size_t set, unsigned place,
                         unsigned places);

/* Record that the load missed the L2. Loads of its line then wait for DRAM. */
void read_share_missed(struct read_share *share, size_t set, const struct shared_load *load);

#endif
