/* l2.c: the L2 of a device.
 *
 * A store does not fetch the words that it does not write. A sector is complete once all its words
 * are valid. A load that reads a sector from DRAM also reads the other sector of the 64 bytes,
 * unless that sector is complete or dirty. If a set exceeds its limit of lines with incomplete
 * dirty sectors, the oldest of these lines is *merged*. Its missing words are read, its dirty
 * sectors are written, and the line becomes clean. An evicted dirty line is also merged.
 *
 * Measured on an H200 (testdata/difficult_h200.csv): a read of one sector in 64 bytes moves 64
 * bytes. A merge reads only the incomplete sectors, 32 bytes each. If kernels wrote one word of
 * each sector, 55 000 to 57 000 of 491 520 lines remained incomplete. */
#include "emulator/cost/l2.h"

#include "base/vectorised.h"
#include "emulator/cost/l2_line.h"
#include "emulator/cost/read_share.h"
#include "emulator/cost/rotation.h"
#include "emulator/cost/table.h"

#include <string.h>

enum {
    ACCESS_KINDS = 8,
    /* Limit of lines with incomplete dirty sectors, per thousand (56 000 of 491 520 lines). */
    INCOMPLETE_PER_MILLE = 114,
    /* Number of sets without an L2. Here, sets only distribute the work to parts. */
    VIRTUAL_SETS = 4096,
};

/* Maximum number of consecutive requests of one block. A larger number uses the host's caches
 * better. But one turn must not complete a sector that the warps of a block write word by word: on
 * hardware, all resident blocks write at the same time. So L2_BURST is less than the words of a
 * sector, and not a power of two. Without an L2, longer turns would change partition traffic. */
enum { L2_BURST = 7, UNCACHED_BURST = 1 };

struct last {
    uint64_t line, sector, transaction;
};

struct part {
    uint64_t first_set, set_count;
    uint64_t first_step;
    uint64_t wave;
    unsigned places;
    struct windows *windows;
    uint64_t *window;
    struct last last;
    uint64_t sectors[ACCESS_KINDS]; /* Sectors that reached the L2, by kind of request. */
    struct memory_counts counts;
} __attribute__((aligned(128))); /* Two parts share no cache line of the host. */

struct l2 {
    unsigned line_shift, sector_shift;
    bool runs_are_transactions; /* True for CC 1.x. */
    struct partition_geometry partitions;
    struct cache cache; /* Without an L2, only set_count is used. */
    struct byte_mask *fine;
    struct read_share *share; /* NULL if the device does not merge loads of several SMs. */
    unsigned part_count;
    struct part parts[];
};

static size_t fine_bytes(const struct l2 *l2)
{
    return l2->cache.set_count * l2->cache.ways * sizeof *l2->fine;
}

static bool cache_prepare(struct l2 *l2, const struct device *device)
{
    struct cache *cache = &l2->cache;
    if (device->l2_bytes == 0) {
        cache->set_count = VIRTUAL_SETS;
        return true;
    }
    *cache = cache_describe(device->l2_bytes, (unsigned)device->l2_ways);
    cache->entries = table_create(cache_bytes(cache));
    l2->fine = table_create(fine_bytes(l2));
    if (device->l2_read_groups > 0)
        l2->share = read_share_create(device, cache->set_count);
    return cache->entries && l2->fine && (l2->share || device->l2_read_groups == 0);
}

struct l2 *l2_create(const struct device *device, struct dram *dram)
{
    size_t bytes = sizeof(struct l2) + dram->parts * sizeof(struct part);
    struct l2 *l2 = aligned_alloc(_Alignof(struct l2), bytes);
    if (!l2)
        return NULL;
    memset(l2, 0, bytes);
    l2->line_shift = (unsigned)__builtin_ctzll(device->line_bytes);
    l2->sector_shift = (unsigned)__builtin_ctzll(device->sector_bytes);
    l2->runs_are_transactions = device->coalescing != COALESCE_SECTORS;
    l2->partitions = dram->partitions;
    l2->part_count = dram->parts;
    if (!cache_prepare(l2, device)) {
        l2_free(l2);
        return NULL;
    }
    uint64_t sets = l2->cache.set_count;
    for (unsigned p = 0; p < dram->parts; p++) {
        struct part *part = &l2->parts[p];
        part->windows = &dram->windows[p];
        part->first_set = sets * p / dram->parts;
        part->set_count = sets * (p + 1) / dram->parts - part->first_set;
    }
    return l2;
}

