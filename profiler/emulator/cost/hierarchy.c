#include "emulator/cost/hierarchy.h"

#include "emulator/cost/l1.h"
#include "emulator/cost/l2.h"
#include "emulator/cost/store_merge.h"
#include "emulator/cost/table.h"

#include <stdlib.h>

struct hierarchy {
    const struct device *device;
    struct cache l1s; /* Without entries if shared memory uses the whole L1. */
    uint64_t l1_sets;
    struct l2 *l2;
    struct dram dram;
    uint64_t flushed_bytes;
};

struct hierarchy *hierarchy_create(const struct device *device, uint64_t shared_per_sm,
                                   unsigned parts)
{
    struct hierarchy *hierarchy = calloc(1, sizeof *hierarchy);
    if (!hierarchy)
        return NULL;
    hierarchy->device = device;
    const bool has_l1 = device->l1_bytes > shared_per_sm;
    if (has_l1) {
        hierarchy->l1s =
            cache_describe(device->l1_bytes - shared_per_sm, (unsigned)device->l1_ways);
        hierarchy->l1_sets = hierarchy->l1s.set_count;
        hierarchy->l1s.set_count *= device->multiprocessors;
        hierarchy->l1s.entries = table_create(cache_bytes(&hierarchy->l1s));
    }
    if (dram_create(&hierarchy->dram, device, parts))
        hierarchy->l2 = l2_create(device, &hierarchy->dram);
    if ((hierarchy->l1s.entries || !has_l1) && hierarchy->l2)
        return hierarchy;
    hierarchy_free(hierarchy);
    return NULL;
}

void hierarchy_free(struct hierarchy *hierarchy)
{
    if (!hierarchy)
        return;
    table_free(hierarchy->l1s.entries, cache_bytes(&hierarchy->l1s));
    l2_free(hierarchy->l2);
    dram_free(&hierarchy->dram);
    free(hierarchy);
}

bool hierarchy_l1(struct hierarchy *hierarchy, unsigned sm, struct trace *traces, size_t count)
{
    if (hierarchy->device->l2_bytes > 0 && !store_merge(traces, count, sm))
        return false;
    return !hierarchy->l1s.entries ||
           l1_pass(&hierarchy->l1s, hierarchy->l1_sets, sm, traces, count);
}

bool hierarchy_l2(struct hierarchy *hierarchy, unsigned part, const struct trace *traces,
                  size_t count)
{
    return l2_pass(hierarchy->l2, part, traces, count);
}

void hierarchy_finish(struct hierarchy *hierarchy, struct memory_counts *counts)
{
    *counts = (struct memory_counts){0};
    dram_find_imbalance(&hierarchy->dram, counts);
    l2_count(hierarchy->l2, counts);
    hierarchy->flushed_bytes += l2_flush(hierarchy->l2);
    counts->dram_flush_bytes = hierarchy->flushed_bytes;
    counts->dram_write_bytes += hierarchy->flushed_bytes;
    counts->busiest_partition_bytes += (double)hierarchy->flushed_bytes;
}

void hierarchy_history(struct hierarchy *hierarchy, struct partition_history *history)
{
    dram_history(&hierarchy->dram, history);
}
