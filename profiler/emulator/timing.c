/* timing.c: the time model.
 *
 *   time = launches x launch_us + the largest bound
 *
 * Each bound is the time that one resource needs for its work if nothing else existed:
 *
 *   dram            bytes / (dram_gbps x dram_efficiency), times barrier_efficiency when the kernel
 *                   has barriers: then a block's loads and stores do not overlap
 *   dram_partition  the busiest partition's bytes, as if all had as many, at partition_efficiency;
 *                   only when they are clearly more than the mean (below that they are noise)
 *   l2              bytes / l2_gbps, or lines exchanged / (SMs x clock x l2_transactions_per_clock)
 *   lsu, shared     wavefronts / (SMs x clock x lsu_wavefronts_per_clock): one pipe serves the
 * lines of global accesses and shared memory; its time goes by the name of the larger issue warp
 * instructions / (SMs x clock x issue_per_clock) latency         waves of resident blocks x
 * (block_overhead_ns + latency_ns x rounds of loads): Little's law, with a warp's loads in flight
 * together LOADS_IN_FLIGHT at a time launch          launches x launch_us
 *
 * What it leaves out: overlap that is less than perfect (real kernels near two bounds are slower
 * than either), instruction dependences, and everything about order. The constants of a device are
 * calibrated on a few published or measured kernels, named in its file; timing_test.c says how far
 * off the model is on those it was not calibrated on.
 */
#include "timing.h"

#include <stdio.h>

/* How much more than the mean the busiest partition must get before it is called a limit: hashing
 * leaves some 20 % of noise. */