void l2_free(struct l2 *l2)
{
    if (!l2)
        return;
    table_free(l2->cache.entries, cache_bytes(&l2->cache));
    table_free(l2->fine, fine_bytes(l2));
    read_share_free(l2->share);
    free(l2);
}

/* Returns log2 of the number of lines in a *stretch*: consecutive lines in different sets. */
static inline unsigned stretch_shift(uint64_t set_count)
{
    return 63 - (unsigned)__builtin_clzll(set_count | 1);
}

/* Returns the set of a line. A hash determines the set of a stretch's first line. A stretch has
 * more than half as many lines as the L2 has sets. So arrays that fit in the L2 have few conflicts,
 * and every stride uses many sets. */
static inline uint64_t l2_set_of_line(uint64_t line, uint64_t set_count)
{
    unsigned shift = stretch_shift(set_count);
    uint32_t stretch = hash_mix(line >> shift);
    return (uint32_t)(stretch + (line << (32 - shift))) * set_count >> 32;
}

VECTORISED static void l2_sets_of_runs(const trace_run *runs, unsigned line_shift,
                                       uint64_t set_count, uint64_t *sets)
{
    for (unsigned i = 0; i < COALESCE_MAX_RUNS; i++)
        sets[i] = l2_set_of_line(run_address(runs[i]) >> line_shift, set_count);
}

/* Count DRAM traffic. `counter` is dram_read_bytes or dram_write_bytes of part->counts. */
static inline void dram_move(const struct l2 *l2, struct part *part, uint64_t *counter,
                             uint64_t address, uint64_t bytes)
{
    *counter += bytes;
    part->window[partition_of(&l2->partitions, address)] += bytes;
}

static void l2_clean(const struct l2 *l2, struct part *part, struct cache_entry *entry)
{
    uint64_t dirty = sectors_dirty(entry->state);
    if (dirty == 0)
        return;
    uint64_t address = (entry->key - 1) << LINE_SHIFT;
    uint64_t incomplete = sectors_incomplete(entry->state);
    if (incomplete != 0)
        dram_move(l2, part, &part->counts.dram_read_bytes, address, sectors_bytes(incomplete));
    dram_move(l2, part, &part->counts.dram_write_bytes, address, sectors_bytes(dirty));
    part->counts.dram_lone_writes +=
        (unsigned)__builtin_popcountll(dirty & ~sectors_fetched_with(dirty));
    line_clean(&entry->state);
}

static void l2_limit_incomplete(const struct l2 *l2, struct part *part, uint64_t set)
{
    unsigned ways = l2->cache.ways, count = 0;
    struct cache_entry *oldest = NULL;
    /* The sets' limits may differ by one line, because their sum is the limit of the L2. */
    uint64_t limit =
        (set + 1) * ways * INCOMPLETE_PER_MILLE / 1000 - set * ways * INCOMPLETE_PER_MILLE / 1000;
    limit = limit > 0 ? limit : 1;
    for (unsigned way = 0; way < ways; way++) {
        struct cache_entry *entry = cache_entry_of(&l2->cache, set, way);
        if (entry->key == 0)
            break;
        if (sectors_incomplete(entry->state) != 0) {
            count++;
            oldest = entry;
        }
    }
    if (count > limit)
        l2_clean(l2, part, oldest);
}

static inline struct cache_entry *l2_touch(struct l2 *l2, struct part *part, uint64_t set,
                                           uint64_t address)
{
    struct cache_entry *entry = cache_entry_of(&l2->cache, set, 0);
    uint64_t key = (address >> LINE_SHIFT) + 1;
    if (entry->key != key) {
        struct cache_entry gone = cache_touch(&l2->cache, set, key);
        l2_clean(l2, part, &gone);
    }
    return entry;
}

static inline enum access_kind request_kind(const trace_run *runs, size_t count)
{
    size_t i = 0;
    while (i + 1 < count && run_kind(runs[i]) == ACCESS_DROPPED)
        i++;
    return run_kind(runs[i]) == ACCESS_MERGED ? ACCESS_STORE : run_kind(runs[i]);
}

