/* store_merge.h: partial stores that leave an SM as one store.
 *
 * The L1 writes through, but with a delay. If an earlier store to another part of the same sector
 * is still in the queue, the two stores merge, and the L2 gets one sector instead of two. The model
 * follows an H200 (testdata/difficult_h200.csv).
 *
 * Stores of different warps, or of one warp in a loop:
 * - The queue has about 16 lines. A request of 32 lines (naive, blocks 32 wide) never merges. A
 *   request of 16 lines (blocks 16 wide) merges only with the previous request of the SM.
 * - Parts of words never merge: stores of 1 and 2 bytes reach the L2 unchanged.
 * - The chance to merge depends on the number of stores in between. With 64, 32, 16 and 8 warps on
 *   an SM, blocks of 16 x 16 save 11, 31, 53 and 58 % of their store sectors. The maximum is 75 %.
 *   Therefore, in the model, the next store comes from the same block with the probability
 *   min(11 / N, 3/4) if N warps are on an SM. Otherwise a fixed series of numbers selects another
 *   block.
 *
 * Consecutive stores of one warp to the same sectors, such as stores to the members of a structure,
 * merge more often, even stores of 1 and 2 bytes (store_joins). */
#ifndef STORE_MERGE_H
#define STORE_MERGE_H

#include "emulator/cost/coalesce.h"

enum { STORE_MERGE_LINES = 16 };

/* Set the kind of each store run of SM `sm` that merges with an earlier store to ACCESS_MERGED,
 * except in traces without may_merge. Returns false if memory is exhausted. */
bool store_merge(struct trace *traces, size_t count, unsigned sm);

/* A warp's last store to parts of sectors. `sectors` is 0 after a global load. */
struct last_store {
    uint64_t first, end; /* The first and the last sector, as address / SECTOR_BYTES. */
    uint32_t sectors;
    uint32_t number;
    uint32_t lanes;
};

/* Returns true if the store `now` to `lines` lines joins `last`, the previous store of the same
 * warp. The block has `warps` warps. has_barriers is true after the block's first barrier. */
bool store_joins(const struct last_store *last, const struct last_store *now, unsigned lines,
                 unsigned warps, bool has_barriers);

#endif
