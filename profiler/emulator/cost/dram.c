#include "emulator/cost/dram.h"

#include <stdlib.h>
#include <string.h>

enum {
    WINDOW_TABLE_BYTES = 2 << 20, /* Maximum size of a part's table of windows. */
    WINDOW_LINES = 32, /* Lines per partition that a window needs for a significant imbalance. */
};

static bool windows_create(struct windows *windows, unsigned partitions)
{
    *windows = (struct windows){.rows = 1, .partitions = partitions};
    while (windows->rows * 2 * partitions * sizeof *windows->bytes <= WINDOW_TABLE_BYTES)
        windows->rows *= 2;
    windows->bytes = calloc(windows->rows * partitions, sizeof *windows->bytes);
    return windows->bytes != NULL;
}

static void windows_double(struct windows *windows)
{
    size_t partitions = windows->partitions, used = (windows->used + 1) / 2;
    for (size_t row = 0; row < used; row++)
        for (size_t p = 0; p < partitions; p++)
            windows->bytes[row * partitions + p] = windows->bytes[2 * row * partitions + p] +
                                                   windows->bytes[(2 * row + 1) * partitions + p];
    memset(windows->bytes + used * partitions, 0,
           (windows->used - used) * partitions * sizeof *windows->bytes);
    windows->used = used;
    windows->shift++;
}

uint64_t *windows_row(struct windows *windows, uint64_t step)
{
    while (step >> windows->shift >= windows->rows)
        windows_double(windows);
    size_t row = step >> windows->shift;
    windows->used = row < windows->used ? windows->used : row + 1;
    return windows->bytes + row * windows->partitions;
}

bool dram_create(struct dram *dram, const struct device *device, unsigned parts)
{
    *dram = (struct dram){
        .device = device,
        .partitions = partition_geometry_of(device),
        .parts = parts,
    };
    for (unsigned p = 0; p < parts; p++)
        if (!windows_create(&dram->windows[p], dram->partitions.count))
            return false;
    return true;
}

void dram_free(struct dram *dram)
{
    for (unsigned p = 0; p < dram->parts; p++)
        free(dram->windows[p].bytes);
}

static double window_enough(const struct device *device)
{
    double in_flight = device->dram_gbps * device->latency_ns;
    double lines = (double)(WINDOW_LINES * device->partitions * device->line_bytes);
    return in_flight > lines ? in_flight : lines;
}

static const struct windows *windows_gather(struct dram *dram)
{
    struct windows *all = &dram->windows[0];
    unsigned shift = 0;
    for (unsigned p = 0; p < dram->parts; p++)
        if (dram->windows[p].shift > shift)
            shift = dram->windows[p].shift;
    for (unsigned p = 0; p < dram->parts; p++) {
        struct windows *windows = &dram->windows[p];
        while (windows->shift < shift)
            windows_double(windows);
        if (p == 0)
            continue;
        for (size_t at = 0; at < windows->used * windows->partitions; at++)
            all->bytes[at] += windows->bytes[at];
        all->used = windows->used > all->used ? windows->used : all->used;
        memset(windows->bytes, 0, windows->used * windows->partitions * sizeof *windows->bytes);
        windows->used = 0;
    }
    return all;
}

struct window_sum {
    uint64_t total, busiest;
};

static struct window_sum window_add(const uint64_t *bytes, size_t partitions)
{
    struct window_sum sum = {0, 0};
    for (size_t p = 0; p < partitions; p++) {
        sum.total += bytes[p];
        sum.busiest = bytes[p] > sum.busiest ? bytes[p] : sum.busiest;
    }
    return sum;
}

void dram_find_imbalance(struct dram *dram, struct memory_counts *counts)
{
    const struct windows *windows = windows_gather(dram);
    size_t partitions = windows->partitions;
    double enough = window_enough(dram->device);
    uint64_t bytes[DEVICE_PARTITIONS_MAX] = {0};
    counts->partition_imbalance = -1;
    counts->busiest_partition_bytes = 0;
    for (size_t row = 0; row < windows->used; row++) {
        for (size_t p = 0; p < partitions; p++)
            bytes[p] += windows->bytes[row * partitions + p];
        struct window_sum sum = window_add(bytes, partitions);
        if ((double)sum.total < enough)
            continue;
        double busiest = (double)sum.busiest * (double)partitions;
        double imbalance = busiest / (double)sum.total;
        if (imbalance > counts->partition_imbalance)
            counts->partition_imbalance = imbalance;
        counts->busiest_partition_bytes += busiest;
        memset(bytes, 0, partitions * sizeof *bytes);
    }
    counts->busiest_partition_bytes += (double)window_add(bytes, partitions).total;
}

void dram_history(struct dram *dram, struct partition_history *history)
{
    const struct windows *windows = windows_gather(dram);
    size_t places = windows->rows * windows->partitions;
    *history = (struct partition_history){.partitions = windows->partitions,
                                          .steps = 1ull << windows->shift};
    history->bytes = malloc(places * sizeof *history->bytes);
    if (!history->bytes)
        return;
    memcpy(history->bytes, windows->bytes, places * sizeof *history->bytes);
    for (size_t at = 0; at < places; at++)
        if (history->bytes[at])
            history->windows = at / windows->partitions + 1;
}