struct batch_head {
    uint64_t step;
    unsigned round;
    unsigned place;
    /* Kind of the request. Its runs may also be ACCESS_DROPPED, ACCESS_MERGED or ACCESS_SHARED. */
    enum access_kind kind;
    bool starts_request;
};

/* A batch has runs of one request, or columns of neighbouring warps that store to the same lines.
 * With columns, `runs` are the runs of the first column. A batch waits in a pipeline while the host
 * prefetches its sets, because the sets of a large L2 do not fit in the host's caches. */
struct batch {
    struct batch_head head;
    unsigned count;
    unsigned column_count;
    trace_run columns[L2_BURST][COLUMN_WORDS];
    /* One extra element, because batch_fill writes a run before it checks the run's part. */
    uint64_t sets[COALESCE_MAX_RUNS + 1];
    trace_run runs[COALESCE_MAX_RUNS + 1];
};

/* Prefetch the start of a set. For a run of a whole line, prefetch the whole set, because whole
 * lines usually miss the L2. */
static inline void set_prefetch(const struct cache *cache, uint64_t set, unsigned length)
{
    unsigned ways = length == LINE_BYTES ? cache->ways : 1;
    for (unsigned way = 0; way < ways; way += CACHE_GROUP)
        __builtin_prefetch(cache_entry_of(cache, set, way), 1);
}

static void batch_fill(const struct l2 *l2, const struct part *part, struct batch *batch,
                       const trace_run *runs, size_t count)
{
    const struct cache *cache = &l2->cache;
    unsigned mine = 0, line_shift = l2->line_shift;
    if (count == COALESCE_MAX_RUNS) {
        l2_sets_of_runs(runs, line_shift, cache->set_count, batch->sets);
        for (unsigned i = 0; i < COALESCE_MAX_RUNS; i++) {
            uint64_t set = batch->sets[mine] = batch->sets[i];
            batch->runs[mine] = runs[i];
            mine += set - part->first_set < part->set_count;
        }
    }
    for (size_t i = 0; count < COALESCE_MAX_RUNS && i < count; i++) {
        uint64_t set = l2_set_of_line(run_address(runs[i]) >> line_shift, cache->set_count);
        batch->sets[mine] = set;
        batch->runs[mine] = runs[i];
        mine += set - part->first_set < part->set_count;
    }
    batch->count = mine;
    for (unsigned i = 0; cache->entries && i < mine; i++)
        set_prefetch(cache, batch->sets[i], run_length(batch->runs[i]));
    for (unsigned i = 0; l2->share && batch->head.kind == ACCESS_LOAD && i < mine; i++)
        read_share_prefetch(l2->share, batch->sets[i], batch->head.place, part->places);
}

/* Count lines, transactions and sectors. The runs of a line are adjacent, so each run is only
 * compared with the previous run. On CC 1.x each run is a transaction. */
static void batch_count(const struct l2 *l2, struct part *part, const struct batch *batch)
{
    struct last last = part->last;
    uint64_t lines = 0, transactions = 0, sectors = 0;
    bool is_alone = l2->runs_are_transactions;
    unsigned line_shift = l2->line_shift, sector_shift = l2->sector_shift;
    if (batch->column_count > 0)
        lines = transactions = sectors = batch->count * batch->column_count;
    for (unsigned i = batch->column_count > 0 ? batch->count : 0; i < batch->count; i++) {
        trace_run r = batch->runs[i];
        uint64_t address = run_address(r), line = address >> line_shift;
        lines += is_alone | (line != last.line);
        last.line = line;
        if (run_kind(r) == ACCESS_DROPPED || run_kind(r) == ACCESS_MERGED)
            continue;
        uint64_t sector = address >> sector_shift;
        transactions += is_alone | (line != last.transaction);
        last.transaction = line;
        if (run_kind(r) == ACCESS_SHARED)
            continue;
        sectors -= !is_alone & (sector == last.sector);
        last.sector = (address + run_length(r) - 1) >> sector_shift;
        sectors += last.sector - sector + 1;
    }
    part->last = last;
    part->counts.lines += lines;
    part->counts.l2_transactions += transactions;
    if (batch->head.kind == ACCESS_STORE)
        part->counts.l2_store_transactions += transactions;
    part->sectors[batch->head.kind] += sectors;
}

