/* dram.h: DRAM traffic by partition, over time.
 *
 * The clock is the number of the step (rotation.h), on which all parts of the L2 agree. Traffic is
 * counted in *windows* of time, by each part in a table of its own, of one step each at first; when
 * a table is full, neighbours are added up and its windows become twice as long. In the end the
 * windows of all parts are brought to one length, and gathered until they hold the bytes that the
 * memory has in flight (bandwidth x latency, and enough for statistics): that is the time over
 * which a queue in front of a partition can even out.
 */
#ifndef DRAM_H
#define DRAM_H

#include "emulator/cost/counters.h"
#include "emulator/cost/geometry.h"
#include "emulator/device/device.h"

/* How addresses are dealt to partitions. */
struct partition_geometry {
    enum partition_map map;
    unsigned count, shift; /* width of a partition as a power of two */
};

static inline struct partition_geometry partition_geometry_of(const struct device *device)
{
    return (struct partition_geometry){.map = device->partition_map,
                                       .count = (unsigned)device->partitions,
                                       .shift = (unsigned)__builtin_ctzll(device->partition_bytes)};
}

static inline unsigned partition_of(const struct partition_geometry *geometry, uint64_t address)
{
    uint64_t piece = address >> geometry->shift;
    unsigned count = geometry->count;
    if (geometry->map == PARTITION_LINEAR)
        return (count & (count - 1)) == 0 ? (unsigned)piece & (count - 1)
                                          : (unsigned)(piece % count);
    /* Neighbours go round all partitions; where a round begins is hashed. */
    uint64_t round = piece / count;
    unsigned partition = (unsigned)(piece - round * count);
    partition += (unsigned)(hash_mix(round) * (uint64_t)count >> 32);
    return partition < count ? partition : partition - count;
}

/* Bytes per window and partition, of one part of the L2. */
struct windows {
    uint64_t *bytes; /* [rows][partitions] */
    size_t rows;     /* a power of two */
    size_t used;     /* the first rows, behind which all is 0 */
    unsigned shift;  /* a window is 1 << shift steps */
    unsigned partitions;
};

struct dram {
    const struct device *device;
    struct partition_geometry partitions;
    unsigned parts;
    struct windows windows[HIERARCHY_PARTS_MAX];
};

/* False: no memory; dram_free is allowed then, too. */
bool dram_create(struct dram *dram, const struct device *device, unsigned parts);
void dram_free(struct dram *dram);

/* Where a part counts the bytes of a step, by partition. Parts may be used concurrently. */
uint64_t *windows_row(struct windows *windows, uint64_t step);

/* Gather windows until they hold enough, and judge them: sets partition_imbalance and
 * busiest_partition_bytes. */
void dram_judge(struct dram *dram, struct memory_counts *counts);

/* The traffic so far; history->bytes is NULL when there was no memory. */
void dram_history(struct dram *dram, struct partition_history *history);

#endif
