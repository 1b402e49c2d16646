#include "record/record_emulated.h"

#include "process/machine_code.h"

/* Returns the modelled time, in microseconds, of a copy with 16 bytes per thread. */
static double copy_time_us(const struct device *device, double matrix_bytes)
{
    double warp_bytes = 16.0 * (double)device->warp_lanes;
    double warps = matrix_bytes / warp_bytes;
    double l2_half = (double)device->l2_bytes / 2; /* Loaded data occupy half of the L2. */
    struct counters counters = {
        .global_load_requests = (uint64_t)warps,
        .global_store_requests = (uint64_t)warps,
        .global_load_sectors = (uint64_t)(matrix_bytes / (double)device->sector_bytes),
        .global_store_sectors = (uint64_t)(matrix_bytes / (double)device->sector_bytes),
    };
    struct memory_counts memory = {
        .l2_read_bytes = (uint64_t)matrix_bytes,
        .l2_write_bytes = (uint64_t)matrix_bytes,
        .dram_read_bytes = (uint64_t)matrix_bytes,
        .dram_write_bytes = (uint64_t)matrix_bytes,
        .dram_flush_bytes = (uint64_t)(l2_half < matrix_bytes ? l2_half : matrix_bytes),
        .busiest_partition_bytes = 2 * matrix_bytes,
        .partition_imbalance = 1,
        .has_l2 = device->l2_bytes > 0,
    };
    unsigned threads = 256;
    struct timing_input input = {
        .blocks = (uint64_t)(warps * (double)device->warp_lanes / threads) + 1,
        .threads_per_block = threads,
        .resident_blocks = device_resident_blocks(device, threads, 0, 0),
        .launches = 1,
        .code.load_rounds = (uint64_t)warps,
        .scatter = SCATTER_NONE,
        .code.issue_slots = (uint64_t)(warps * 12), /* Index arithmetic, load, store, exit. */
        .counters = &counters,
        .memory = &memory,
    };
    return timing_estimate(device, &input).time_us;
}

void record_emulated_device(struct record *record, const struct device *device)
{
    record_set_text(record, COLUMN_device, "%s", device->name);
    record_set_text(record, COLUMN_chip, "%s", device->chip);
    record->is_interleaved = device->partition_map == PARTITION_LINEAR;
    record_set_text(record, COLUMN_cache, "cold");
    record_set_text(record, COLUMN_source, "emulator");
}

void record_emulated_shape(struct record *record, const struct emulator_launch *launch,
                           const struct emulator_result *result)
{
    const struct dimensions grid = launch->grid, block = launch->block;
    record_set_shape(record, (uint32_t[]){grid.x, grid.y, grid.z},
                     (uint32_t[]){block.x, block.y, block.z});
    record_set_count(record, COLUMN_shared_bytes, result->shared_bytes);
}

static void record_code(struct record *record, const struct emulator_launch *launch,
                        const struct emulator_result *result)
{
    record_set_text(record, COLUMN_time_basis, launch->machine ? "sass" : "ptx");
    if (!launch->machine)
        return;
    record_set_count(record, COLUMN_registers, launch->machine->registers);
    record_set_real(record, COLUMN_occupancy_pct, result->occupancy_pct);
}

void record_emulated_counters(struct record *record, const struct emulator_launch *launch,
                              const struct emulator_result *result, unsigned repeats)
{
    const struct counters *counters = &result->counters;
    const struct memory_counts *memory = &result->memory;
    const struct device *device = launch->device;
#define COUNT(column, value) record_set_count(record, COLUMN_##column, (value) / repeats)
    COUNT(global_load_requests, counters->global_load_requests);
    COUNT(global_load_sectors, counters->global_load_sectors);
    COUNT(global_store_requests, counters->global_store_requests);
    COUNT(global_store_sectors, counters->global_store_sectors);
    COUNT(shared_load_requests, counters->shared_load_requests);
    COUNT(shared_load_wavefronts, counters->shared_load_wavefronts);
    COUNT(shared_load_ideal_wavefronts, counters->shared_load_ideal_wavefronts);
    COUNT(shared_load_conflicts,
          counters->shared_load_wavefronts - counters->shared_load_ideal_wavefronts);
    COUNT(shared_store_requests, counters->shared_store_requests);
    COUNT(shared_store_wavefronts, counters->shared_store_wavefronts);
    COUNT(shared_store_ideal_wavefronts, counters->shared_store_ideal_wavefronts);
    COUNT(shared_store_conflicts,
          counters->shared_store_wavefronts - counters->shared_store_ideal_wavefronts);
    COUNT(global_atomic_requests, counters->global_atomic_requests);
    COUNT(global_atomic_sectors, counters->global_atomic_sectors);
    COUNT(shared_atomic_wavefronts, counters->shared_atomic_wavefronts);
    COUNT(dram_read_bytes, memory->dram_read_bytes);
    COUNT(dram_write_bytes, memory->dram_write_bytes);
    COUNT(ptx_warp_instructions, counters->warp_instructions);
    if (memory->has_l2) {
        COUNT(l2_read_bytes, memory->l2_read_bytes);
        COUNT(l2_write_bytes, memory->l2_write_bytes);
    }
#undef COUNT
    if (memory->partition_imbalance >= 0)
        record_set_real(record, COLUMN_partition_imbalance, memory->partition_imbalance);
    double time_us = result->timing.time_us / repeats;
    double dram =
        (double)(memory->dram_read_bytes + memory->dram_write_bytes - memory->dram_flush_bytes) /
        repeats;
    double dram_gbps = dram / time_us / 1e3; /* bytes / us = MB/s */
    record_set_real(record, COLUMN_time_us, time_us);
    record_set_real(record, COLUMN_dram_throughput_gbps, dram_gbps);
    record_set_real(record, COLUMN_dram_throughput_pct, 100 * dram_gbps / device->dram_gbps);
    record_set_text(record, COLUMN_bound, "%s", bound_name(result->timing.bound));
    record_code(record, launch, result);
}

void record_emulated_bandwidth(struct record *record, const struct device *device,
                               double matrix_bytes, bool against_copy)
{
    double time_us = record->values[COLUMN_time_us].real;
    record_set_real(record, COLUMN_bandwidth_gbps, 2 * matrix_bytes / time_us / 1e3);
    if (against_copy)
        record_set_real(record, COLUMN_copy_pct,
                        100 * copy_time_us(device, matrix_bytes) / time_us);
}
