/* hierarchy.c: L1 caches, L2 and DRAM partitions.
 *
 * Order. Resident blocks run concurrently, so their traces are taken round robin: one *step* is one
 * request of every block of the wave that has one left. Serial order would hide partition camping
 * and flatter the caches. `struct rotation` walks the traces in this order, for both levels.
 *
 * Caches. A set is a row of entries (line number and state), the most recently used first: using a
 * line moves its entry to the front, and the last one is evicted. A hit on the most recent line,
 * the common case, reads one cache line of the host. The set comes from a hash of the line number:
 * real caches hash too, and a pitch of a power of two would otherwise use only a few sets. All-zero
 * memory is an empty cache, so that calloc's untouched pages cost nothing.
 *
 *   L1   read-only: loads allocate, stores write through and change nothing here (those that meet
 * on their way merge: store_merge.h). State: which sectors are there. L2   write-back. State: which
 * 4-byte words are there, and which sectors are dirty. A store does not fetch what it leaves
 * unwritten; a sector is complete once all its words are there. A load of an incomplete sector
 * fetches it, and its neighbour with it: DRAM is read 64 bytes at a time. A set keeps few lines
 * with incomplete dirty sectors: when there is one more, the oldest of them is *merged*: what it
 * lacks is read, its dirty sectors are written, and it stays, clean. So is a dirty line that
 * leaves. Stores of half words or bytes are gathered in a mask of the line's bytes beside the set,
 * which nothing else touches. (Measured on an H200, testdata/difficult_h200.csv: reads of one
 * sector in 64 bytes or more move 64 bytes each, merges 32; whatever the number of sectors in them,
 * 55 000 to 57 000 lines of its 491 520 were left incomplete by kernels that write one word of each
 * sector.)
 *
 * Parts. The sets of the L2 are dealt to the parts in ranges. Each part walks all traces and takes
 * the runs of its own sets, so every set sees the same accesses in the same order, whatever the
 * number of parts, and every sum over parts is the same.
 *
 * Partitions. DRAM traffic is counted per partition in windows of time. The clock is the step
 * number, which all parts agree on. A part keeps a table of windows of one step each; when the
 * table is full, neighbours are added up and windows become twice as long. In the end windows are
 * gathered until they hold the bytes that the memory has in flight (bandwidth x latency, and enough
 * for statistics): that is the time over which a queue in front of a partition can even out.
 */
#include "emulator/memory/hierarchy.h"

#include "base/large_table.h"
#include "emulator/memory/read_share.h"
#include "emulator/memory/store_merge.h"

#include <stdlib.h>
#include <string.h>

enum {
    MAX_WAYS = 16,
    /* Devices with caches have 128-byte lines of four 32-byte sectors (device.c sees to it). */
    LINE_SHIFT = 7,
    LINE_BYTES = 1 << LINE_SHIFT,
    SECTOR_SHIFT = 5,
    SECTOR_BYTES = 1 << SECTOR_SHIFT,
    ACCESS_KINDS = 8, /* that a run's three bits can hold */
    LINE_SECTORS = LINE_BYTES / SECTOR_BYTES,
    /* Of a thousand lines of the L2, those that may have incomplete dirty sectors: 56 000 of the
     * H200's 491 520, see above. */
    INCOMPLETE_PER_MILLE = 114,
    /* Sets that lines are dealt to when there is no L2, to share the work between parts. */
    VIRTUAL_SETS = 4096,
    /* Bytes of a part's table of windows. */
    WINDOW_TABLE_BYTES = 2 << 20,
    /* Lines per partition that a window must hold at least for its busiest partition to mean
     * something. */
    WINDOW_LINES = 32,
};

/* ---- sets ---- */

/* A line in a cache. Free entries are all zero and stand last in their set. */
struct entry {
    uint64_t key; /* line number + 1 */
    uint64_t state;
};

/* In every state: the entry's slot, a number below `ways` that stays with it while it moves about
 * in its set (the L2 keeps masks by slot). */
enum { SLOT_SHIFT = 60 };
#define SLOT_MASK ((uint64_t)(MAX_WAYS - 1) << SLOT_SHIFT)

struct cache {
    struct entry *entries; /* set s: from s * ways */
    uint64_t set_count;
    unsigned ways;
};

/* Mixes all bits of a number into all bits (a multiplicative hash with two rounds). */
static inline uint32_t mix(uint64_t number)
{
    number *= 0x9e3779b97f4a7c15ull;
    number ^= number >> 32;
    number *= 0xd6e8feb86659fd93ull;
    return (uint32_t)(number >> 32);
}

static inline uint64_t set_of_line(uint64_t line, uint64_t set_count)
{
    return mix(line) * set_count >> 32;
}

/* Sets of the L2: lines of a piece of memory as large as a way (or half) are dealt evenly, pieces
 * fall upon each other by chance. So an array that fits the L2 keeps to its sets, and no stride
 * falls on few of them. */
static inline uint64_t l2_set_of_line(uint64_t line, uint64_t set_count)
{
    unsigned piece_shift = 63 - (unsigned)__builtin_clzll(set_count | 1);
    uint32_t piece = mix(line >> piece_shift);
    return (uint32_t)(piece + (line << (32 - piece_shift))) * set_count >> 32;
}

