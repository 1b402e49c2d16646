/* l2.h: the L2 of a device, in front of DRAM: write-back, sectored; a device without one passes
 * every run on.
 *
 * The sets of the L2 are dealt in ranges to *parts*, one for each worker thread. Each part walks
 * all traces and takes the runs of its own sets, so every set sees the same accesses in the same
 * order, whatever the number of parts, and every sum over parts is the same.
 */
#ifndef L2_H
#define L2_H

#include "emulator/cost/coalesce.h"
#include "emulator/cost/dram.h"

struct l2;

/* As many parts as `dram` has, which must outlive it. NULL: no memory. */
struct l2 *l2_create(const struct device *device, struct dram *dram);
void l2_free(struct l2 *l2);

/* Pass a wave through a part, as hierarchy_l2 does. False: no memory. */
bool l2_pass(struct l2 *l2, unsigned part, const struct trace *traces, size_t count);

/* Write back all dirty lines, whose bytes are returned; they become clean. Their traffic belongs to
 * no window: it comes when the kernel has ended. What incomplete ones lack is not read any more: no
 * kernel is charged for that by the hardware. */
uint64_t l2_flush(struct l2 *l2);

/* Add what the parts counted. */
void l2_count(const struct l2 *l2, struct memory_counts *counts);

#endif
