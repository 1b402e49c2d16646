/* dram.h: DRAM traffic by partition, over time.
 *
 * The clock is the number of the step (rotation.h), which is the same for all parts of the L2. Each
 * part counts traffic in a table of *windows* of time. A window is one step at first. When a table
 * is full, neighbouring windows are added in pairs, and windows double in length. At the end,
 * windows are joined until each window has enough bytes for statistics, and at least the bytes in
 * flight (bandwidth x latency). Shorter peaks have no effect, because partitions have queues. */
#ifndef DRAM_H
#define DRAM_H

#include "emulator/cost/counters.h"
#include "emulator/cost/geometry.h"
#include "emulator/device/device.h"

struct partition_geometry {
    enum partition_map map;
    unsigned count, shift; /* `shift` is log2 of the number of contiguous bytes in a partition. */
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
    /* Consecutive pieces use the partitions in turn, beginning at a hashed partition. */
    uint64_t round = piece / count;
    unsigned partition = (unsigned)(piece - round * count);
    partition += (unsigned)(hash_mix(round) * (uint64_t)count >> 32);
    return partition < count ? partition : partition - count;
}

struct windows {
    uint64_t *bytes; /* [rows][partitions] */
    size_t rows;
    size_t used;
    unsigned shift; /* A window has 1 << shift steps. */
    unsigned partitions;
};

struct dram {
    const struct device *device;
    struct partition_geometry partitions;
    unsigned parts;
    struct windows windows[HIERARCHY_PARTS_MAX];
};

/* Returns false if memory is exhausted. Call dram_free in either case. */
bool dram_create(struct dram *dram, const struct device *device, unsigned parts);
void dram_free(struct dram *dram);

/* Returns the byte counters, one per partition, of the window that contains `step`. */
uint64_t *windows_row(struct windows *windows, uint64_t step);

/* Join windows until they have enough bytes, and fill in the partition fields of *counts. */
void dram_find_imbalance(struct dram *dram, struct memory_counts *counts);

void dram_history(struct dram *dram, struct partition_history *history);

#endif