static bool cache_create(struct cache *cache, uint64_t bytes, unsigned ways)
{
    uint64_t set_count = bytes / LINE_BYTES / ways;
    *cache = (struct cache){.ways = ways, .set_count = set_count > 0 ? set_count : 1};
    cache->entries = large_table_create(cache->set_count * ways, sizeof *cache->entries);
    return cache->entries != NULL;
}

/* Move a line's entry from wherever it is to the front of its set; a line that is not there gets an
 * entry with no state but its slot. Returns the entry that had to go, all zero if none. */
static __attribute__((noinline)) struct entry set_bring(struct entry *set, unsigned ways,
                                                        uint64_t key)
{
    struct entry gone = {0, 0}, entry;
    unsigned at = 0;
    while (at < ways && set[at].key != 0 && set[at].key != key)
        at++;
    if (at == ways) {
        gone = set[--at];
        entry = (struct entry){key, gone.state & SLOT_MASK};
    } else if (set[at].key != 0) {
        entry = set[at];
    } else {
        entry = (struct entry){key, (uint64_t)at << SLOT_SHIFT};
    }
    for (; at > 0; at--)
        set[at] = set[at - 1];
    set[0] = entry;
    return gone;
}

/* ---- DRAM ---- */

struct partition_geometry {
    enum partition_map map;
    unsigned count, shift; /* width of a partition as a power of two */
};

static unsigned partition_of(const struct partition_geometry *geometry, uint64_t address)
{
    uint64_t piece = address >> geometry->shift;
    unsigned count = geometry->count;
    if (geometry->map == PARTITION_LINEAR)
        return (count & (count - 1)) == 0 ? (unsigned)piece & (count - 1)
                                          : (unsigned)(piece % count);
    /* Neighbours go round all partitions; where a round begins is hashed. */
    uint64_t round = piece / count;
    unsigned partition = (unsigned)(piece - round * count);
    partition += (unsigned)(mix(round) * (uint64_t)count >> 32);
    return partition < count ? partition : partition - count;
}

/* Bytes per window and partition. */
struct windows {
    uint64_t *bytes; /* [rows][partitions] */
    size_t rows;     /* a power of two */
    unsigned shift;  /* a window is 1 << shift steps */
    unsigned partitions;
};

static bool windows_create(struct windows *windows, unsigned partitions)
{
    *windows = (struct windows){.rows = 1, .partitions = partitions};
    while (windows->rows * 2 * partitions * sizeof *windows->bytes <= WINDOW_TABLE_BYTES)
        windows->rows *= 2;
    windows->bytes = calloc(windows->rows * partitions, sizeof *windows->bytes);
    return windows->bytes != NULL;
}

/* Windows become twice as long. */
static void windows_double(struct windows *windows)
{
    size_t partitions = windows->partitions, half = windows->rows / 2 * partitions;
    for (size_t row = 0; row < windows->rows / 2; row++)
        for (size_t p = 0; p < partitions; p++)
            windows->bytes[row * partitions + p] = windows->bytes[2 * row * partitions + p] +
                                                   windows->bytes[(2 * row + 1) * partitions + p];
    memset(windows->bytes + half, 0, half * sizeof *windows->bytes);
    windows->shift++;
}

/* The row of a step. */
static uint64_t *windows_row(struct windows *windows, uint64_t step)
{
    while (step >> windows->shift >= windows->rows)
        windows_double(windows);
    return windows->bytes + (step >> windows->shift) * windows->partitions;
}

/* ---- a part of the L2 ---- */

/* The last run of a request: its line, its last sector, and the line of the last run that was not
 * dropped. */
struct last {
    uint64_t line, sector, transaction;
};

struct part {
    uint64_t first_set, set_count; /* its sets */
    uint64_t first_step;           /* of the wave, on the clock */
    uint64_t wave;                 /* its number, from 0 */
    uint64_t *window;              /* the row of the step in hand */
    struct windows windows;
    struct last last;               /* of the request in hand */
    uint64_t sectors[ACCESS_KINDS]; /* that reached the L2, by kind of request */
    struct memory_counts counts;
} __attribute__((aligned(128))); /* no cache line of the host is shared by two */

/* Bytes of a line that are there; only of words that are there in part. */
struct byte_mask {
    uint64_t half[2];
};

struct hierarchy {
    const struct device *device;
    unsigned line_shift, sector_shift;
    bool runs_are_transactions; /* CC 1.x */
    struct partition_geometry partitions;
    uint64_t *gathered; /* bytes per partition: partitions_judge's */
    uint64_t l1_bytes;
    struct cache *l1;         /* of each SM; without sets until it is used */
    struct cache l2;          /* set_count alone when there is none */
    struct byte_mask *fine;   /* [set][slot] of the L2 */
    struct read_share *share; /* NULL where loads of several SMs do not meet */
    unsigned part_count;
    struct part *parts;
    struct memory_counts flushed; /* what hierarchy_finish wrote back */
};

static bool l2_create(struct hierarchy *hierarchy)
{
    const struct device *device = hierarchy->device;
    if (device->l2_bytes == 0) {
        hierarchy->l2.set_count = VIRTUAL_SETS;
        return true;
    }
    struct cache *l2 = &hierarchy->l2;
    if (!cache_create(l2, device->l2_bytes, (unsigned)device->l2_ways))
        return false;
    hierarchy->fine = calloc(l2->set_count * l2->ways, sizeof *hierarchy->fine);
    if (device->l2_read_groups > 0)
        hierarchy->share = read_share_create(device, l2->set_count);
    return hierarchy->fine && (hierarchy->share || device->l2_read_groups == 0);
}