#define CAMPING_THRESHOLD 1.5

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double ratio(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

/* us for `bytes` at GB/s. */
static double transfer_us(double bytes, double gbps)
{
    return ratio(bytes, gbps * 1e3);
}

/* us for `work` units, `rate` of them per clock on each SM that has a block. */
static double sm_us(const struct device *device, const struct timing_input *input, double work,
                    double rate)
{
    double sms =
        (double)(input->blocks < device->multiprocessors ? input->blocks : device->multiprocessors);
    return ratio(work, sms * rate * device->clock_mhz);
}

static double dram_bytes(const struct memory_counts *memory)
{
    return (double)memory->dram_read_bytes + (double)memory->dram_write_bytes;
}

static double dram_us(const struct device *device, const struct timing_input *input)
{
    double efficiency = device->dram_efficiency;
    if (input->counters->barriers > 0)
        efficiency *= device->barrier_efficiency;
    return transfer_us(dram_bytes(input->memory), device->dram_gbps * efficiency);
}

/* Average share of the busiest partition over the mean, weighted by traffic. */
static double camping(const struct memory_counts *memory)
{
    return ratio(memory->busiest_partition_bytes, dram_bytes(memory));
}

static double partition_us(const struct device *device, const struct timing_input *input)
{
    if (camping(input->memory) < CAMPING_THRESHOLD)
        return 0;
    return transfer_us(input->memory->busiest_partition_bytes,
                       device->dram_gbps * device->partition_efficiency);
}

static double l2_us(const struct device *device, const struct timing_input *input)
{
    const struct memory_counts *memory = input->memory;
    double bytes = (double)memory->l2_read_bytes + (double)memory->l2_write_bytes;
    return larger(
        transfer_us(bytes, device->l2_gbps),
        sm_us(device, input, (double)memory->l2_transactions, device->l2_transactions_per_clock));
}

static double shared_wavefronts(const struct counters *counters)
{
    return (double)counters->shared_load_wavefronts + (double)counters->shared_store_wavefronts;
}

static double global_requests(const struct counters *counters)
{
    return (double)counters->global_load_requests + (double)counters->global_store_requests +
           (double)counters->atomic_requests;
}

static double latency_us(const struct device *device, const struct timing_input *input)
{
    double resident = input->resident_blocks > 0 ? input->resident_blocks : 1;
    double launches = input->launches > 0 ? input->launches : 1;
    double blocks = (double)input->blocks;
    double waves = larger(1, blocks / ((double)device->multiprocessors * resident));
    double lanes = (double)device->warp_lanes;
    double warps = launches * blocks * larger(1, input->threads_per_block / lanes);
    double rounds = ratio((double)input->load_rounds, warps);
    return launches * waves * (device->block_overhead_ns + rounds * device->latency_ns) / 1e3;
}

struct timing timing_estimate(const struct device *device, const struct timing_input *input)
{
    struct timing timing = {.bound = BOUND_LAUNCH};
    double *us = timing.bound_us;
    double lines = (double)input->memory->lines, shared = shared_wavefronts(input->counters);
    us[BOUND_DRAM] = dram_us(device, input);
    us[BOUND_PARTITION] = partition_us(device, input);
    us[BOUND_L2] = l2_us(device, input);
    us[shared > lines ? BOUND_SHARED : BOUND_LSU] =
        sm_us(device, input, lines + shared, device->lsu_wavefronts_per_clock);
    us[BOUND_ISSUE] = sm_us(device, input, (double)input->issue_slots, device->issue_per_clock);
    us[BOUND_LATENCY] = latency_us(device, input);
    us[BOUND_LAUNCH] = input->launches * device->launch_us;
    double largest = 0;
    for (unsigned b = 0; b < BOUND_LAUNCH; b++)
        largest = larger(largest, us[b]);
    for (unsigned b = 0; b < BOUND_COUNT; b++)
        if (us[b] > us[timing.bound])
            timing.bound = (enum bound)b;
    timing.time_us = us[BOUND_LAUNCH] + largest;
    return timing;
}

const char *bound_name(enum bound bound)
{
    static const char *const names[BOUND_COUNT] = {
#define X(id, text) text,
        BOUND_LIST(X)
#undef X
    };
    return (unsigned)bound < BOUND_COUNT ? names[bound] : "unknown";
}

void bound_explain(const struct timing *timing, const struct timing_input *input,
                   const struct device *device, char *text, unsigned size)
{
    const struct counters *c = input->counters;
    const struct memory_counts *memory = input->memory;
    double gbps = ratio(dram_bytes(memory), timing->time_us * 1e3);
    switch (timing->bound) {
    case BOUND_DRAM:
        snprintf(text, size,
                 "limited by DRAM: %.1f MB at %.0f GB/s, %.0f %% of the peak of %.0f GB/s",
                 dram_bytes(memory) / 1e6, gbps, 100 * gbps / device->dram_gbps, device->dram_gbps);
        break;
    case BOUND_PARTITION:
        snprintf(text, size,
                 "limited by the busiest DRAM partition: it gets %.1f times its share of the "
                 "traffic (%.1f in the worst window), while others wait",
                 camping(memory), memory->partition_imbalance);
        break;
    case BOUND_L2:
        snprintf(text, size,
                 "limited by traffic with the L2: %.1f transactions per global access of a warp, "
                 "%.1f MB in all",
                 ratio((double)memory->l2_transactions, global_requests(c)),
                 ((double)memory->l2_read_bytes + (double)memory->l2_write_bytes) / 1e6);
        break;
    case BOUND_LSU:
        snprintf(text, size,
                 "limited by the load/store pipe: %.1f lines per global access of a warp",
                 ratio((double)memory->lines, global_requests(c)));
        break;
    case BOUND_SHARED:
        snprintf(
            text, size,
            "limited by shared-memory wavefronts: %.1f conflicts per load, %.1f per store",
            ratio((double)c->shared_load_wavefronts - (double)c->shared_load_ideal_wavefronts,
                  (double)c->shared_load_requests),
            ratio((double)c->shared_store_wavefronts - (double)c->shared_store_ideal_wavefronts,
                  (double)c->shared_store_requests));
        break;
    case BOUND_ISSUE:
        snprintf(text, size,
                 "limited by instruction issue: %.1f warp instructions per global access of a warp",
                 ratio((double)input->issue_slots, global_requests(c)));
        break;
    case BOUND_LATENCY:
        snprintf(text, size,
                 "limited by latency: %u resident blocks of %u threads on an SM keep too few bytes "
                 "in flight to hide %.0f ns",
                 input->resident_blocks, input->threads_per_block, device->latency_ns);
        break;
    case BOUND_LAUNCH:
    case BOUND_COUNT:
        snprintf(text, size, "limited by the launch itself: %.1f of %.1f us; take a larger matrix",
                 timing->bound_us[BOUND_LAUNCH], timing->time_us);
        break;
    }
}