static inline void l2_store(struct l2 *l2, struct part *part, uint64_t set,
                            struct cache_entry *entry, trace_run r)
{
    unsigned start = (unsigned)r & (LINE_BYTES - 1);
    uint64_t before = entry->state;
    line_store(&entry->state, &l2->fine[set * l2->cache.ways], start, start + run_length(r));
    /* Only a store to a clean sector can make a line incomplete. */
    if (sectors_dirty(before) != sectors_dirty(entry->state) && sectors_incomplete(before) == 0 &&
        sectors_incomplete(entry->state) != 0)
        l2_limit_incomplete(l2, part, set);
}

static void batch_store(struct l2 *l2, struct part *part, const struct batch *batch)
{
    for (unsigned i = 0; i < batch->count; i++) {
        trace_run r = batch->runs[i];
        struct cache_entry *entry = l2_touch(l2, part, batch->sets[i], run_address(r));
        l2_store(l2, part, batch->sets[i], entry, r);
    }
}

VECTORISED static unsigned batch_equal_sets(const struct batch *batch)
{
    uint64_t equal = 0;
    for (unsigned i = 0; i < batch->count; i++)
        for (unsigned j = 0; j < COALESCE_MAX_RUNS; j++)
            equal += (j < i) & (batch->sets[i] == batch->sets[j]);
    return (unsigned)equal;
}

/* Store all columns. If the lines are in different sets, complete one line after the other. */
static void batch_store_columns(struct l2 *l2, struct part *part, struct batch *batch)
{
    const uint64_t line = ~(uint64_t)(LINE_BYTES - 1);
    const unsigned shift = LINE_SHIFT + stretch_shift(l2->cache.set_count);
    const uint64_t first = run_address(batch->runs[0]),
                   last = run_address(batch->runs[batch->count - 1]);
    uint64_t all = 0;
    if (first >> shift != last >> shift && batch_equal_sets(batch) > 0) {
        for (unsigned c = 0; c < batch->column_count; c++) {
            for (unsigned i = 0; i < batch->count; i++)
                batch->runs[i] = (batch->runs[i] & line) | (batch->columns[c][0] & ~line);
            batch_store(l2, part, batch);
        }
        return;
    }
    for (unsigned c = 0; c < batch->column_count; c++) {
        unsigned start = (unsigned)batch->columns[c][0] & (LINE_BYTES - 1);
        line_store(&all, NULL, start, start + run_length(batch->columns[0][0]));
    }
    for (unsigned i = 0; i < batch->count; i++) {
        uint64_t set = batch->sets[i];
        struct cache_entry *entry = l2_touch(l2, part, set, run_address(batch->runs[i]));
        unsigned c = 0;
        while (c < batch->column_count && (sectors_dirty(all) & ~sectors_dirty(entry->state)) != 0)
            l2_store(l2, part, set, entry, batch->columns[c++][0]);
        entry->state |= c < batch->column_count ? all : 0;
    }
}

static void batch_load(struct l2 *l2, struct part *part, struct batch *batch)
{
    bool is_shared = l2->share && batch->head.kind == ACCESS_LOAD;
    for (unsigned i = 0; i < batch->count; i++) {
        trace_run r = batch->runs[i];
        uint64_t set = batch->sets[i];
        if (run_kind(r) == ACCESS_DROPPED)
            continue;
        const struct shared_load load = {.line = run_line(r),
                                         .sectors = run_sectors(r),
                                         .place = batch->head.place,
                                         .places = part->places,
                                         .round = batch->head.round >> 1,
                                         .is_crowded = batch->head.round & 1,
                                         .wave = part->wave};
        if (is_shared && read_share_join(l2->share, set, &load)) {
            batch->runs[i] = run_with_kind(r, ACCESS_SHARED);
            continue;
        }
        struct cache_entry *entry = l2_touch(l2, part, set, run_address(r));
        unsigned start = (unsigned)r & (LINE_BYTES - 1);
        uint64_t sectors = sectors_touched(start, start + run_length(r));
        uint64_t missing = sectors & ~sectors_complete(entry->state);
        if (missing != 0) {
            missing |= sectors_fetched_with(missing) & ~sectors_complete(entry->state) &
                       ~sectors_dirty(entry->state);
            dram_move(l2, part, &part->counts.dram_read_bytes, run_address(r),
                      sectors_bytes(missing));
            if (is_shared)
                read_share_missed(l2->share, set, &load);
        }
        entry->state |= (sectors | missing) * 255;
        if (batch->head.kind == ACCESS_ATOMIC)
            entry->state |= sectors << DIRTY_SHIFT;
    }
}