static bool parts_create(struct hierarchy *hierarchy, unsigned count)
{
    hierarchy->parts = aligned_alloc(_Alignof(struct part), count * sizeof *hierarchy->parts);
    if (!hierarchy->parts)
        return false;
    memset(hierarchy->parts, 0, count * sizeof *hierarchy->parts);
    hierarchy->part_count = count;
    uint64_t sets = hierarchy->l2.set_count;
    for (unsigned p = 0; p < count; p++) {
        struct part *part = &hierarchy->parts[p];
        part->first_set = sets * p / count;
        part->set_count = sets * (p + 1) / count - part->first_set;
        if (!windows_create(&part->windows, hierarchy->partitions.count))
            return false;
    }
    return true;
}

struct hierarchy *hierarchy_create(const struct device *device, uint64_t shared_per_sm,
                                   unsigned parts)
{
    struct hierarchy *hierarchy = calloc(1, sizeof *hierarchy);
    if (!hierarchy)
        return NULL;
    hierarchy->device = device;
    hierarchy->line_shift = (unsigned)__builtin_ctzll(device->line_bytes);
    hierarchy->sector_shift = (unsigned)__builtin_ctzll(device->sector_bytes);
    hierarchy->partitions = (struct partition_geometry){
        .map = device->partition_map,
        .count = (unsigned)device->partitions,
        .shift = (unsigned)__builtin_ctzll(device->partition_bytes),
    };
    hierarchy->runs_are_transactions = device->coalescing != COALESCE_SECTORS;
    hierarchy->gathered = calloc(device->partitions, sizeof *hierarchy->gathered);
    if (device->l1_bytes > shared_per_sm)
        hierarchy->l1_bytes = device->l1_bytes - shared_per_sm;
    hierarchy->l1 = calloc(device->multiprocessors, sizeof *hierarchy->l1);
    if (!hierarchy->gathered || !hierarchy->l1 || !l2_create(hierarchy) ||
        !parts_create(hierarchy, parts)) {
        hierarchy_free(hierarchy);
        return NULL;
    }
    return hierarchy;
}

void hierarchy_free(struct hierarchy *hierarchy)
{
    if (!hierarchy)
        return;
    for (uint64_t sm = 0; hierarchy->l1 && sm < hierarchy->device->multiprocessors; sm++)
        free(hierarchy->l1[sm].entries);
    for (unsigned p = 0; p < hierarchy->part_count; p++)
        free(hierarchy->parts[p].windows.bytes);
    free(hierarchy->gathered);
    free(hierarchy->l1);
    free(hierarchy->l2.entries);
    free(hierarchy->fine);
    read_share_free(hierarchy->share);
    free(hierarchy->parts);
    free(hierarchy);
}

/* ---- round robin over traces ---- */

/* A request: the runs [begin, end) of a trace. */
struct turn {
    size_t trace, begin, end;
};

struct rotation {
    struct turn *turns; /* the last turn of every trace that has more, in order */
    size_t live, next, kept;
    uint64_t step;
    unsigned burst, left; /* requests of a turn, and how many the current turn may still pass */
    struct turn current;
};

/* Requests that a block passes to the L2 in one turn. More are kinder to the host's caches, which
 * the lines of one block fit into; but a sector that the warps of a block write word by word must
 * not be complete within a turn, because all resident blocks write at once: so no power of two, and
 * fewer than the words of a sector. Without an L2 the order within a turn would show in the
 * partitions. */
enum { L1_BURST = 1, L2_BURST = 7, UNCACHED_BURST = 1 };

/* The kind of a request: that of its runs, but those that the L1 dropped or merged. */
static inline enum access_kind request_kind(const run *runs, size_t count)
{
    size_t i = 0;
    while (i + 1 < count && run_kind(runs[i]) == ACCESS_DROPPED)
        i++;
    return run_kind(runs[i]) == ACCESS_MERGED ? ACCESS_STORE : run_kind(runs[i]);
}

enum { EVERY_SM = ~0u };

/* Begin with the traces of one SM, or of all. */
static bool rotation_create(struct rotation *rotation, const struct trace *traces, size_t count,
                            unsigned sm, unsigned burst)
{
    *rotation =
        (struct rotation){.turns = malloc((count + 1) * sizeof *rotation->turns), .burst = burst};
    if (!rotation->turns)
        return false;
    for (size_t i = 0; i < count; i++)
        if (traces[i].count > 0 && (sm == EVERY_SM || traces[i].sm == sm))
            rotation->turns[rotation->live++] = (struct turn){i, 0, 0};
    return true;
}

/* The next request of a trace; whether it has more behind it. */
static inline bool turn_advance(struct turn *turn, const struct trace *trace)
{
    turn->begin = turn->end++;
    while (turn->end < trace->count && !run_first(trace->runs[turn->end]))
        turn->end++;
    return turn->end < trace->count;
}

/* Another worker wrote the trace: ask for what the next turn will read while this one is passed. */
static inline void turn_prefetch(const struct turn *turn, const struct trace *traces)
{
    enum { HOST_LINE_RUNS = 64 / sizeof(run), HOST_LINES = 32 };
    const struct trace *trace = &traces[turn->trace];
    for (unsigned line = 0; line < HOST_LINES; line++)
        if (turn->end + line * HOST_LINE_RUNS < trace->count)
            __builtin_prefetch(trace->runs + turn->end + line * HOST_LINE_RUNS);
}

