/* l2.h: the L2 of a device: write-back, sectored. Without an L2, every run goes to DRAM. The sets
 * are divided into *parts*, one for each worker thread. Each part reads all traces and processes
 * the runs of its own sets. So the results do not depend on the number of parts. */
#ifndef L2_H
#define L2_H

#include "emulator/cost/coalesce.h"
#include "emulator/cost/dram.h"

struct l2;

/* Create an empty L2 with as many parts as `dram`, which must outlive the L2. Returns NULL if
 * memory is exhausted. */
struct l2 *l2_create(const struct device *device, struct dram *dram);
void l2_free(struct l2 *l2);

/* Pass a wave through one part; see hierarchy_l2. Returns false if memory is exhausted. */
bool l2_pass(struct l2 *l2, unsigned part, const struct trace *traces, size_t count);

/* Write back all dirty lines. Returns the number of bytes written, which belong to no window. The
 * missing words of incomplete lines are not read, because the hardware counts no reads for them. */
uint64_t l2_flush(struct l2 *l2);

/* Add the counts of all parts to *counts, and set has_l2. */
void l2_count(const struct l2 *l2, struct memory_counts *counts);

#endif
