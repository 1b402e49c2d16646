/* hierarchy.c: the L1s of all SMs, the L2 (l2.c) and DRAM (dram.c). The state of a line of an L1 is
 * the set of its valid sectors. */
#include "emulator/cost/hierarchy.h"

#include "base/array.h"
#include "emulator/cost/cache.h"
#include "emulator/cost/l2.h"
#include "emulator/cost/rotation.h"
#include "emulator/cost/store_merge.h"
#include "emulator/cost/table.h"

#include <string.h>

struct hierarchy {
    const struct device *device;
    struct cache l1s; /* Has no entries if shared memory uses the whole L1. */
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

/* A load that misses in two parts of its line becomes two runs. `second` is the run to insert after
 * run `index` of trace number `trace`. */
struct split {
    size_t trace, index;
    trace_run second;
};

struct splits {
    struct split *items;
    size_t count;
};

static bool splits_add(struct splits *splits, struct split split)
{
    if (!array_make_room(&splits->items, splits->count, sizeof *splits->items))
        return false;
    splits->items[splits->count++] = split;
    return true;
}

static int split_compare(const void *left, const void *right)
{
    const struct split *a = left, *b = right;
    if (a->trace != b->trace)
        return a->trace < b->trace ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

static bool trace_insert(struct trace *trace, const struct split *splits, size_t count)
{
    size_t needed = trace->count + count;
    if (needed > trace->capacity) {
        trace_run *grown = realloc(trace->runs, needed * sizeof *grown);
        if (!grown)
            return false;
        trace->runs = grown;
        trace->capacity = needed;
    }
    size_t from = trace->count, to = needed;
    while (count > 0) {
        size_t after = splits[--count].index + 1;
        memmove(trace->runs + to - (from - after), trace->runs + after,
                (from - after) * sizeof *trace->runs);
        to -= from - after;
        from = after;
        trace->runs[--to] = splits[count].second;
    }
    trace->count = needed;
    return true;
}

static bool splits_apply(struct splits *splits, struct trace *traces)
{
    if (splits->count > 1)
        qsort(splits->items, splits->count, sizeof *splits->items, split_compare);
    for (size_t i = 0, next; i < splits->count; i = next) {
        for (next = i + 1; next < splits->count; next++)
            if (splits->items[next].trace != splits->items[i].trace)
                break;
        if (!trace_insert(&traces[splits->items[i].trace], splits->items + i, next - i))
            return false;
    }
    return true;
}

static trace_run run_of_sectors(trace_run r, unsigned *missing, bool first)
{
    unsigned begin = (unsigned)__builtin_ctz(*missing);
    unsigned length = (unsigned)__builtin_ctz(~(*missing >> begin));
    uint64_t line = run_line(r) << LINE_SHIFT;
    *missing &= ~(((1u << length) - 1) << begin);
    trace_run part =
        run_make(line + (begin << SECTOR_SHIFT), length << SECTOR_SHIFT, run_kind(r), first);
    return run_with_round(part, run_round(r));
}

struct l1 {
    const struct cache *all;
    uint64_t first_set, sets;
};

static inline uint64_t l1_set(const struct l1 *l1, trace_run r)
{
    return l1->first_set + (hash_mix(run_line(r)) * l1->sets >> 32);
}

static inline unsigned l1_load(const struct l1 *l1, trace_run r)
{
    uint64_t line = run_line(r), set = l1_set(l1, r);
    struct cache_entry *entry = cache_entry_of(l1->all, set, 0);
    if (entry->key != line + 1)
        cache_touch(l1->all, set, line + 1);
    unsigned sectors = run_sectors(r);
    unsigned missing = sectors & ~(unsigned)entry->state;
    entry->state |= sectors;
    return missing;
}

static bool l1_request(const struct l1 *l1, struct trace *traces, const struct turn *turn,
                       struct splits *splits)
{
    trace_run *runs = traces[turn->trace].runs;
    if (turn->end < traces[turn->trace].count)
        __builtin_prefetch(cache_entry_of(l1->all, l1_set(l1, runs[turn->end]), 0), 1);
    if (run_kind(runs[turn->begin]) != ACCESS_LOAD)
        return true;
    for (size_t i = turn->begin; i < turn->end; i++) {
        trace_run r = runs[i];
        unsigned missing = l1_load(l1, r);
        if (missing == 0) {
            runs[i] = run_with_kind(r, ACCESS_DROPPED);
            continue;
        }
        if (missing == run_sectors(r))
            continue;
        runs[i] = run_of_sectors(r, &missing, run_first(r));
        if (missing != 0 &&
            !splits_add(splits, (struct split){turn->trace, i, run_of_sectors(r, &missing, false)}))
            return false;
    }
    return true;
}

/* Pass the loads of an SM through its L1. Stores write through and do not change the L1. */
static bool l1_pass(const struct l1 *l1, unsigned sm, struct trace *traces, size_t count)
{
    struct rotation rotation;
    if (!rotation_create(&rotation, traces, count, sm, 1))
        return false;
    struct splits splits = {0};
    struct turn turn;
    bool done = true;
    while (done && rotation_next(&rotation, traces, &turn))
        done = l1_request(l1, traces, &turn, &splits);
    done = done && splits_apply(&splits, traces);
    free(splits.items);
    free(rotation.turns);
    return done;
}

bool hierarchy_l1(struct hierarchy *hierarchy, unsigned sm, struct trace *traces, size_t count)
{
    if (hierarchy->device->l2_bytes > 0 && !store_merge(traces, count, sm))
        return false;
    const struct l1 l1 = {&hierarchy->l1s, sm * hierarchy->l1_sets, hierarchy->l1_sets};
    return !l1.all->entries || l1_pass(&l1, sm, traces, count);
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