/* The next request; false when all traces are at their end. rotation->step counts the requests that
 * every trace with so many has passed. */
static inline bool rotation_next(struct rotation *rotation, const struct trace *traces,
                                 struct turn *turn)
{
    if (rotation->left == 0) {
        if (rotation->next == rotation->live) {
            rotation->live = rotation->kept;
            rotation->next = rotation->kept = 0;
            rotation->step += rotation->burst;
            if (rotation->live == 0)
                return false;
        }
        rotation->current = rotation->turns[rotation->next++];
        rotation->left = rotation->burst;
        if (rotation->next < rotation->live)
            turn_prefetch(&rotation->turns[rotation->next], traces);
    }
    bool more = turn_advance(&rotation->current, &traces[rotation->current.trace]);
    *turn = rotation->current;
    rotation->left = more ? rotation->left - 1 : 0;
    if (more && rotation->left == 0)
        rotation->turns[rotation->kept++] = rotation->current;
    return true;
}

/* ---- L1 ---- */

/* Sectors of its line that a run touches, a bit each. */
static inline unsigned run_sectors(run r)
{
    unsigned start = (unsigned)run_address(r) & (LINE_BYTES - 1);
    unsigned first = start >> SECTOR_SHIFT, last = (start + run_length(r) - 1) >> SECTOR_SHIFT;
    return (2u << last) - (1u << first);
}

/* A load that misses in two places of its line: what follows the run with that index. */
struct split {
    size_t trace, index;
    run second;
};

struct splits {
    struct split *items;
    size_t count, capacity;
};

