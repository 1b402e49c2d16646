/* device.h: the parameters of a GPU, which are lines of profiler/devices/NAME.conf. */
#ifndef DEVICE_H
#define DEVICE_H

#include "base/failure.h"

#include <stdint.h>
#include <stdio.h>

enum { DEVICE_PARTITIONS_MAX = 1024 };

enum partition_map { PARTITION_LINEAR, PARTITION_HASHED };

enum coalescing {
    COALESCE_SECTORS,  /* CC >= 3: sectors of lines, for a whole warp. */
    COALESCE_SEGMENTS, /* CC 1.2, 1.3: reduced segments of 32 to 128 bytes per half-warp. */
    COALESCE_STRICT,   /* CC 1.0, 1.1: consecutive and aligned, or one transaction per lane. */
};

/* Columns: type, field, smallest and largest value, unit, meaning. The types are `unsigned`
 * (uint64_t), `power` (uint64_t, a power of two) and `number` (double). The limits of lanes, lines,
 * sectors and ways are the widths of the model's bit masks. */
#define DEVICE_FIELDS(X)                                                                           \
    X(unsigned, compute_capability, 1, 999, "10 x major + minor", "90 for CC 9.0")                 \
    X(unsigned, multiprocessors, 1, 4096, "count", "number of SMs")                                \
    X(power, warp_lanes, 1, 32, "lanes", "lanes of a warp: 32, or fewer on the toy machine")       \
    X(unsigned, max_threads_per_block, 1, 1024, "threads", "")                                     \
    X(unsigned, max_block_x, 1, 1024, "threads", "")                                               \
    X(unsigned, max_block_y, 1, 1024, "threads", "")                                               \
    X(unsigned, max_block_z, 1, 1024, "threads", "")                                               \
    X(unsigned, max_grid_x, 1, 0x7fffffff, "blocks", "")                                           \
    X(unsigned, max_grid_y, 1, 0x7fffffff, "blocks", "")                                           \
    X(unsigned, max_grid_z, 1, 0x7fffffff, "blocks", "")                                           \
    X(unsigned, max_threads_per_sm, 1, 65536, "threads", "")                                       \
    X(unsigned, max_blocks_per_sm, 1, 1024, "blocks", "")                                          \
    X(unsigned, shared_per_sm, 0, 1 << 24, "bytes", "shared memory of an SM")                      \
    X(unsigned, shared_per_block, 0, 1 << 24, "bytes",                                             \
      "default limit of a block: 48 KiB on CC >= 2")                                               \
    X(unsigned, shared_per_block_optin, 0, 1 << 24, "bytes",                                       \
      "limit of static and dynamic shared memory together, after cudaFuncSetAttribute")            \
    X(unsigned, shared_reserved_per_block, 0, 1 << 20, "bytes",                                    \
      "shared memory that the system reserves in each block")                                      \
    X(power, shared_unit_bytes, 1, 1 << 16, "bytes",                                               \
      "allocation unit: a block's shared memory is rounded up to a multiple of this number")       \
    X(unsigned, registers_per_sm, 1, 1 << 24, "registers", "32-bit registers of an SM")            \
    X(power, register_unit, 1, 1 << 16, "registers",                                               \
      "allocation unit: a warp's registers are rounded up to a multiple of this number")           \
    X(unsigned, register_files, 1, 64, "count",                                                    \
      "equal parts of an SM's register file; all registers of a warp are in one part")             \
    X(power, shared_banks, 1, 64, "count", "")                                                     \
    X(power, shared_bank_bytes, 4, 16, "bytes", "")                                                \
    X(power, shared_lanes, 1, 32, "lanes",                                                         \
      "lanes that shared memory serves together: a warp, or a half-warp on CC 1.x")                \
    X(power, line_bytes, 16, 128, "bytes", "cache line")                                           \
    X(power, sector_bytes, 16, 32, "bytes", "smallest memory transfer")                            \
    X(unsigned, l1_bytes, 0, 1 << 24, "bytes", "L1 and shared memory of an SM together; 0: no L1") \
    X(unsigned, l1_ways, 1, 16, "count", "")                                                       \
    X(unsigned, l2_bytes, 0, 1 << 30, "bytes", "size of the L2; 0: no L2")                         \
    X(unsigned, l2_ways, 1, 16, "count", "")                                                       \
    X(unsigned, l2_read_groups, 0, 64, "count",                                                    \
      "groups of SMs (GPCs) that share one request to the L2 for loads of one sector; 0: none")    \
    X(unsigned, memory_bytes, 1 << 20, 1ull << 43, "bytes", "device memory")                       \
    X(unsigned, partitions, 1, DEVICE_PARTITIONS_MAX, "count", "DRAM partitions (channels)")       \
    X(power, partition_bytes, 16, 1 << 20, "bytes", "consecutive bytes in one partition")          \
    X(unsigned, memory_bus_bits, 1, 1 << 16, "bits",                                               \
      "width of the DRAM bus; reported to programs, not used by the model")                        \
    X(number, clock_mhz, 1, 100000, "MHz", "SM clock")                                             \
    X(number, dram_gbps, 0.001, 1e6, "GB/s",                                                       \
      "theoretical DRAM bandwidth; dram_throughput_pct is relative to it")                         \
    X(number, dram_efficiency, 0.01, 1, "ratio",                                                   \
      "fraction of dram_gbps that the best copy reaches")                                          \
    X(number, dram_read_scatter, 0, 1, "ratio",                                                    \
      "relative time added to reads for each doubling of the pages that the reads access")         \
    X(number, dram_write_scatter, 0, 1, "ratio",                                                   \
      "relative time added to writes for each doubling of the pages that the writes access")       \
    X(number, dram_crowding, 0, 1, "ratio",                                                        \
      "relative time added per doubling of the loads in flight above bandwidth x latency")         \
    X(number, barrier_efficiency, 0.01, 1, "ratio",                                                \
      "fraction of a copy's DRAM bandwidth reached if barriers separate loads and stores")         \
    X(number, partition_efficiency, 0.01, 1, "ratio",                                              \
      "fraction of its bandwidth that a partition reaches if it is the only bottleneck")           \
    X(number, l2_gbps, 0, 1e6, "GB/s", "bandwidth between L2 and SMs for a copy; 0: no limit")     \
    X(number, l2_load_gbps, 0, 1e6, "GB/s", "bandwidth from L2 to SMs for loads; 0: l2_gbps")      \
    X(number, l2_loads_per_clock, 0, 1e3, "1/clock",                                               \
      "lines (complete or partial) that the L2 sends to one SM; 0: no limit")                      \
    X(number, l2_stores_per_clock, 0, 1e3, "1/clock",                                              \
      "lines that one SM sends to the L2; 0: no limit")                                            \
    X(unsigned, atomic_slices, 2, 1024, "count",                                                   \
      "slices of the L2 that execute atomic operations")                                           \
    X(number, atomic_sector_ns, 0, 1e6, "ns", "minimum time of a slice per sector of a request")   \
    X(number, atomic_integer_ns, 0, 1e6, "ns",                                                     \
      "time of an L2 slice per integer operation, if lanes of a request access one address")       \
    X(number, atomic_float_ns, 0, 1e6, "ns",                                                       \
      "time of an L2 slice per float addition, if lanes of a request access one address")          \
    X(number, lsu_wavefronts_per_clock, 0.001, 1e3, "1/clock",                                     \
      "wavefronts of one SM, for shared memory and L1 together")                                   \
    X(number, issue_per_clock, 0.001, 1e3, "warp instructions/clock", "issue rate of one SM")      \
    X(number, alu_per_clock, 0.001, 1e4, "lanes/clock", "comparisons, logic and shifts of one SM") \
    X(number, multiply_per_clock, 0.001, 1e4, "lanes/clock", "integer multiplications of one SM")  \
    X(number, special_per_clock, 0.001, 1e4, "lanes/clock",                                        \
      "special functions and conversions of one SM")                                               \
    X(number, double_per_clock, 0.001, 1e4, "lanes/clock",                                         \
      "double-precision arithmetic of one SM")                                                     \
    X(number, shuffle_per_clock, 0.001, 1e4, "lanes/clock", "shuffles of one SM")                  \
    X(number, barrier_per_clock, 0.001, 1e4, "lanes/clock", "barriers of blocks on one SM")        \
    X(number, issue_slots_per_conflict, 0, 100, "1/conflict",                                      \
      "issue slots that each bank conflict uses; 0: replays use none")                             \
    X(number, latency_ns, 0, 1e6, "ns", "latency of a DRAM access without other traffic")          \
    X(number, launch_us, 0, 1e6, "us", "fixed cost of one launch")                                 \
    X(number, block_overhead_ns, 0, 1e6, "ns", "cost of starting a block on an SM")                \
    X(number, grid_block_ns, 0, 1e6, "ns",                                                         \
      "minimum time between the starts of two blocks of a grid")                                   \
    X(number, link_gbps, 0.001, 1e6, "GB/s",                                                       \
      "bandwidth of copies between pinned host memory and the device, in one direction")           \
    X(number, link_latency_us, 0, 1e6, "us", "fixed cost of a copy between host and device")

