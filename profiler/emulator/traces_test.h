/* traces_test.h: the global accesses of the course's kernels, computed from indices for tests. */
#ifndef TRACES_TEST_H
#define TRACES_TEST_H

#include "emulator/cost/counters.h"
#include "emulator/cost/hierarchy.h"

#include <stdlib.h>

enum transpose_kernel {
    TRACE_COPY,     /* odata[y][x] = idata[y][x]. The kernel fine_grained has the same accesses. */
    TRACE_NAIVE,    /* odata[x][y] = idata[y][x]. */
    TRACE_TILED,    /* The kernel loads and stores rows through a tile, like coarse_grained. */
    TRACE_DIAGONAL, /* TRACE_TILED with blocks in diagonal order. */
    TRACE_SWAPPED,  /* TRACE_TILED with blockIdx.x and blockIdx.y swapped. */
};

struct transpose_launch {
    const struct device *device;
    enum transpose_kernel kernel;
    uint64_t n;
    unsigned tile_rows; /* Rows of a block's tile: 8, or 32 if a thread has four rows. */
    unsigned resident_blocks;
    uint64_t shared_per_sm;
    unsigned parts;
    uint64_t pad_columns;
};

enum { TRACE_WARPS = 8 }; /* Blocks have 32 x 8 threads. */

#define TRACE_INPUT 0x200000000ull
#define TRACE_OUTPUT 0x1000000000ull

static inline uint64_t transpose_blocks(const struct transpose_launch *launch)
{
    return launch->n / 32 * (launch->n / launch->tile_rows);
}

static inline void trace_access(const struct device *device, struct trace *trace, uint64_t address,
                                uint64_t step, bool is_store, struct counters *counters)
{
    uint64_t addresses[LANES];
    for (unsigned l = 0; l < LANES; l++)
        addresses[l] = address + l * step;
    struct warp_access access = {
        .mask = ~0u, .bytes = 4, .is_store = is_store, .address = addresses};
    unsigned sectors;
    trace->count += coalesce_global(device, &access, is_store ? ACCESS_STORE : ACCESS_LOAD,
                                    trace->runs + trace->count, &sectors);
    *(is_store ? &counters->global_store_requests : &counters->global_load_requests) += 1;
    *(is_store ? &counters->global_store_sectors : &counters->global_load_sectors) += sectors;
}

/* Compute the trace of one block. All loads precede all stores, warp by warp. */
static inline void trace_block(const struct transpose_launch *launch, uint64_t block,
                               struct trace *trace, struct counters *counters)
{
    uint64_t pitch = launch->n * 4, out_pitch = pitch + launch->pad_columns * 4,
             across = launch->n / 32;
    uint64_t bx = block % across, by = block / across;
    if (launch->kernel == TRACE_SWAPPED) {
        bx = block / across;
        by = block % across;
    }
    if (launch->kernel == TRACE_DIAGONAL) {
        uint64_t along = bx;
        bx = (bx + by) % across;
        by = along;
    }
    uint64_t x = bx * 32, y = by * launch->tile_rows;
    trace->count = 0;
    for (unsigned row = 0; row < launch->tile_rows; row++)
        trace_access(launch->device, trace, TRACE_INPUT + (y + row) * pitch + x * 4, 4, false,
                     counters);
    for (unsigned row = 0; row < launch->tile_rows; row++)
        if (launch->kernel == TRACE_NAIVE)
            trace_access(launch->device, trace, TRACE_OUTPUT + x * out_pitch + (y + row) * 4,
                         out_pitch, true, counters);
        else if (launch->kernel == TRACE_COPY)
            trace_access(launch->device, trace, TRACE_OUTPUT + (y + row) * out_pitch + x * 4, 4,
                         true, counters);
        else
            trace_access(launch->device, trace, TRACE_OUTPUT + (x + row) * out_pitch + y * 4, 4,
                         true, counters);
}

static inline bool transpose_feed(const struct transpose_launch *launch, struct counters *counters,
                                  struct memory_counts *counts)
{
    const struct device *device = launch->device;
    size_t wave = device->multiprocessors * launch->resident_blocks,
           capacity = launch->tile_rows * 2 * LANES;
    struct trace *traces = calloc(wave, sizeof *traces);
    struct hierarchy *hierarchy = hierarchy_create(device, launch->shared_per_sm, launch->parts);
    bool done = traces && hierarchy;
    for (size_t i = 0; done && i < wave; i++) {
        traces[i] = (struct trace){.runs = malloc(capacity * sizeof(*traces->runs)),
                                   .capacity = capacity,
                                   .sm = (unsigned)(i % device->multiprocessors)};
        done = traces[i].runs != NULL;
    }
    uint64_t blocks = transpose_blocks(launch);
    for (uint64_t first = 0; done && first < blocks; first += wave) {
        size_t count = blocks - first < wave ? blocks - first : wave;
        for (size_t i = 0; i < count; i++)
            trace_block(launch, first + i, &traces[i], counters);
        for (unsigned sm = 0; done && sm < device->multiprocessors; sm++)
            done = hierarchy_l1(hierarchy, sm, traces, count);
        for (unsigned part = 0; done && part < launch->parts; part++)
            done = hierarchy_l2(hierarchy, part, traces, count);
    }
    if (done)
        hierarchy_finish(hierarchy, counts);
    for (size_t i = 0; traces && i < wave; i++)
        free(traces[i].runs);
    free(traces);
    hierarchy_free(hierarchy);
    return done;
}

#endif