/* Without an L2, each run is a DRAM transaction of whole sectors. If two consecutive runs of a
 * request share a sector, DRAM moves the sector once, except on CC 1.x. */
static void batch_uncached(struct l2 *l2, struct part *part, const struct batch *batch)
{
    uint64_t last = ~0ull;
    unsigned shift = l2->sector_shift;
    for (unsigned i = 0; i < batch->count; i++) {
        trace_run r = batch->runs[i];
        uint64_t first = run_address(r) >> shift, shared = first == last;
        last = (run_address(r) + run_length(r) - 1) >> shift;
        uint64_t bytes = (last - first + 1 - (l2->runs_are_transactions ? 0 : shared)) << shift;
        if (batch->head.kind != ACCESS_STORE)
            dram_move(l2, part, &part->counts.dram_read_bytes, run_address(r), bytes);
        if (batch->head.kind == ACCESS_STORE || batch->head.kind == ACCESS_ATOMIC)
            dram_move(l2, part, &part->counts.dram_write_bytes, run_address(r), bytes);
    }
}

static void batch_process(struct l2 *l2, struct part *part, struct batch *batch)
{
    if (batch->head.starts_request) /* No line has this number, because addresses have 44 bits. */
        part->last = (struct last){~0ull, ~0ull, ~0ull};
    if (batch->count == 0)
        return;
    part->window = windows_row(part->windows, batch->head.step);
    if (!l2->cache.entries)
        batch_uncached(l2, part, batch);
    else if (batch->column_count > 1)
        batch_store_columns(l2, part, batch);
    else if (batch->head.kind == ACCESS_STORE)
        batch_store(l2, part, batch);
    else
        batch_load(l2, part, batch);
    batch_count(l2, part, batch); /* This call follows batch_load, which sets ACCESS_SHARED. */
}

/* Number of batches in flight. Coalesced requests are batches of one run, so several batches are
 * necessary to hide the latency of the host's memory. */
enum { PIPELINE_DEPTH = 8 };

struct pipeline {
    struct batch batches[PIPELINE_DEPTH];
    uint64_t count;
};

static inline struct batch *pipeline_place(struct pipeline *pipeline)
{
    return &pipeline->batches[pipeline->count % PIPELINE_DEPTH];
}

static inline struct batch *pipeline_last(struct pipeline *pipeline)
{
    return &pipeline->batches[(pipeline->count - 1) % PIPELINE_DEPTH];
}

/* Add a batch. The caller has filled in its head. A full pipeline processes its oldest batch. */
static void pipeline_push(struct l2 *l2, struct part *part, struct pipeline *pipeline,
                          const trace_run *runs, size_t count)
{
    struct batch *batch = pipeline_place(pipeline);
    pipeline->count++;
    batch_fill(l2, part, batch, runs, count);
    if (pipeline->count >= PIPELINE_DEPTH)
        batch_process(l2, part, pipeline_place(pipeline));
}

static void pipeline_drain(struct l2 *l2, struct part *part, struct pipeline *pipeline)
{
    for (unsigned i = 0; i < PIPELINE_DEPTH - 1; i++) {
        pipeline_place(pipeline)->head = (struct batch_head){.starts_request = true};
        pipeline_push(l2, part, pipeline, NULL, 0);
    }
}

/* Every part reads a request that the L1 served, but only the first part counts it. */
static void count_dropped(const struct l2 *l2, struct part *part, uint64_t step,
                          const trace_run *runs, size_t count)
{
    if (part != l2->parts)
        return;
    windows_row(part->windows, step);
    part->counts.l1_hits++;
    part->counts.lines++;
    for (size_t i = 1; i < count; i++)
        part->counts.lines += run_line(runs[i]) != run_line(runs[i - 1]);
}

static bool batch_joins(struct batch *batch, uint64_t step, const trace_run *column)
{
    if (batch->column_count == 0 || batch->column_count == L2_BURST || batch->head.step != step ||
        batch->columns[0][1] != column[1] || column[1] % LINE_BYTES != 0 ||
        (batch->columns[0][0] ^ column[0]) >> LINE_SHIFT != 0 ||
        ((run_address(column[0]) | run_length(column[0])) & 3) != 0)
        return false;
    memcpy(batch->columns[batch->column_count++], column, sizeof *batch->columns);
    return true;
}

