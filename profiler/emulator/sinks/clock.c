/* clock.c: the sink for kernels that read %clock64 and similar registers.
 *
 * The clock of a warp is the time to issue its instructions plus the time that the warp waited. An
 * SM with several warps is not simulated. Instead the cost of each request assumes that all warps
 * of the SM make the same request at the same time:
 *
 * - An instruction takes 4 cycles, the latency of its result, or longer if the schedulers need
 *   longer to serve every warp once.
 * - A load that begins a round (timing_code.c, here also for shared memory) takes the latency of
 *   the farthest level that it reaches. Other loads of the round take only their transfer.
 * - A transfer takes the longest of the times for its wavefronts, its lines and bytes from the L2,
 *   and its bytes from DRAM, at the device's rates for one SM. The warps transfer in turn.
 * - After a barrier all warps have the time of the latest warp, plus the time of the barrier.
 *
 * The caches contain only sectors that the block itself has accessed. */
#include "emulator/sinks/sinks.h"
#include "emulator/warp/simt_access.h"

#include <stdlib.h>
#include <string.h>

/* Measured on one H200 (testdata/clock_h200.csv), without the instruction and its wavefront. */
enum {
    DEPENDENT_ISSUE = 4,
    SHARED_LATENCY = 18, /* Cycles, like L1_LATENCY. */
    L1_LATENCY = 28,
    BARRIER_CYCLES = 8,            /* Cycles after the last warp has arrived. */
    BARRIER_WARP_CYCLES = 2,       /* Additional cycles for each warp of the block. */
    L2_SECTORS_RETAINED = 1 << 14, /* L2 sectors per block, if the grid has several blocks. */
    GENERATION_BITS = 20,
};
static const double dram_share = 0.83, l2_share = 0.335; /* One load's latency / latency_ns. */

struct seen {
    uint64_t *tags; /* Sector and generation, so that each block begins with empty caches. */
    uint64_t count;
};

struct block_clock {
    double issue;
    unsigned warps;
    double latency_l2, latency_dram;
    double cycles_l2, cycles_dram;    /* Cycles per sector if all SMs that have blocks transfer. */
    double cycles_load, cycles_store; /* Cycles per line between L1 and L2. */
    double cycles_wavefront;
    struct seen l1, l2;
    uint64_t generation;
    uint64_t latest[BARRIERS]; /* Time of the latest arrival at each barrier. */
    struct warp_clock {
        uint64_t waited;
        uint64_t arrived; /* Time of the warp's last arrival at a barrier. */
    } * warps_of_block;
};

static struct block_clock *clock_of(const struct simt_block *block)
{
    return block->sink_states[SINK_CLOCK];
}

static double cycles_at(double work, double rate)
{
    return rate > 0 ? work / rate : 0;
}

static bool seen_create(struct seen *seen, uint64_t count)
{
    seen->count = count;
    seen->tags = count ? calloc(count, sizeof *seen->tags) : NULL;
    return seen->tags || !count;
}

static void clock_free(void *state)
{
    struct block_clock *clock = state;
    free(clock->l1.tags);
    free(clock->l2.tags);
    free(clock->warps_of_block);
    free(clock);
}

static void *clock_create(const struct simt_block *block, void *plan)
{
    const struct emulator_launch *launch = block->launch;
    const struct device *device = launch->device;
    struct block_clock *clock = calloc(1, sizeof *clock);
    (void)plan;
    if (!clock)
        return NULL;
    double sms = (double)device->multiprocessors, per_us = device->clock_mhz;
    double blocks = (double)launch->grid.x * launch->grid.y * launch->grid.z;
    double busy = blocks < sms ? blocks : sms;
    double on_sm =
        blocks / busy < block->run->resident_blocks ? blocks / busy : block->run->resident_blocks;
    clock->warps = (unsigned)(on_sm * block->warp_count);
    clock->issue = cycles_at(clock->warps, device->issue_per_clock);
    clock->issue = clock->issue > DEPENDENT_ISSUE ? clock->issue : DEPENDENT_ISSUE;
    double latency = device->latency_ns * per_us / 1000;
    clock->latency_dram = latency * dram_share;
    clock->latency_l2 = latency * l2_share;
    double bytes = (double)device->sector_bytes * busy * per_us / 1000;
    clock->cycles_dram = cycles_at(bytes, device->dram_gbps * device->dram_efficiency);
    clock->cycles_l2 = cycles_at(bytes, device->l2_gbps);
    clock->cycles_load = cycles_at(1, device->l2_loads_per_clock);
    clock->cycles_store = cycles_at(1, device->l2_stores_per_clock);
    clock->cycles_wavefront = cycles_at(1, device->lsu_wavefronts_per_clock);
    uint64_t l2 = device->l2_bytes / device->sector_bytes;
    clock->warps_of_block = calloc(block->warp_count, sizeof *clock->warps_of_block);
    if (clock->warps_of_block && seen_create(&clock->l1, device->l1_bytes / device->sector_bytes) &&
        seen_create(&clock->l2, blocks > 1 && l2 > L2_SECTORS_RETAINED ? L2_SECTORS_RETAINED : l2))
        return clock;
    clock_free(clock);
    return NULL;
}

static void clock_begin(struct simt_block *block)
{
    struct block_clock *clock = clock_of(block);
    memset(clock->warps_of_block, 0, block->warp_count * sizeof *clock->warps_of_block);
    memset(clock->latest, 0, sizeof clock->latest);
    clock->generation = (clock->generation + 1) & ((1 << GENERATION_BITS) - 1);
}

