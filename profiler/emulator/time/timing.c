/* timing.c: the time model.
 *
 *   time = launches x (launch_us + latency_ns + drain) + sqrt(largest^2 + latency^2)
 *
 * The first loads of a launch overlap with no other work. They take latency_ns. While the last
 * loads arrive, DRAM becomes idle. This drain takes half the transfer time of the bytes in flight.
 * For a kernel without loads, both times are 0.
 *
 * `largest` is the longest of these bounds. Each bound is the time of one resource for its work:
 *
 *   dram            bytes that move while the kernel runs / (dram_gbps x dram_efficiency). Bytes
 *                   read are multiplied by 1 + dram_read_scatter x (256 / requested bytes of each
 *                   256) x log2(pages of a window / 2), see pieces.h. Bytes written are multiplied
 *                   in the same way, with dram_write_scatter. If more bytes are in flight than
 *                   dram_gbps x latency_ns, the time is multiplied by 1 + dram_crowding x
 *                   log2(their ratio). If the kernel has barriers, dram_gbps is multiplied by
 *                   barrier_efficiency. A sector that is written without its neighbour (the
 *                   other half of 64 bytes) counts LONE_WRITE_BYTES more
 *   dram_partition  the time if all partitions had as many bytes as the busiest partition, at
 *                   partition_efficiency; only if this partition has clearly more bytes than the
 *                   mean
 *   l2              the longest of: bytes / l2_gbps, with loads at l2_load_gbps and stores to parts
 *                   of sectors INCOMPLETE_TIME times as long; lines loaded /
 *                   (SMs x clock x l2_loads_per_clock); lines stored / (SMs x clock x
 *                   l2_stores_per_clock)
 *   lsu, shared     wavefronts / (SMs x clock x lsu_wavefronts_per_clock). One pipe serves the
 *                   lines of global accesses and the wavefronts of shared memory, including the
 *                   clocks of its atomic operations (sinks/count.c). The larger share determines
 *                   the name
 *   atomic          the busiest slice of the L2 for atomic operations (atomics.h)
 *   issue           (issue slots (timing_code.c) + slots of bank conflicts) / (SMs x clock x
 *                   issue_per_clock)
 *   constant        words of constant memory x constant_clocks() / (SMs x clock), for loads in
 *                   which lanes have different addresses
 *   alu, multiply, special, double, shuffle, barrier
 *                   lanes of their instructions (timing_code.c) / (SMs x clock x rate of the pipe)
 *
 * Two effects connect the L2 and DRAM. If both are near their limits, they delay each other:
 * `largest` is at least the QUEUEING-th root of the sum of the QUEUEING-th powers of the two times.
 * In addition, the L2 writes no stores to DRAM until the fraction L2_KEEPS of the L2 is dirty.
 * Until then, the L2 is the limit. The time of this phase is added to the time of DRAM.
 *
 * `latency` is the time of the grid if memory has unlimited bandwidth: the number of blocks that an
 * SM runs one after the other, times the sum of
 *
 *   the longer of block_overhead_ns and a warp's chain of dependent instructions (timing_code.c)
 *   the latency of a round x (rounds of loads + barriers after loads). A round is a group of loads
 *   in flight together (timing_code.c). Its latency is latency_ns, or L1_CLOCKS if all its loads
 *   hit the L1
 *   the block's bank conflicts / (clock x lsu_wavefronts_per_clock), which delay its stores
 *
 * The blocks of the grid start one after the other, so the square root is at least grid_block_ns
 * for each block.
 *
 * An access to local memory takes one wavefront per 128 bytes. If the threads of an SM use
 * more local memory than its L1, all accesses go to the L2.
 *
 * Requests queue, so a kernel takes longer than `latency` and `largest` if both are similar. The
 * root of the sum of squares fits copies of 8192 x 8192 floats on an H200, with 1 to 8 resident
 * blocks and 1 to 8 loads in flight (testdata/timing_h200.csv). Atomic operations do not delay the
 * warps, so their time is only a lower limit of the root.
 *
 * If the registers of the machine code are known, they limit the blocks that an SM runs at a time.
 * The registers change only `latency`, and not the bytes in flight. Otherwise more registers would
 * make kernels faster, and the times of such kernels would deviate more (docs/design.md).
 *
 * The constants of a device come from data sheets, microbenchmarks, and fits to at most three rows
 * of a table, which the device file names. The tests compare the rows that were not fitted. */