static bool splits_add(struct splits *splits, struct split split)
{
    if (splits->count == splits->capacity) {
        size_t capacity = splits->capacity ? 2 * splits->capacity : 64;
        struct split *grown = realloc(splits->items, capacity * sizeof *grown);
        if (!grown)
            return false;
        splits->items = grown;
        splits->capacity = capacity;
    }
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

/* Put `count` second halves, in order of index, behind their first halves. */
static bool trace_insert(struct trace *trace, const struct split *splits, size_t count)
{
    size_t needed = trace->count + count;
    if (needed > trace->capacity) {
        run *grown = realloc(trace->runs, needed * sizeof *grown);
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

/* The run of the lowest consecutive sectors of *missing, which lose their bits. */
static run run_of_sectors(run r, unsigned *missing, bool first)
{
    unsigned begin = (unsigned)__builtin_ctz(*missing);
    unsigned length = (unsigned)__builtin_ctz(~(*missing >> begin));
    uint64_t line = run_address(r) >> LINE_SHIFT << LINE_SHIFT;
    *missing &= ~(((1u << length) - 1) << begin);
    run part = run_make(line + (begin << SECTOR_SHIFT), length << SECTOR_SHIFT, run_kind(r), first);
    return run_with_round(part, run_round(r));
}

/* Sectors of a load that the L1 has not got; it has them from now on. */
static inline unsigned l1_load(struct cache *l1, run r)
{
    uint64_t line = run_address(r) >> LINE_SHIFT;
    struct entry *set = l1->entries + set_of_line(line, l1->set_count) * l1->ways;
    if (set->key != line + 1)
        set_bring(set, l1->ways, line + 1);
    unsigned wanted = run_sectors(r);
    unsigned missing = wanted & ~(unsigned)set->state;
    set->state |= wanted;
    return missing;
}

static bool l1_request(struct cache *l1, struct trace *traces, const struct turn *turn,
                       struct splits *splits)
{
    run *runs = traces[turn->trace].runs;
    if (run_kind(runs[turn->begin]) != ACCESS_LOAD)
        return true; /* and so are the request's other runs */
    for (size_t i = turn->begin; i < turn->end; i++) {
        run r = runs[i];
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

bool hierarchy_l1(struct hierarchy *hierarchy, unsigned sm, struct trace *traces, size_t count)
{
    struct cache *l1 = &hierarchy->l1[sm];
    if (hierarchy->l2.entries && !store_merge(traces, count, sm))
        return false;
    if (hierarchy->l1_bytes == 0)
        return true;
    if (!l1->entries &&
        !cache_create(l1, hierarchy->l1_bytes, (unsigned)hierarchy->device->l1_ways))
        return false;
    struct rotation rotation;
    if (!rotation_create(&rotation, traces, count, sm, L1_BURST))
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

/* ---- L2 ---- */

/* The state of an L2 line: bit w for word w that is there; a bit for each dirty sector, at the
 * place of its first word; whether its byte mask is in use; the slot. */
#define SECTORS_MASK 0x01010101ull /* the first words of the sectors */
enum { DIRTY_SHIFT = 32, SECTOR_WORDS = 8 };
#define FINE_BIT (1ull << 57)

_Static_assert(FINE_BIT > SECTORS_MASK << DIRTY_SHIFT, "the dirty bits end below");

static inline void dram_move(const struct hierarchy *hierarchy, struct part *part, uint64_t address,
                             uint64_t bytes)
{
    part->window[partition_of(&hierarchy->partitions, address)] += bytes;
}

static inline void dram_read(const struct hierarchy *hierarchy, struct part *part, uint64_t address,
                             uint64_t bytes)
{
    part->counts.dram_read_bytes += bytes;
    dram_move(hierarchy, part, address, bytes);
}

static inline void dram_write(const struct hierarchy *hierarchy, struct part *part,
                              uint64_t address, uint64_t bytes)
{
    part->counts.dram_write_bytes += bytes;
    dram_move(hierarchy, part, address, bytes);
}

/* Sets of sectors are written with a bit at each sector's first word. */
static inline uint64_t sectors_bytes(uint64_t sectors)
{
    return (sectors * SECTORS_MASK >> 24 & 255) << SECTOR_SHIFT;
}

/* Those whose words are all there. */
static inline uint64_t sectors_complete(uint64_t state)
{
    state &= state >> 4;
    state &= state >> 2;
    state &= state >> 1;
    return state & SECTORS_MASK;
}

static inline uint64_t sectors_dirty(uint64_t state)
{
    return state >> DIRTY_SHIFT & SECTORS_MASK;
}

/* The other sectors of the 64 bytes that each lies in: DRAM is read in pairs. */
static inline uint64_t sectors_fetched_with(uint64_t sectors)
{
    const uint64_t even = SECTORS_MASK & 0x00ff00ff;
    return (sectors & even) << SECTOR_WORDS | (sectors >> SECTOR_WORDS & even);
}

/* Those that the bytes [start, end) of a line touch. */
static inline uint64_t sectors_touched(unsigned start, unsigned end)
{
    unsigned first = start >> SECTOR_SHIFT, last = (end - 1) >> SECTOR_SHIFT;
    return SECTORS_MASK << SECTOR_WORDS * first &
           SECTORS_MASK >> SECTOR_WORDS * (LINE_SECTORS - 1 - last);
}

/* Dirty sectors that lack words. */
static inline uint64_t sectors_incomplete(uint64_t state)
{
    return sectors_dirty(state) & ~sectors_complete(state);
}

/* Write a line's dirty sectors, after what they lack was read; it is clean then. */
static void l2_clean(const struct hierarchy *hierarchy, struct part *part, struct entry *entry)
{
    uint64_t dirty = sectors_dirty(entry->state);
    if (dirty == 0)
        return;
    uint64_t address = (entry->key - 1) << LINE_SHIFT;
    uint64_t incomplete = sectors_incomplete(entry->state);
    if (incomplete != 0)
        dram_read(hierarchy, part, address, sectors_bytes(incomplete));
    dram_write(hierarchy, part, address, sectors_bytes(dirty));
    entry->state |= dirty * 255; /* all words of those sectors */
    entry->state &= ~(SECTORS_MASK << DIRTY_SHIFT);
}

/* The most recent line of a set has become incomplete: if that makes too many, merge the oldest. */
static void l2_limit_incomplete(const struct hierarchy *hierarchy, struct part *part,
                                struct entry *set)
{
    unsigned ways = hierarchy->l2.ways, count = 0, oldest = 0;
    /* All that may be incomplete are dealt to the sets, some of which get one more than others. */
    uint64_t number = (uint64_t)(set - hierarchy->l2.entries) / ways;
    uint64_t limit = (number + 1) * ways * INCOMPLETE_PER_MILLE / 1000 -
                     number * ways * INCOMPLETE_PER_MILLE / 1000;
    limit = limit > 0 ? limit : 1;
    for (unsigned way = 0; way < ways && set[way].key != 0; way++)
        if (sectors_incomplete(set[way].state) != 0) {
            count++;
            oldest = way;
        }
    if (count > limit)
        l2_clean(hierarchy, part, &set[oldest]);
}

/* Make a run's line the most recent of its set; its entry. */
static inline struct entry *l2_touch(struct hierarchy *hierarchy, struct part *part, size_t set,
                                     uint64_t address)
{
    struct entry *entry = hierarchy->l2.entries + set;
    uint64_t key = (address >> LINE_SHIFT) + 1;
    if (entry->key != key) {
        struct entry gone = set_bring(entry, hierarchy->l2.ways, key);
        l2_clean(hierarchy, part, &gone);
    }
    return entry;
}

/* Gather bytes in the line's mask; words whose four bytes are there move to the state. */
static void l2_store_bytes(struct hierarchy *hierarchy, size_t set, uint64_t *state, unsigned start,
                           unsigned end)
{
    struct byte_mask *mask = &hierarchy->fine[set + (*state >> SLOT_SHIFT)];
    if (!(*state & FINE_BIT))
        *mask = (struct byte_mask){{0, 0}};
    *state |= FINE_BIT;
    for (unsigned b = start; b < end; b++)
        mask->half[b / 64] |= 1ull << b % 64;
    for (unsigned word = start / 4; word <= (end - 1) / 4; word++)
        if ((mask->half[word / 16] >> word % 16 * 4 & 15) == 15)
            *state |= 1ull << word;
}

static inline void l2_store(struct hierarchy *hierarchy, size_t set, uint64_t *state,
                            unsigned start, unsigned end)
{
    *state |= sectors_touched(start, end) << DIRTY_SHIFT;
    if (((start | end) & 3) != 0)
        l2_store_bytes(hierarchy, set, state, start, end);
    else
        *state |= (1ull << end / 4) - (1ull << start / 4);
}

/* ---- batches: a request on its way through a part ---- */

/* Runs of one request. The sets of a large L2 do not fit into the host's caches, so a batch waits
 * while the host fetches those that it needs. */
struct batch_head {
    uint64_t step;         /* on the clock */
    unsigned round;        /* of a load, see run_round */
    unsigned sm;           /* that it comes from */
    enum access_kind kind; /* of the request; single runs may be ACCESS_DROPPED, _MERGED, _SHARED */
    bool starts_request;
};

struct batch {
    struct batch_head head;
    unsigned count;
    struct {
        size_t set; /* index of its set's first entry */
        run r;
    } items[COALESCE_MAX_RUNS + 1]; /* one more to write to before it is known to be ours */
};

/* A run of a whole line is mostly the first to touch it, and then all of its set is needed. */
static inline void set_prefetch(const struct entry *set, unsigned ways, unsigned length)
{
    enum { HOST_LINE_ENTRIES = 64 / sizeof *set };
    __builtin_prefetch(set, 1);
    for (unsigned way = HOST_LINE_ENTRIES; length == LINE_BYTES && way < ways;
         way += HOST_LINE_ENTRIES)
        __builtin_prefetch(set + way, 1);
}

/* Choose the part's own of some runs. */
static void batch_fill(const struct hierarchy *hierarchy, const struct part *part,
                       struct batch *batch, const run *runs, size_t count)
{
    const struct cache *l2 = &hierarchy->l2;
    unsigned mine = 0, line_shift = hierarchy->line_shift;
    for (size_t i = 0; i < count; i++) {
        uint64_t set = l2_set_of_line(run_address(runs[i]) >> line_shift, l2->set_count);
        batch->items[mine].set = set * l2->ways;
        batch->items[mine].r = runs[i];
        mine += set - part->first_set < part->set_count;
    }
    batch->count = mine;
    for (unsigned i = 0; l2->entries && i < mine; i++)
        set_prefetch(l2->entries + batch->items[i].set, l2->ways, run_length(batch->items[i].r));
    for (unsigned i = 0; hierarchy->share && batch->head.kind == ACCESS_LOAD && i < mine; i++)
        read_share_prefetch(hierarchy->share, batch->items[i].set / l2->ways, batch->head.sm);
}

/* Count lines and sectors once for each request. The runs of a line stand together in a request, so
 * that looking back by one finds what they share; on CC 1.x each run is a transaction of its own.
 */
static void batch_count(const struct hierarchy *hierarchy, struct part *part,
                        const struct batch *batch)
{
    struct last last = part->last;
    uint64_t lines = 0, transactions = 0, sectors = 0;
    bool is_alone = hierarchy->runs_are_transactions;
    unsigned line_shift = hierarchy->line_shift, sector_shift = hierarchy->sector_shift;
    for (unsigned i = 0; i < batch->count; i++) {
        run r = batch->items[i].r;
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
    if (batch->head.kind == ACCESS_STORE || batch->head.kind == ACCESS_ATOMIC)
        part->counts.l2_store_transactions += transactions;
    part->sectors[batch->head.kind] += sectors;
}

static void batch_store(struct hierarchy *hierarchy, struct part *part, const struct batch *batch)
{
    for (unsigned i = 0; i < batch->count; i++) {
        run r = batch->items[i].r;
        size_t set = batch->items[i].set;
        struct entry *entry = l2_touch(hierarchy, part, set, run_address(r));
        unsigned start = (unsigned)r & (LINE_BYTES - 1);
        uint64_t before = entry->state;
        l2_store(hierarchy, set, &entry->state, start, start + run_length(r));
        /* Only a store to a clean sector can make a line incomplete. */
        if (sectors_dirty(before) != sectors_dirty(entry->state) &&
            sectors_incomplete(before) == 0 && sectors_incomplete(entry->state) != 0)
            l2_limit_incomplete(hierarchy, part, entry);
    }
}

static inline struct shared_load shared_load(const struct part *part, const struct batch *batch,
                                             run r)
{
    return (struct shared_load){.line = run_address(r) >> LINE_SHIFT,
                                .sectors = run_sectors(r),
                                .sm = batch->head.sm,
                                .round = batch->head.round,
                                .wave = part->wave};
}

/* Loads, and atomics, which leave what they fetched dirty. */
static void batch_load(struct hierarchy *hierarchy, struct part *part, struct batch *batch)
{
    bool is_shared = hierarchy->share && batch->head.kind == ACCESS_LOAD;
    for (unsigned i = 0; i < batch->count; i++) {
        run r = batch->items[i].r;
        size_t set = batch->items[i].set / hierarchy->l2.ways;
        if (run_kind(r) == ACCESS_DROPPED)
            continue;
        const struct shared_load load = shared_load(part, batch, r);
        if (is_shared && read_share_join(hierarchy->share, set, &load)) {
            batch->items[i].r = run_with_kind(r, ACCESS_SHARED);
            continue;
        }
        struct entry *entry = l2_touch(hierarchy, part, batch->items[i].set, run_address(r));
        unsigned start = (unsigned)r & (LINE_BYTES - 1);
        uint64_t wanted = sectors_touched(start, start + run_length(r));
        uint64_t missing = wanted & ~sectors_complete(entry->state);
        if (missing != 0) {
            missing |= sectors_fetched_with(missing) & ~sectors_complete(entry->state) &
                       ~sectors_dirty(entry->state);
            dram_read(hierarchy, part, run_address(r), sectors_bytes(missing));
            if (is_shared)
                read_share_missed(hierarchy->share, set, &load);
        }
        entry->state |= (wanted | missing) * 255; /* all words of those sectors */
        if (batch->head.kind == ACCESS_ATOMIC)
            entry->state |= wanted << DIRTY_SHIFT;
    }
}

/* No L2: a run is a transaction of whole sectors with DRAM; an atomic reads and writes. Sectors
 * that the runs of a request share move once, as batch_count has it. */
static void batch_uncached(struct hierarchy *hierarchy, struct part *part,
                           const struct batch *batch)
{
    uint64_t last = ~0ull;
    unsigned shift = hierarchy->sector_shift;
    for (unsigned i = 0; i < batch->count; i++) {
        run r = batch->items[i].r;
        uint64_t first = run_address(r) >> shift, shared = first == last;
        last = (run_address(r) + run_length(r) - 1) >> shift;
        uint64_t bytes = (last - first + 1 - (hierarchy->runs_are_transactions ? 0 : shared))
                         << shift;
        if (batch->head.kind != ACCESS_STORE)
            dram_read(hierarchy, part, run_address(r), bytes);
        if (batch->head.kind == ACCESS_STORE || batch->head.kind == ACCESS_ATOMIC)
            dram_write(hierarchy, part, run_address(r), bytes);
    }
}

static void batch_process(struct hierarchy *hierarchy, struct part *part, struct batch *batch)
{
    if (batch->head.starts_request) /* addresses have 44 bits: nothing has these numbers */
        part->last = (struct last){~0ull, ~0ull, ~0ull};
    if (batch->count == 0)
        return;
    part->window = windows_row(&part->windows, batch->head.step);
    if (!hierarchy->l2.entries)
        batch_uncached(hierarchy, part, batch);
    else if (batch->head.kind == ACCESS_STORE)
        batch_store(hierarchy, part, batch);
    else
        batch_load(hierarchy, part, batch);
    batch_count(hierarchy, part, batch); /* after it is known which loads are shared */
}

/* The batches on their way: the youngest was just filled, the oldest is processed next. Coalesced
 * requests are batches of a single run, so it takes several to keep the host's memory busy. */
enum { PIPELINE_DEPTH = 8 };

struct pipeline {
    struct batch batches[PIPELINE_DEPTH];
    uint64_t count;
};

/* Take in one more batch, of some runs of a request (none, for count = 0), and process the oldest.
 */
static void pipeline_push(struct hierarchy *hierarchy, struct part *part, struct pipeline *pipeline,
                          const struct batch_head *head, const run *runs, size_t count)
{
    uint64_t n = pipeline->count++;
    struct batch *batch = &pipeline->batches[n % PIPELINE_DEPTH];
    batch->head = *head;
    batch_fill(hierarchy, part, batch, runs, count);
    if (pipeline->count >= PIPELINE_DEPTH)
        batch_process(hierarchy, part, &pipeline->batches[pipeline->count % PIPELINE_DEPTH]);
}

static void pipeline_drain(struct hierarchy *hierarchy, struct part *part,
                           struct pipeline *pipeline)
{
    const struct batch_head empty = {.starts_request = true};
    for (unsigned i = 0; i < PIPELINE_DEPTH - 1; i++)
        pipeline_push(hierarchy, part, pipeline, &empty, NULL, 0);
}

/* Pass a request on, in pieces if it is long. */
static void pipeline_request(struct hierarchy *hierarchy, struct part *part,
                             struct pipeline *pipeline, struct batch_head *head, const run *runs,
                             size_t count)
{
    head->kind = request_kind(runs, count);
    for (size_t at = 0; at < count; at += COALESCE_MAX_RUNS) {
        size_t piece = count - at < COALESCE_MAX_RUNS ? count - at : COALESCE_MAX_RUNS;
        head->starts_request = at == 0;
        pipeline_push(hierarchy, part, pipeline, head, runs + at, piece);
    }
}

bool hierarchy_l2(struct hierarchy *hierarchy, unsigned part_number, const struct trace *traces,
                  size_t count)
{
    struct part *part = &hierarchy->parts[part_number];
    struct rotation rotation;
    if (!rotation_create(&rotation, traces, count, EVERY_SM,
                         hierarchy->l2.entries ? L2_BURST : UNCACHED_BURST))
        return false;
    struct pipeline pipeline = {.count = 0};
    struct turn turn;
    while (rotation_next(&rotation, traces, &turn)) {
        const struct trace *trace = &traces[turn.trace];
        struct batch_head head = {.step = part->first_step + rotation.step,
                                  .round = run_round(trace->runs[turn.begin]),
                                  .sm = trace->sm};
        pipeline_request(hierarchy, part, &pipeline, &head, trace->runs + turn.begin,
                         turn.end - turn.begin);
    }
    pipeline_drain(hierarchy, part, &pipeline);
    part->first_step += rotation.step;
    part->wave++;
    free(rotation.turns);
    return true;
}

/* ---- the end ---- */

/* Write back all dirty lines; they become clean. Their traffic belongs to no window: it comes when
 * the kernel has ended. What incomplete ones lack is not read any more: no kernel is charged for
 * that by the hardware. */
static void l2_flush(struct hierarchy *hierarchy, struct memory_counts *counts)
{
    struct cache *l2 = &hierarchy->l2;
    for (uint64_t i = 0; l2->entries && i < l2->set_count * l2->ways; i++) {
        uint64_t *state = &l2->entries[i].state, dirty = sectors_dirty(*state);
        if (dirty == 0)
            continue;
        counts->dram_write_bytes += sectors_bytes(dirty);
        *state |= dirty * 255;
        *state &= ~(SECTORS_MASK << DIRTY_SHIFT);
    }
}

/* Bytes of a window that is long enough to judge. */
static double window_enough(const struct device *device)
{
    double in_flight = device->dram_gbps * device->latency_ns;
    double lines = (double)(WINDOW_LINES * device->partitions * device->line_bytes);
    return in_flight > lines ? in_flight : lines;
}

/* Bring the windows of all parts to the length of the longest: each part lengthens its own when its
 * own traffic needs it. */
static void windows_align(struct hierarchy *hierarchy)
{
    unsigned shift = 0;
    for (unsigned p = 0; p < hierarchy->part_count; p++)
        if (hierarchy->parts[p].windows.shift > shift)
            shift = hierarchy->parts[p].windows.shift;
    for (unsigned p = 0; p < hierarchy->part_count; p++)
        while (hierarchy->parts[p].windows.shift < shift)
            windows_double(&hierarchy->parts[p].windows);
}

/* What a gathered window says. */
struct window_sum {
    uint64_t total, busiest;
};

static struct window_sum window_judge(const uint64_t *bytes, size_t partitions)
{
    struct window_sum sum = {0, 0};
    for (size_t p = 0; p < partitions; p++) {
        sum.total += bytes[p];
        sum.busiest = bytes[p] > sum.busiest ? bytes[p] : sum.busiest;
    }
    return sum;
}

/* Gather windows until they hold enough, and judge them; what is left over at the end counts as
 * balanced. */
static void partitions_judge(struct hierarchy *hierarchy, struct memory_counts *counts)
{
    uint64_t *bytes = hierarchy->gathered;
    const struct windows *windows = &hierarchy->parts[0].windows;
    size_t partitions = windows->partitions;
    double enough = window_enough(hierarchy->device);
    windows_align(hierarchy);
    counts->partition_imbalance = -1;
    counts->busiest_partition_bytes = 0;
    memset(bytes, 0, partitions * sizeof *bytes);
    for (size_t row = 0; row < windows->rows; row++) {
        for (unsigned part = 0; part < hierarchy->part_count; part++) {
            const uint64_t *add = hierarchy->parts[part].windows.bytes + row * partitions;
            for (size_t p = 0; p < partitions; p++)
                bytes[p] += add[p];
        }
        struct window_sum sum = window_judge(bytes, partitions);
        if ((double)sum.total < enough)
            continue;
        double busiest = (double)sum.busiest * (double)partitions;
        double imbalance = busiest / (double)sum.total;
        if (imbalance > counts->partition_imbalance)
            counts->partition_imbalance = imbalance;
        counts->busiest_partition_bytes += busiest;
        memset(bytes, 0, partitions * sizeof *bytes);
    }
    counts->busiest_partition_bytes += (double)window_judge(bytes, partitions).total;
}

static void add_counts(struct memory_counts *sum, const struct memory_counts *add)
{
    sum->dram_read_bytes += add->dram_read_bytes;
    sum->dram_write_bytes += add->dram_write_bytes;
    sum->lines += add->lines;
    sum->l2_transactions += add->l2_transactions;
    sum->l2_store_transactions += add->l2_store_transactions;
}

void hierarchy_finish(struct hierarchy *hierarchy, struct memory_counts *counts)
{
    *counts = (struct memory_counts){.has_l2 = hierarchy->l2.entries != NULL};
    partitions_judge(hierarchy, counts);
    /* The flush's traffic is spread over all partitions. */
    struct memory_counts *flush = &hierarchy->flushed;
    l2_flush(hierarchy, flush);
    counts->busiest_partition_bytes += (double)(flush->dram_read_bytes + flush->dram_write_bytes);
    counts->dram_flush_bytes = flush->dram_read_bytes + flush->dram_write_bytes;
    add_counts(counts, flush);
    for (unsigned p = 0; p < hierarchy->part_count; p++) {
        const uint64_t *sectors = hierarchy->parts[p].sectors;
        add_counts(counts, &hierarchy->parts[p].counts);
        if (!counts->has_l2)
            continue;
        counts->l2_read_bytes += (sectors[ACCESS_LOAD] + sectors[ACCESS_LOAD_L2]) * SECTOR_BYTES;
        counts->l2_write_bytes += sectors[ACCESS_STORE] * SECTOR_BYTES;
    }
}

void hierarchy_history(struct hierarchy *hierarchy, struct partition_history *history)
{
    windows_align(hierarchy);
    const struct windows *windows = &hierarchy->parts[0].windows;
    size_t places = windows->rows * windows->partitions;
    *history = (struct partition_history){.partitions = windows->partitions,
                                          .steps = 1ull << windows->shift};
    history->bytes = calloc(places, sizeof *history->bytes);
    if (!history->bytes)
        return;
    for (unsigned part = 0; part < hierarchy->part_count; part++)
        for (size_t at = 0; at < places; at++)
            history->bytes[at] += hierarchy->parts[part].windows.bytes[at];
    for (size_t at = 0; at < places; at++)
        if (history->bytes[at])
            history->windows = at / windows->partitions + 1;
}
