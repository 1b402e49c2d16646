/* count.c: the sink that counts the cost of a warp's accesses, and records them in the trace. */
#include "emulator/sinks/sinks.h"
#include "emulator/warp/simt_access.h"

#include "emulator/cost/store_merge.h"
#include "emulator/sinks/atomics.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool is_observed(const struct simt_block *block)
{
    const struct observer *observer = block->launch->observer;
    return observer && (observer->every_block || (observer->block[0] == block->index.x &&
                                                  observer->block[1] == block->index.y &&
                                                  observer->block[2] == block->index.z));
}

static bool is_watched(const struct simt_block *block)
{
    return block->number == 0 || is_observed(block);
}

static bool skips_addresses(const struct simt_block *block)
{
    return !is_watched(block) && coalesce_has_halves(block->launch->device);
}

static bool trace_reserve(const struct step *step, size_t more)
{
    struct simt_block *block = step->block;
    struct trace *trace = &block->trace;
    if (trace->capacity - trace->count >= more)
        return true;
    if (trace->count > MAX_TRACE_RUNS)
        return simt_fault(step, (unsigned)__builtin_ctz(step->fragment->mask), STATUS_TIMEOUT,
                          "is still running after %" PRIu64 " warp instructions of its block, with "
                          "more memory accesses than the emulator can record. Is this an endless "
                          "loop?",
                          block->executed);
    size_t capacity = trace->capacity ? 2 * trace->capacity : block->usual_runs + more;
    trace_run *runs = realloc(trace->runs, capacity * sizeof *runs);
    if (!runs)
        return simt_no_memory(block);
    trace->runs = runs;
    trace->capacity = capacity;
    return true;
}

static void observe_places(const struct fragment *fragment, uint32_t number,
                           struct observed_access *seen)
{
    const struct frame *frame = fragment->frame;
    seen->place = (struct observed_place){frame->function_index, number};
    for (; frame->parent && seen->caller_count < OBSERVED_CALLERS; frame = frame->parent) {
        const struct frame *caller = frame->parent;
        uint32_t call = caller->function->code[frame->return_pc - 1].number;
        seen->callers[seen->caller_count++] = (struct observed_place){caller->function_index, call};
    }
}

static unsigned char observe_byte(const struct simt_block *block, const struct access *access,
                                  unsigned lane, unsigned i)
{
    uint64_t at = access->address[lane] + i;
    if (access->space == PTX_SHARED)
        return at < block->shared_bytes ? block->shared[at] : 0;
    return __atomic_load_n(access_host(access, lane) + i, __ATOMIC_RELAXED);
}

static void observe(const struct step *step, const struct access *access)
{
    struct simt_block *block = step->block;
    const struct observer *observer = block->launch->observer;
    struct observed_access seen = {.block = block->number,
                                   .warp = block->current_warp,
                                   .is_shared = access->space == PTX_SHARED,
                                   .is_store = access->is_store,
                                   .bytes = access->bytes,
                                   .mask = access->mask};
    unsigned bytes = access->bytes < sizeof *seen.words ? access->bytes : sizeof *seen.words;
    observe_places(step->fragment, step->instruction->number, &seen);
    FOR_LANES (lane, access->mask) {
        seen.address[lane] = access->address[lane];
        for (unsigned i = 0; i < bytes; i++)
            ((unsigned char *)seen.words[lane])[i] = observe_byte(block, access, lane, i);
    }
    observer->access(observer->context, &seen);
}

static __attribute__((noinline)) void
watch_access(const struct step *step, const struct access *access, struct instruction_stats *stats)
{
    struct simt_block *block = step->block;
    uint32_t neighbours = access->mask & access->mask >> 1;
    if (block->number == 0 && !stats->distance && neighbours) {
        unsigned lane = (unsigned)__builtin_ctz(neighbours);
        stats->distance = (int64_t)(access->address[lane + 1] - access->address[lane]);
    }
    if (is_observed(block))
        observe(step, access);
}

static inline __attribute__((always_inline)) struct instruction_stats *
count_access(const struct step *step, const struct access *access)
{
    struct simt_block *block = step->block;
    struct instruction_stats *stats = &block->stats[step_number(step)];
    stats->requests++;
    stats->bytes += access_all_bytes(access);
    if (block->observation == OBSERVED_ALL && is_watched(block))
        watch_access(step, access, stats);
    return stats;
}

static unsigned lines_of(const trace_run *runs, unsigned count)
{
    unsigned lines = 1;
    for (unsigned i = 1; i < count; i++)
        lines += run_line(runs[i]) != run_line(runs[i - 1]);
    return lines;
}