#include "emulator/time/timing.h"
#include "base/wording.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The busiest partition is a bound if its traffic is more than this factor times the mean. Even
 * with hashing, partitions differ by about 20 %. */
#define CAMPING_THRESHOLD 1.5

/* The fraction of the L2 that can hold dirty lines when a kernel ends. An H200 held 22 to 25 MB of
 * 63 MB (docs/results/h200/course_8192.csv, dram_write_bytes). */
#define L2_KEEPS 0.4

/* Requests to DRAM and to the L2 delay each other. The power is fitted to the register-tile
 * kernel at 8192 x 8192. The kernel takes 152 us. Its stored lines alone would take 128 us, and
 * DRAM alone 122 us. */
#define QUEUEING 5.0

/* The time of a store to a part of a sector, relative to a store to a whole sector. Measured on an
 * H200: 3.5 TB/s (8 stores of 4 bytes to each sector, in a loop) and 4.6 TB/s (l2_gbps). */
#define INCOMPLETE_TIME 1.3

/* The additional cost of a write of only 32 bytes, in bytes of traffic, because DRAM reads and
 * writes 64 bytes at a time. Measured on an H200: 8.4 million writes, 128 bytes apart, took 330 us,
 * which corresponds to 113 bytes. Random addresses correspond to 180 bytes. */
#define LONE_WRITE_BYTES 128.0

/* The latency of a load from the L1 in clocks, measured on an H200 with a chain of loads. */
#define L1_CLOCKS 40.0