static uint64_t clock_now(const struct step *step)
{
    const struct block_clock *clock = clock_of(step->block);
    double issued = (double)(step->warp->spent + step->executed) * clock->issue;
    return (uint64_t)issued + clock->warps_of_block[step->warp->index].waited;
}

static void clock_cycles(const struct simt_block *block, uint64_t *last)
{
    const struct block_clock *clock = clock_of(block);
    for (unsigned w = 0; w < block->warp_count; w++) {
        uint64_t end = clock->warps_of_block[w].waited +
                       (uint64_t)((double)block->warps[w].spent * clock->issue);
        *last = end > *last ? end : *last;
    }
}

/* Add a sector to the cache. Returns true for a hit. */
static bool seen_before(const struct block_clock *clock, struct seen *seen, uint64_t sector)
{
    if (!seen->count)
        return false;
    uint64_t *place = &seen->tags[sector % seen->count];
    uint64_t tag = sector << GENERATION_BITS | clock->generation;
    bool hit = *place == tag;
    *place = tag;
    return hit;
}

/* Let the warp wait for its latency and transfer, or for all warps' transfers if these take
 * longer. */
static void clock_wait(const struct step *step, double latency, double transfer)
{
    struct block_clock *clock = clock_of(step->block);
    double shared = transfer * clock->warps, alone = latency + transfer;
    clock->warps_of_block[step->warp->index].waited +=
        (uint64_t)((alone > shared ? alone : shared) + 0.5);
}

static bool waits(const struct step *step)
{
    return step->block->run->waits[step_number(step)].begins_round;
}

static void clock_global(const struct step *step, const struct access *access,
                         enum access_kind kind)
{
    struct block_clock *clock = clock_of(step->block);
    const struct device *device = step->block->launch->device;
    const struct warp_access pattern = access_pattern(access);
    trace_run runs[COALESCE_MAX_RUNS];
    unsigned sectors = 0, from_l2 = 0, from_dram = 0, lines = 0;
    unsigned count = coalesce_global(device, &pattern, kind, runs, &sectors);
    for (unsigned i = 0; i < count; i++) {
        bool misses = false;
        for (unsigned left = run_sectors(runs[i]); left; left &= left - 1) {
            uint64_t sector = run_line(runs[i]) << 2 | (unsigned)__builtin_ctz(left);
            bool in_l1 = kind == ACCESS_LOAD && seen_before(clock, &clock->l1, sector);
            bool in_l2 = in_l1 || seen_before(clock, &clock->l2, sector);
            from_l2 += !in_l1;
            from_dram += !in_l2;
            misses |= !in_l1;
        }
        lines += misses;
    }
    double transfer = count * clock->cycles_wavefront, latency = 0;
    const double others[] = {lines * (access->is_store ? clock->cycles_store : clock->cycles_load),
                             from_l2 * clock->cycles_l2, from_dram * clock->cycles_dram};
    for (unsigned i = 0; i < sizeof others / sizeof *others; i++)
        transfer = others[i] > transfer ? others[i] : transfer;
    if (!access->is_store && waits(step))
        latency = from_dram ? clock->latency_dram : from_l2 ? clock->latency_l2 : L1_LATENCY;
    clock_wait(step, latency, transfer);
}

static void clock_shared(const struct step *step, const struct access *access)
{
    const struct warp_access pattern = access_pattern(access);
    unsigned wavefronts = banks_shared(step->block->launch->device, &pattern).wavefronts;
    double transfer = wavefronts * clock_of(step->block)->cycles_wavefront;
    clock_wait(step, !access->is_store && waits(step) ? SHARED_LATENCY : 0, transfer);
}

static bool clock_request(const struct step *step, const struct access *access,
                          enum access_kind kind)
{
    if (access->space == PTX_GLOBAL)
        clock_global(step, access, kind);
    else if (kind != ACCESS_ATOMIC)
        clock_shared(step, access);
    return true;
}

static void clock_arrive(const struct step *step, unsigned barrier)
{
    struct block_clock *clock = clock_of(step->block);
    struct warp_clock *own = &clock->warps_of_block[step->warp->index];
    own->arrived = clock_now(step);
    if (own->arrived > clock->latest[barrier])
        clock->latest[barrier] = own->arrived;
}

static void clock_pass(struct simt_block *block, struct warp *warp, unsigned barrier)
{
    const struct block_clock *clock = clock_of(block);
    struct warp_clock *own = &clock->warps_of_block[warp->index];
    if (own->arrived > clock->latest[barrier])
        return;
    uint64_t until =
        clock->latest[barrier] + BARRIER_CYCLES + BARRIER_WARP_CYCLES * block->warp_count;
    own->waited += until - own->arrived;
    own->arrived = until; /* Other lanes that pass this barrier do not wait again. */
}

static void clock_reopen(struct simt_block *block, unsigned barrier, bool counted)
{
    (void)counted;
    clock_of(block)->latest[barrier] = 0;
}

static void clock_read(const struct step *step, uint64_t *value)
{
    *value = clock_now(step);
    if ((enum ptx_special)step->instruction->control >= PTX_SPECIAL_GLOBALTIMER)
        *value = (uint64_t)((double)*value * 1000 / step->block->launch->device->clock_mhz);
}

const struct sink clock_sink = {.create = clock_create,
                                .free = clock_free,
                                .begin = clock_begin,
                                .request = clock_request,
                                .arrive = clock_arrive,
                                .pass = clock_pass,
                                .reopen = clock_reopen,
                                .clock = clock_read,
                                .cycles = clock_cycles};