/* Count a store that does not fill its sectors, unless it joins the last store (store_merge.h). */
static void count_incomplete(const struct step *step, const struct access *access, unsigned sectors,
                             trace_run *runs, unsigned count)
{
    struct simt_block *block = step->block;
    struct last_store *last = &step->warp->last_store;
    const unsigned lines = lines_of(runs, count);
    const struct last_store now = {.first = run_address(runs[0]) >> SECTOR_SHIFT,
                                   .end = run_address(runs[count - 1]) >> SECTOR_SHIFT,
                                   .sectors = sectors,
                                   .number = step->instruction->number,
                                   .lanes = access->mask};
    const bool joins =
        store_joins(last, &now, lines, block->warp_count, block->counters.barriers > 0);
    for (unsigned i = 0; joins && i < count; i++)
        runs[i] = run_with_kind(runs[i], ACCESS_MERGED);
    block->counters.incomplete_sectors += joins ? 0 : sectors;
    *last = now;
    if (!block->trace.may_merge && access->bytes >= 4)
        block->trace.may_merge = lines <= STORE_MERGE_LINES;
}

static bool adds_floats(const struct instruction *instruction)
{
    return instruction->flags & SIMT_FLOAT || instruction->control >= ATOMIC_ADD_F16;
}

static void count_atomic(const struct step *step, const struct warp_access *pattern,
                         trace_run *runs, unsigned count, unsigned sectors, bool is_new)
{
    struct simt_block *block = step->block;
    block->counters.global_atomic_requests += is_new;
    block->counters.global_atomic_sectors += sectors;
    if (!block->run->traits)
        return;
    const uint8_t combining = block->run->traits[step_number(step)].combines;
    struct atomic_form form = {.is_float = adds_floats(step->instruction),
                               .is_combined = combining == COMBINES_ALWAYS ||
                                              (combining && pattern->mask == ~0u)};
    atomics_mark(block->launch->device, pattern, form, runs, count);
    block->trace.has_atomics = true;
}

/* Count the sectors of an access, which belongs to the previous request if `is_new` is false. */
static bool count_sectors(const struct step *step, const struct access *access,
                          enum access_kind kind, bool is_new)
{
    struct simt_block *block = step->block;
    struct warp *warp = step->warp;
    struct warp_access pattern = access_pattern(access);
    if (!trace_reserve(step, COALESCE_MAX_RUNS))
        return false;
    trace_run *trace = block->trace.runs + block->trace.count;
    unsigned sectors = LANES, runs = LANES, words = COLUMN_WORDS;
    if (kind != ACCESS_STORE || !coalesce_column(block->launch->device, &pattern, trace))
        words = runs = coalesce_global(block->launch->device, &pattern, kind, trace, &sectors);
    if (block->run->traits && !access->is_store && is_new) {
        const struct code_traits *traits = &block->run->traits[step_number(step)];
        warp->rounds += traits->begins_round;
        *trace = run_with_round(*trace, warp->rounds << 1 | traits->is_crowded);
    }
    if (block->launch->model_memory)
        block->trace.count += words;
    struct counters *counters = &block->counters;
    if (kind == ACCESS_ATOMIC) {
        count_atomic(step, &pattern, trace, runs, sectors, is_new);
    } else if (access->is_store) {
        counters->global_store_requests += is_new;
        counters->global_store_sectors += sectors;
        if (block->launch->model_memory && words == runs &&
            access_all_bytes(access) < sectors * SECTOR_BYTES)
            count_incomplete(step, access, sectors, trace, runs);
    } else {
        warp->last_store.sectors = 0;
        counters->global_load_requests += is_new;
        counters->global_load_sectors += sectors;
    }
    struct instruction_stats *stats = &block->stats[step_number(step)];
    stats->sectors += sectors;
    stats->transactions += runs;
    return true;
}

static void count_shared(const struct step *step, const struct access *access)
{
    struct simt_block *block = step->block;
    struct bank_count count, *known = invariant_banks(step, access->mask);
    if (known && known->wavefronts) {
        count = *known;
    } else {
        struct warp_access pattern = access_pattern(access);
        count = banks_shared(block->launch->device, &pattern);
        if (known)
            *known = count;
    }
    struct counters *counters = &block->counters;
    if (access->is_store) {
        counters->shared_store_requests++;
        counters->shared_store_wavefronts += count.wavefronts;
        counters->shared_store_ideal_wavefronts += count.ideal;
    } else {
        counters->shared_load_requests++;
        counters->shared_load_wavefronts += count.wavefronts;
        counters->shared_load_ideal_wavefronts += count.ideal;
    }
    struct instruction_stats *stats = count_access(step, access);
    stats->wavefronts += count.wavefronts;
    stats->ideal += count.ideal;
}

/* Clocks of an SM per wavefront of an atomic operation on shared memory (measured on an H200,
 * testdata/atomics_h200.csv). A float is added by a loop with compare-and-swap. The loop takes
 * FLOAT_CLOCKS for the first wavefront, and FLOAT_AGAIN_CLOCKS for each further wavefront. */