static void pipeline_request(struct l2 *l2, struct part *part, struct pipeline *pipeline,
                             uint64_t step, unsigned place, const trace_run *runs, size_t count)
{
    enum access_kind kind = request_kind(runs, count);
    const trace_run *column = kind == ACCESS_COLUMN ? runs : NULL;
    trace_run column_runs[LANES];
    if (column) {
        if (l2->cache.entries && pipeline->count > 0 &&
            batch_joins(pipeline_last(pipeline), step, column))
            return;
        column_to_runs(column, column_runs);
        runs = column_runs;
        count = LANES;
        kind = ACCESS_STORE;
    }
    if (kind == ACCESS_DROPPED) {
        count_dropped(l2, part, step, runs, count);
        return;
    }
    for (size_t at = 0; at < count; at += COALESCE_MAX_RUNS) {
        size_t some = count - at < COALESCE_MAX_RUNS ? count - at : COALESCE_MAX_RUNS;
        /* Assign fields one by one, because the host reads slowly after a write of a different
         * width. */
        struct batch_head *head = &pipeline_place(pipeline)->head;
        head->step = step;
        head->round = run_round(runs[0]);
        head->place = place;
        head->kind = kind;
        head->starts_request = at == 0;
        pipeline_place(pipeline)->column_count = column ? 1 : 0;
        if (column)
            memcpy(pipeline_place(pipeline)->columns[0], column, sizeof(trace_run) * COLUMN_WORDS);
        pipeline_push(l2, part, pipeline, runs + at, some);
    }
}

bool l2_pass(struct l2 *l2, unsigned part_number, const struct trace *traces, size_t count)
{
    struct part *part = &l2->parts[part_number];
    struct rotation rotation;
    if (!rotation_create(&rotation, traces, count, EVERY_SM,
                         l2->cache.entries ? L2_BURST : UNCACHED_BURST))
        return false;
    part->places = (unsigned)count;
    struct pipeline pipeline = {.count = 0};
    struct turn turn;
    while (rotation_next(&rotation, traces, &turn)) {
        const struct trace *trace = &traces[turn.trace];
        pipeline_request(l2, part, &pipeline, part->first_step + rotation.step,
                         (unsigned)turn.trace, trace->runs + turn.begin, turn.end - turn.begin);
    }
    pipeline_drain(l2, part, &pipeline);
    part->first_step += rotation.step;
    part->wave++;
    free(rotation.turns);
    return true;
}

uint64_t l2_flush(struct l2 *l2)
{
    const struct cache *cache = &l2->cache;
    uint64_t bytes = 0;
    for (uint64_t set = 0; cache->entries && set < cache->set_count; set++)
        for (unsigned way = 0; way < cache->ways; way += CACHE_GROUP) {
            struct cache_entry *group = cache_entry_of(cache, set, way);
            if (group->key == 0)
                break; /* Do not touch unused pages. */
            for (unsigned i = 0; i < CACHE_GROUP; i++) {
                bytes += sectors_bytes(sectors_dirty(group[i].state));
                line_clean(&group[i].state);
            }
        }
    return bytes;
}

void l2_count(const struct l2 *l2, struct memory_counts *counts)
{
    counts->has_l2 = l2->cache.entries != NULL;
    for (unsigned p = 0; p < l2->part_count; p++) {
        const struct part *part = &l2->parts[p];
        counts->dram_read_bytes += part->counts.dram_read_bytes;
        counts->dram_write_bytes += part->counts.dram_write_bytes;
        counts->dram_lone_writes += part->counts.dram_lone_writes;
        counts->lines += part->counts.lines;
        counts->l1_hits += part->counts.l1_hits;
        counts->l2_transactions += part->counts.l2_transactions;
        counts->l2_store_transactions += part->counts.l2_store_transactions;
        if (!counts->has_l2)
            continue;
        counts->l2_read_bytes +=
            (part->sectors[ACCESS_LOAD] + part->sectors[ACCESS_LOAD_L2]) * SECTOR_BYTES;
        counts->l2_write_bytes += part->sectors[ACCESS_STORE] * SECTOR_BYTES;
    }
}