static double ratio(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

static double transfer_us(double bytes, double gbps)
{
    return ratio(bytes, gbps * 1e3);
}

static double sm_us(const struct device *device, const struct timing_input *input, double work,
                    double rate)
{
    double sms =
        (double)(input->blocks < device->multiprocessors ? input->blocks : device->multiprocessors);
    return ratio(work, sms * rate * device->clock_mhz);
}

static double written_in_time(const struct device *device, const struct memory_counts *memory)
{
    double retained = fmin((double)memory->dram_flush_bytes, L2_KEEPS * device->l2_bytes);
    return (double)memory->dram_write_bytes - retained;
}

/* Returns the fraction by which scattered addresses lengthen loads (`store` is 0) or stores (1).
 * Above the two pages of contiguous traffic, times grow with the logarithm of the number of
 * pages. */
static double scatter(double weight, const struct scatter *scatter, int store)
{
    return weight * ratio(PIECE_BYTES, scatter->piece_bytes[store]) *
           log2(fmax(1, scatter->pages[store] / 2));
}

static double warp_count(const struct device *device, const struct timing_input *input)
{
    double lanes = (double)device->warp_lanes, launches = fmax(1, input->launches);
    return launches * (double)input->blocks * fmax(1, input->threads_per_block / lanes);
}

static double bytes_in_flight(const struct device *device, const struct timing_input *input)
{
    double resident =
        fmin((double)device->multiprocessors * input->resident_blocks, (double)input->blocks);
    double warps = resident * fmax(1, input->threads_per_block / (double)device->warp_lanes);
    return warps * ratio((double)input->memory->l2_read_bytes, (double)input->code.load_rounds);
}

static double crowding(const struct device *device, const struct timing_input *input)
{
    double enough = device->dram_gbps * device->latency_ns;
    return device->dram_crowding * log2(fmax(1, ratio(bytes_in_flight(device, input), enough)));
}

static double ends_us(const struct device *device, const struct timing_input *input)
{
    if (!input->code.load_rounds)
        return 0;
    double most = ratio((double)input->memory->dram_read_bytes, fmax(1, input->launches));
    double drained = fmin(bytes_in_flight(device, input), most) / 2;
    return device->latency_ns / 1e3 +
           transfer_us(drained, device->dram_gbps * device->dram_efficiency);
}

static unsigned waiting_blocks(const struct timing_input *input)
{
    return input->limited_blocks ? input->limited_blocks : input->resident_blocks;
}

static double l2_transfer_us(const struct device *device, double read, double written)
{
    double load_gbps = device->l2_load_gbps > 0 ? device->l2_load_gbps : device->l2_gbps;
    double store_gbps = ratio(1, ratio(2, device->l2_gbps) - ratio(1, load_gbps));
    return transfer_us(read, load_gbps) + transfer_us(written, store_gbps);
}

static double l2_bytes_us(const struct device *device, const struct memory_counts *memory)
{
    return l2_transfer_us(device, (double)memory->l2_read_bytes, (double)memory->l2_write_bytes);
}

static double l2_incomplete_us(const struct device *device, const struct timing_input *input)
{
    double written = (double)input->memory->l2_write_bytes,
           incomplete = (double)input->counters->incomplete_sectors * SECTOR_BYTES;
    return (INCOMPLETE_TIME - 1) * l2_transfer_us(device, 0, fmin(incomplete, written));
}

/* Returns the L2 time of local memory: 0 if the threads of an SM use at most the L1's size. */
static double l2_local_us(const struct device *device, const struct timing_input *input)
{
    const double used =
        (double)waiting_blocks(input) * input->threads_per_block * (double)input->local_bytes;
    return used <= (double)device->l1_bytes
               ? 0
               : l2_transfer_us(device, (double)input->code.local_load_bytes,
                                (double)input->code.local_store_bytes);
}

static double fill_us(const struct device *device, const struct memory_counts *memory)
{
    double written = (double)memory->dram_write_bytes, read = (double)memory->dram_read_bytes;
    double share = ratio(written - written_in_time(device, memory), written);
    return share * fmax(0, l2_bytes_us(device, memory) -
                               transfer_us(read, device->dram_gbps * device->dram_efficiency));
}

static double dram_us(const struct device *device, const struct timing_input *input)
{
    double efficiency = device->dram_efficiency;
    if (input->counters->barriers > 0)
        efficiency *= device->barrier_efficiency;
    double written = written_in_time(device, input->memory);
    double bytes = (double)input->memory->dram_read_bytes *
                       (1 + scatter(device->dram_read_scatter, &input->scatter, 0)) +
                   written * (1 + scatter(device->dram_write_scatter, &input->scatter, 1)) +
                   (double)input->memory->dram_lone_writes * LONE_WRITE_BYTES;
    return transfer_us(bytes, device->dram_gbps * efficiency) * (1 + crowding(device, input));
}

static double camping(const struct memory_counts *memory)
{
    return ratio(memory->busiest_partition_bytes,
                 (double)memory->dram_read_bytes + (double)memory->dram_write_bytes);
}

static double partition_us(const struct device *device, const struct timing_input *input)
{
    if (camping(input->memory) < CAMPING_THRESHOLD)
        return 0;
    return transfer_us(input->memory->busiest_partition_bytes,
                       device->dram_gbps * device->partition_efficiency);
}

static double l2_lines_us(const struct device *device, const struct timing_input *input)
{
    double stores = (double)input->memory->l2_store_transactions;
    double loads = (double)input->memory->l2_transactions - stores;
    return fmax(sm_us(device, input, loads, device->l2_loads_per_clock),
                sm_us(device, input, stores, device->l2_stores_per_clock));
}

static double shared_wavefronts(const struct counters *counters)
{
    return (double)counters->shared_load_wavefronts + (double)counters->shared_store_wavefronts;
}

static double conflicts(const struct counters *counters)
{
    return shared_wavefronts(counters) - (double)counters->shared_load_ideal_wavefronts -
           (double)counters->shared_store_ideal_wavefronts;
}

static double global_requests(const struct counters *counters)
{
    return (double)counters->global_load_requests + (double)counters->global_store_requests +
           (double)counters->global_atomic_requests;
}

static double issue_slots(const struct device *device, const struct timing_input *input)
{
    return (double)input->code.issue_slots +
           device->issue_slots_per_conflict * conflicts(input->counters);
}

/* Returns the clocks of an SM for one word of a load from constant memory in which lanes have
 * different addresses. Measured on an H200 with random words: 2.1 clocks from a table of at most 2
 * KiB, which the cache holds, and 9, 26 and 31 clocks from tables of 4, 16 and 64 KiB. */
static double constant_clocks(const struct timing_input *input)
{
    const double cached = 2048, hit = 2, miss = 27;
    const double used = ratio(CONSTANT_LINE_BYTES * (double)input->counters->constant_lines,
                              fmax(1, input->launches) * (double)input->blocks);
    return hit + miss * (1 - ratio(cached, fmax(cached, used)));
}

static double starts_us(const struct device *device, const struct timing_input *input)
{
    return fmax(1, input->launches) * (double)input->blocks * device->grid_block_ns / 1e3;
}

/* Returns the mean latency of a round, which waits for its slowest load. */
static double round_ns(const struct device *device, const struct timing_input *input)
{
    const double requests = (double)input->counters->global_load_requests;
    const double loads = fmax(1, ratio(requests, (double)input->code.load_rounds));
    const double all_hit = pow(fmin(1, ratio((double)input->memory->l1_hits, requests)), loads);
    return all_hit * L1_CLOCKS * 1e3 / device->clock_mhz + (1 - all_hit) * device->latency_ns;
}

static double latency_us(const struct device *device, const struct timing_input *input)
{
    double together = (double)device->multiprocessors * fmax(1, waiting_blocks(input));
    double in_turn = fmax(1, (double)input->blocks / together) * fmax(1, input->launches);
    double waits = ratio((double)input->code.load_rounds + (double)input->code.barrier_waits,
                         warp_count(device, input));
    double chain_us =
        ratio((double)input->code.chain, warp_count(device, input) * device->clock_mhz);
    double block_conflicts =
        ratio(conflicts(input->counters), fmax(1, input->launches) * (double)input->blocks);
    double conflicts_us =
        ratio(block_conflicts, device->lsu_wavefronts_per_clock * device->clock_mhz);
    return in_turn * (fmax(device->block_overhead_ns / 1e3, chain_us) +
                      waits * round_ns(device, input) / 1e3 + conflicts_us);
}

struct timing timing_estimate(const struct device *device, const struct timing_input *input)
{
    struct timing timing = {.bound = BOUND_LAUNCH};
    double *us = timing.bound_us;
    double lines = (double)input->memory->lines, shared = shared_wavefronts(input->counters);
    double atomics = (double)input->counters->shared_atomic_clocks;
    double l2_lines = l2_lines_us(device, input);
    double local_lines =
        ratio((double)input->code.local_load_bytes + (double)input->code.local_store_bytes,
              (double)device->line_bytes);
    us[BOUND_DRAM] = dram_us(device, input);
    us[BOUND_PARTITION] = partition_us(device, input);
    us[BOUND_L2] =
        fmax(l2_bytes_us(device, input->memory) + l2_incomplete_us(device, input), l2_lines) +
        l2_local_us(device, input);
    us[BOUND_ATOMIC] = input->memory->atomics_us;
    us[shared + atomics > lines ? BOUND_SHARED : BOUND_LSU] =
        sm_us(device, input, lines + shared + local_lines, device->lsu_wavefronts_per_clock) +
        sm_us(device, input, atomics, 1);
    us[BOUND_CONSTANT] =
        sm_us(device, input, (double)input->counters->constant_words * constant_clocks(input), 1);
    us[BOUND_ISSUE] = sm_us(device, input, issue_slots(device, input), device->issue_per_clock);
#define X(id, text, field, meaning)                                                                \
    us[BOUND_##id] = sm_us(device, input, (double)input->code.pipe_slots[PIPE_##id],               \
                           device->field / (double)device->warp_lanes);
    PIPE_LIST(X)
#undef X
    double filled = us[BOUND_DRAM] + fill_us(device, input->memory);
    double largest = pow(pow(filled, QUEUEING) + pow(l2_lines, QUEUEING), 1 / QUEUEING);
    for (unsigned b = 0; b < BOUND_COUNT; b++)
        if (b != BOUND_ATOMIC)
            largest = fmax(largest, us[b]);
    us[BOUND_LATENCY] = latency_us(device, input);
    double together = hypot(largest, us[BOUND_LATENCY]);
    us[BOUND_LATENCY] = fmax(us[BOUND_LATENCY], starts_us(device, input));
    us[BOUND_LAUNCH] = input->launches * device->launch_us;
    for (unsigned b = 0; b < BOUND_COUNT; b++)
        if (us[b] > us[timing.bound])
            timing.bound = (enum bound)b;
    timing.time_us = us[BOUND_LAUNCH] + input->launches * ends_us(device, input) +
                     fmax(fmax(together, us[BOUND_LATENCY]), us[BOUND_ATOMIC]);
    return timing;
}

const char *bound_name(enum bound bound)
{
    static const char *const names[BOUND_COUNT] = {
#define X(id, text, ...) text,
        BOUND_LIST(X)
#undef X
    };
    return (unsigned)bound < BOUND_COUNT ? names[bound] : "unknown";
}

static const char *pipe_meaning(enum bound bound)
{
    static const char *const meanings[PIPE_COUNT] = {
#define X(id, text, field, meaning) meaning,
        PIPE_LIST(X)
#undef X
    };
    return meanings[bound - BOUND_ISSUE - 1];
}

void timing_explain(const struct timing *timing, char *text, unsigned size)
{
    text[0] = '\0';
    for (unsigned b = 0; b < BOUND_COUNT; b++)
        if (timing->bound_us[b] > 0.005 * timing->time_us)
            text_append(text, size, "%s%s %.3g us", *text ? ", " : "", bound_name((enum bound)b),
                        timing->bound_us[b]);
    text_append(text, size, " -> %.4g us, limited by %s", timing->time_us,
                bound_name(timing->bound));
}

static void explain_dram(const struct timing *timing, const struct timing_input *input,
                         const struct device *device, char *text, unsigned size)
{
    double bytes = (double)input->memory->dram_read_bytes + written_in_time(device, input->memory),
           gbps = ratio(bytes, timing->time_us * 1e3);
    text_append(text, size,
                "limited by DRAM: %.1f MB at %.0f GB/s, %.0f %% of the peak of %.0f GB/s",
                bytes / 1e6, gbps, 100 * gbps / device->dram_gbps, device->dram_gbps);
    double loads = scatter(device->dram_read_scatter, &input->scatter, 0);
    double stores = scatter(device->dram_write_scatter, &input->scatter, 1);
    int worse = stores > loads;
    if (fmax(loads, stores) > 0.05)
        text_append(text, size,
                    "; %s are scattered over %.0f pages at a time, in pieces of %.0f bytes",
                    worse ? "stores" : "loads", input->scatter.pages[worse],
                    input->scatter.piece_bytes[worse]);
}

static void explain_issue(const struct timing_input *input, const struct device *device, char *text,
                          unsigned size)
{
    double slots = issue_slots(device, input), requests = global_requests(input->counters);
    text_append(text, size,
                "limited by instruction issue: %.1f warp instructions per global access of a warp",
                ratio(slots, requests));
    if (slots > (double)input->code.issue_slots)
        text_append(text, size, ", including %.1f replays for bank conflicts",
                    ratio(slots - (double)input->code.issue_slots, requests));
}

static void explain_waits(const struct timing *timing, const struct timing_input *input,
                          const struct device *device, char *text, unsigned size)
{
    if (timing->bound == BOUND_LATENCY || timing->bound == BOUND_LAUNCH ||
        timing->bound_us[BOUND_LATENCY] < 0.7 * timing->bound_us[timing->bound])
        return;
    text_append(text, size,
                "; latency limits the time nearly as much: each warp waits %.1f times for loads",
                ratio((double)input->code.load_rounds, warp_count(device, input)));
}

void bound_explain(const struct timing *timing, const struct timing_input *input,
                   const struct device *device, char *text, unsigned size)
{
    const struct counters *c = input->counters;
    const struct memory_counts *memory = input->memory;
    const double load = (double)c->shared_load_wavefronts,
                 load_ideal = (double)c->shared_load_ideal_wavefronts,
                 store = (double)c->shared_store_wavefronts,
                 store_ideal = (double)c->shared_store_ideal_wavefronts;
    text[0] = '\0';
    switch (timing->bound) {
    case BOUND_DRAM:
        explain_dram(timing, input, device, text, size);
        break;
    case BOUND_PARTITION:
        text_append(text, size,
                    "limited by the busiest DRAM partition: it carries %.1f times the mean traffic "
                    "(%.1f times in the worst window), while other partitions are idle",
                    camping(memory), memory->partition_imbalance);
        break;
    case BOUND_L2:
        text_append(text, size,
                    "limited by traffic with the L2: %.1f transactions per global access of a "
                    "warp, %.1f MB in total",
                    ratio((double)memory->l2_transactions, global_requests(c)),
                    ((double)memory->l2_read_bytes + (double)memory->l2_write_bytes) / 1e6);
        break;
    case BOUND_LSU:
        text_append(text, size,
                    "limited by the load/store pipe: %.1f lines per global access of a warp",
                    ratio((double)memory->lines, global_requests(c)));
        break;
    case BOUND_ATOMIC:
        text_append(text, size,
                    "limited by atomic operations in the L2: %.1f sectors per request. Lanes and "
                    "warps that update one address wait for each other",
                    ratio((double)c->global_atomic_sectors, (double)c->global_atomic_requests));
        break;
    case BOUND_SHARED:
        if (c->shared_atomic_clocks > load + store) {
            text_append(text, size,
                        "limited by atomic operations on shared memory: %" PRIu64 " wavefronts",
                        c->shared_atomic_wavefronts);
            break;
        }
        text_append(text, size,
                    "limited by shared-memory wavefronts: %.1f bank conflicts per load request",
                    ratio(load - load_ideal, (double)c->shared_load_requests));
        text_append_ways(load, load_ideal, text, size);
        text_append(text, size, ", %.1f per store request",
                    ratio(store - store_ideal, (double)c->shared_store_requests));
        text_append_ways(store, store_ideal, text, size);
        break;
    case BOUND_CONSTANT:
        text_append(text, size,
                    "limited by constant memory: %" PRIu64 " words for lanes with different "
                    "addresses. A load is fast only if all lanes have the same address",
                    c->constant_words);
        break;
    case BOUND_ISSUE:
        explain_issue(input, device, text, size);
        break;
#define X(id, name, field, meaning) case BOUND_##id:
        PIPE_LIST(X)
#undef X
        text_append(
            text, size,
            "limited by the pipe for %s: %.1f warp instructions per global access of a warp",
            pipe_meaning(timing->bound),
            ratio((double)input->code.pipe_slots[timing->bound - BOUND_ISSUE - 1],
                  global_requests(c)));
        break;
    case BOUND_LATENCY:
        if (timing->bound_us[BOUND_LATENCY] <= starts_us(device, input)) {
            text_append(text, size,
                        "limited by the start of blocks: %" PRIu64
                        " blocks of %u threads. Use larger blocks, or more work per thread",
                        input->blocks, input->threads_per_block);
            break;
        }
        text_append(text, size,
                    "limited by latency: each warp waits %.1f times for loads. With %u resident "
                    "block%s of %u threads, an SM has too few bytes in flight to hide %.0f ns",
                    ratio((double)input->code.load_rounds, warp_count(device, input)),
                    waiting_blocks(input), plural(waiting_blocks(input)), input->threads_per_block,
                    round_ns(device, input));
        break;
    case BOUND_LAUNCH:
    case BOUND_COUNT:
        text_append(text, size,
                    "limited by the launch itself: %.1f of %.1f us. Use a larger matrix",
                    timing->bound_us[BOUND_LAUNCH], timing->time_us);
        return;
    }
    explain_waits(timing, input, device, text, size);
}