struct device {
    char name[32]; /* The file's name without its suffix, such as "h200". */
    char title[64];
    char chip[16];
    enum partition_map partition_map;
    enum coalescing coalescing;
#define X(type, field, minimum, maximum, unit, meaning) DEVICE_TYPE_##type field;
#define DEVICE_TYPE_unsigned uint64_t
#define DEVICE_TYPE_power uint64_t
#define DEVICE_TYPE_number double
    DEVICE_FIELDS(X)
#undef X
};

/* Read a device file. Harness failures: "FILE:LINE: what" for an unknown key or an invalid value;
 * "FILE: what" for a missing key or an unreadable file. */
bool device_read(const char *path, struct device *device, struct failure *failure);

/* Write a device file for device_read, with numbers rounded to four digits. `about` is a comment of
 * complete lines for the beginning of the file. `source` returns the comment for a field's value,
 * or "". Returns false for a write error and sets errno. */
typedef const char *device_source(void *context, const char *field);
bool device_write(FILE *file, const struct device *device, const char *about, device_source *source,
                  void *context);

/* Read DIRECTORY/NAME.conf. The failure for an unknown name lists the available names. */
bool device_find(const char *directory, const char *name, struct device *device,
                 struct failure *failure);

/* Returns the sorted names of all devices in a directory, followed by NULL. The caller frees the
 * array in one call, because the array includes the strings. Returns NULL for a harness failure. */
char **device_list(const char *directory, unsigned *count, struct failure *failure);

/* Returns the number of resident blocks of a kernel per SM, according to the toolkit's
 * cuda_occupancy.h. The number is limited by threads, shared memory, blocks, and registers (if
 * registers_per_thread is not 0). Returns 0 if no block fits. */
unsigned device_resident_blocks(const struct device *device, unsigned threads_per_block,
                                uint64_t shared_bytes_per_block, unsigned registers_per_thread);

#endif