enum { INTEGER_CLOCKS = 4, FLOAT_CLOCKS = 7, FLOAT_AGAIN_CLOCKS = 46, ATOMIC_SAMPLES = 256 };

static unsigned lanes_of_busiest_bank(const struct device *device, const struct warp_access *access)
{
    uint8_t lanes[64] = {0}, most = 1;
    const unsigned shift = (unsigned)__builtin_ctzll(device->shared_bank_bytes),
                   banks = (unsigned)device->shared_banks;
    FOR_LANES (lane, access->mask) {
        uint8_t *count = &lanes[(access->address[lane] >> shift) % banks];
        if (++*count > most)
            most = *count;
    }
    return most;
}

/* Returns the number of wavefronts. Integer additions of a constant to one address are merged. In
 * other operations, each lane of the busiest bank takes one wavefront. */
static __attribute__((noinline)) unsigned atomic_wavefronts(const struct step *step,
                                                            const struct access *access)
{
    const struct instruction *instruction = step->instruction;
    struct warp_access pattern = access_pattern(access);
    const bool merges = !adds_floats(instruction) && instruction->control == ATOMIC_ADD &&
                        instruction->source[1].bank == BANK_POOL;
    return merges ? banks_shared(step->block->launch->device, &pattern).wavefronts
                  : lanes_of_busiest_bank(step->block->launch->device, &pattern);
}

/* Counting takes longer than execution. So only the first of ATOMIC_SAMPLES consecutive requests of
 * one instruction by the same lanes is examined. */
static void count_shared_atomic(const struct step *step, const struct access *access)
{
    struct simt_block *block = step->block;
    if (!block->atomic_sample.left || block->atomic_sample.instruction != step->instruction ||
        block->atomic_sample.mask != access->mask) {
        const unsigned wavefronts = atomic_wavefronts(step, access);
        block->atomic_sample.instruction = step->instruction;
        block->atomic_sample.mask = access->mask;
        block->atomic_sample.left = ATOMIC_SAMPLES;
        block->atomic_sample.wavefronts = wavefronts;
        block->atomic_sample.clocks = adds_floats(step->instruction)
                                          ? FLOAT_CLOCKS + FLOAT_AGAIN_CLOCKS * (wavefronts - 1)
                                          : INTEGER_CLOCKS * wavefronts;
    }
    block->atomic_sample.left--;
    block->counters.shared_atomic_requests++;
    block->counters.shared_atomic_wavefronts += block->atomic_sample.wavefronts;
    block->counters.shared_atomic_clocks += block->atomic_sample.clocks;
    struct instruction_stats *stats = &block->stats[step_number(step)];
    stats->requests++;
    stats->bytes += access_all_bytes(access);
    stats->wavefronts += block->atomic_sample.wavefronts;
    stats->ideal++;
}

static bool count_request(const struct step *step, const struct access *access,
                          enum access_kind kind)
{
    if (access->space == PTX_GLOBAL) {
        count_access(step, access);
        return count_sectors(step, access, kind, true);
    }
    if (kind == ACCESS_ATOMIC)
        count_shared_atomic(step, access);
    else
        count_shared(step, access);
    return true;
}

static int compare_addresses(const void *a, const void *b)
{
    uint64_t first, second;
    memcpy(&first, a, sizeof first);
    memcpy(&second, b, sizeof second);
    return (first > second) - (first < second);
}

static bool count_texels(const struct step *step, enum access_kind kind, uint64_t *address,
                         size_t count, unsigned bytes)
{
    struct instruction_stats *stats = &step->block->stats[step_number(step)];
    uint64_t sector = step->block->launch->device->sector_bytes;
    size_t distinct = 0;
    bool ascends = true;
    for (size_t i = 0; i < count; i++) {
        address[i] -= address[i] % sector;
        ascends &= i == 0 || address[i - 1] <= address[i];
    }
    if (!ascends)
        qsort(address, count, sizeof *address, compare_addresses);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || address[i] != address[i - 1])
            address[distinct++] = address[i];
    stats->requests++;
    stats->bytes += bytes;
    for (size_t first = 0; first < distinct; first += LANES) {
        uint64_t lanes[LANES] = {0};
        size_t some = distinct - first < LANES ? distinct - first : LANES;
        memcpy(lanes, address + first, some * sizeof *lanes);
        struct access access = access_given(PTX_GLOBAL, UINT32_MAX >> (LANES - some), 4, lanes);
        access.is_store = kind == ACCESS_STORE;
        if (!count_sectors(step, &access, kind, first == 0))
            return false;
    }
    return true;
}

const struct sink count_sink = {
    .skips_addresses = skips_addresses, .request = count_request, .texels = count_texels};
