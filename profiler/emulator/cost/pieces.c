/* pieces.c: counts pieces and pages of DRAM traffic.
 *
 * A window has as many bytes as are in flight: bandwidth x latency (Little's law). After the start
 * of a grid, blocks start one by one when other blocks end. Then only blocks with neighbouring
 * numbers are at the same stage, so the traces of a wave are processed one after the other. But
 * blocks with long traces run side by side, so the turn of a block ends after TURN_BYTES.
 *
 * A hash assigns each piece or page to a part. Every part reads all traces, so that all parts have
 * the same windows. After the first WAVES_ALL waves, only one wave in WAVES_EACH is counted,
 * because the waves of a grid are similar. */
#include "emulator/cost/pieces.h"

#include "emulator/cost/rotation.h"

#include <stdlib.h>
#include <string.h>

enum {
    /* Traffic of a tile of 32 x 32 elements of 8 bytes that is read and written. */
    TURN_BYTES = 16 << 10,
    WAVES_ALL = 4,
    WAVES_EACH = 4,
    RUNS_AHEAD = 64,
    PIECES_AHEAD = 8,
    /* log2 of the number of entries of a part's table, at first and at most. The maximum is twice
     * the size that an H200's window of single sectors in different pages requires. */
    TABLE_SHIFT = 12,
    TABLE_SHIFT_MAX = 18,
};

struct place {
    uint64_t key;
    uint32_t window;
    uint32_t sectors; /* One bit for each used sector of a piece. */
};

#define PAGE_NONE UINT64_MAX

struct flow {
    uint64_t pieces, sectors, pages; /* Distinct items of this part, summed over windows. */
    uint64_t windows;                /* Number of windows with traffic in any part. */
    uint64_t page;                   /* The last page of the current window, or PAGE_NONE. */
};

struct part {
    struct place *table;
    unsigned table_shift;
    bool has_no_memory; /* The table could not grow, so counting has ended. */
    size_t taken;
    uint64_t window_bytes;
    struct flow flows[2]; /* Loads, stores. */
    trace_run column[2];  /* The last column of the current window, or {0}. */
    uint32_t window;      /* Number of the current window, from 1. */
    uint32_t waves;
} __attribute__((aligned(128)));

struct pieces {
    uint64_t window_bytes;
    unsigned part_count;
    struct part parts[];
};

struct pieces *pieces_create(const struct device *device, unsigned parts)
{
    size_t bytes = sizeof(struct pieces) + parts * sizeof(struct part);
    struct pieces *pieces = aligned_alloc(_Alignof(struct pieces), bytes);
    if (!pieces)
        return NULL;
    memset(pieces, 0, bytes);
    /* A sector has at most two entries (piece, page), so a window fills at most half of the
     * table. */
    double in_flight = device->dram_gbps * device->latency_ns,
           most = (1 << TABLE_SHIFT_MAX) / 4 * (1 << SECTOR_SHIFT);
    pieces->window_bytes = (uint64_t)(in_flight < most ? in_flight : most);
    pieces->part_count = parts;
    for (unsigned p = 0; p < pieces->part_count; p++) {
        pieces->parts[p].window = 1;
        pieces->parts[p].flows[0].page = pieces->parts[p].flows[1].page = PAGE_NONE;
        pieces->parts[p].table_shift = TABLE_SHIFT;
        pieces->parts[p].table = calloc(1 << TABLE_SHIFT, sizeof *pieces->parts[p].table);
        if (!pieces->parts[p].table) {
            pieces_free(pieces);
            return NULL;
        }
    }
    return pieces;
}

void pieces_free(struct pieces *pieces)
{
    if (!pieces)
        return;
    for (unsigned p = 0; p < pieces->part_count; p++)
        free(pieces->parts[p].table);
    free(pieces);
}

/* Returns the number of ones in bits 0 to 7. The host may have no instruction for this. */
static unsigned count_bits(uint32_t sectors)
{
    sectors -= sectors >> 1 & 0x55;
    sectors = (sectors & 0x33) + (sectors >> 2 & 0x33);
    return (sectors + (sectors >> 4)) & 0xf;
}

/* Returns the key of a piece. Bit 0 is set for a store. page_add sets bit 1 for a page. */
static uint64_t piece_key(uint64_t number, bool store)
{
    return number << 2 | store;
}

static size_t place_begin(const struct part *part, uint64_t key)
{
    return key * HASH_MULTIPLIER >> (64 - part->table_shift);
}

static struct place *place_of(const struct part *part, uint64_t key)
{
    size_t at = place_begin(part, key);
    struct place *place = &part->table[at];
    while (place->window == part->window && place->key != key)
        place = &part->table[at = (at + 1) & (((size_t)1 << part->table_shift) - 1)];
    return place;
}

static void table_grow(struct part *part)
{
    struct part larger = *part;
    larger.table_shift++;
    larger.table = calloc((size_t)1 << larger.table_shift, sizeof *larger.table);
    part->has_no_memory = !larger.table;
    for (size_t i = 0; larger.table && i < (size_t)1 << part->table_shift; i++)
        if (part->table[i].window == part->window)
            *place_of(&larger, part->table[i].key) = part->table[i];
    if (larger.table) {
        free(part->table);
        *part = larger;
    }
}

static struct place *place_take(struct part *part, uint64_t key, bool *is_new)
{
    struct place *place = place_of(part, key);
    *is_new = place->window != part->window;
    if (!*is_new)
        return place;
    if (2 * part->taken >= (size_t)1 << part->table_shift && part->table_shift < TABLE_SHIFT_MAX) {
        table_grow(part);
        place = place_of(part, key);
    }
    part->taken++;
    *place = (struct place){.key = key, .window = part->window};
    return place;
}

static bool is_mine(const struct pieces *pieces, unsigned index, uint64_t number)
{
    return (number * HASH_MULTIPLIER & 0xffffffff) * pieces->part_count >> 32 == index;
}

static void piece_add(struct part *part, uint64_t number, bool store, uint32_t sectors)
{
    bool is_new;
    struct flow *flow = &part->flows[store];
    struct place *place = place_take(part, piece_key(number, store), &is_new);
    if (is_new)
        flow->pieces++;
    flow->sectors += count_bits(sectors & ~place->sectors);
    place->sectors |= sectors;
}

static void page_add(struct part *part, uint64_t number, bool store)
{
    bool is_new;
    place_take(part, piece_key(number, store) | 2, &is_new);
    part->flows[store].pages += is_new;
}

static void window_end(struct part *part)
{
    for (int store = 0; store < 2; store++) {
        part->flows[store].windows += part->flows[store].page != PAGE_NONE;
        part->flows[store].page = PAGE_NONE;
    }
    part->column[0] = 0;
    part->window_bytes = 0;
    part->taken = 0;
    part->window++;
}

static void run_add(const struct pieces *pieces, struct part *part, unsigned index, trace_run r)
{
    if (run_kind(r) == ACCESS_DROPPED || part->has_no_memory)
        return;
    bool store = run_kind(r) != ACCESS_LOAD;
    uint64_t piece = run_address(r) >> PIECE_SHIFT, page = run_address(r) >> PAGE_SHIFT;
    uint32_t sectors = sectors_of_bytes((unsigned)r & (PIECE_BYTES - 1), run_length(r));
    part->window_bytes += (uint64_t)count_bits(sectors) << SECTOR_SHIFT;
    struct flow *flow = &part->flows[store];
    if (is_mine(pieces, index, piece))
        piece_add(part, piece, store, sectors);
    if (flow->page != page && is_mine(pieces, index, page))
        page_add(part, page, store);
    flow->page = page;
    if (part->window_bytes >= pieces->window_bytes)
        window_end(part);
}

static void piece_prefetch(const struct part *part, trace_run r)
{
    uint64_t key = piece_key(run_address(r) >> PIECE_SHIFT, run_kind(r) != ACCESS_LOAD);
    __builtin_prefetch(&part->table[place_begin(part, key)], 1);
}

struct cursor {
    size_t at;
    unsigned lane;
};

/* Count a column. A run in the same sector as in the previous column, which is usual for
 * neighbouring warps, only adds to the bytes of the window. */
static void column_add(const struct pieces *pieces, struct part *part, unsigned index,
                       const trace_run *column, const trace_run *runs)
{
    trace_run before[LANES];
    const trace_run *last = part->column;
    bool is_known = last[0] != 0, has_moved = (last[0] ^ column[0]) >> SECTOR_SHIFT != 0;
    if (!is_known || has_moved || last[1] != column[1] || column[1] % SECTOR_BYTES != 0) {
        column_to_runs(last, before);
        for (unsigned i = 0; i < LANES; i++)
            if (!is_known || (runs[i] ^ before[i]) >> SECTOR_SHIFT != 0)
                run_add(pieces, part, index, runs[i]);
            else
                part->window_bytes += SECTOR_BYTES;
    } else {
        part->window_bytes += LANES * SECTOR_BYTES;
    }
    part->flows[1].page = run_address(runs[LANES - 1]) >> PAGE_SHIFT;
    part->column[0] = column[0];
    part->column[1] = column[1];
}

/* Count a column from lane cursor->lane on, up to about `left` bytes. Returns the bytes counted. */
static uint64_t column_pass(const struct pieces *pieces, struct part *part, unsigned index,
                            const trace_run *column, struct cursor *cursor, uint64_t left)
{
    const unsigned length = run_length(column[0]);
    uint64_t bytes = 0;
    trace_run runs[LANES];
    column_to_runs(column, runs);
    if (cursor->lane == 0 && left >= LANES * length && !part->has_no_memory &&
        part->window_bytes + LANES * SECTOR_BYTES < pieces->window_bytes) {
        column_add(pieces, part, index, column, runs);
        bytes = LANES * length;
        cursor->lane = LANES;
    }
    for (; cursor->lane < LANES && bytes < left; bytes += length)
        run_add(pieces, part, index, runs[cursor->lane++]);
    if (cursor->lane == LANES)
        *cursor = (struct cursor){cursor->at + COLUMN_WORDS, 0};
    return bytes;
}

static void turn_pass(const struct pieces *pieces, struct part *part, unsigned index,
                      const struct trace *trace, struct cursor *cursor)
{
    uint64_t bytes = 0;
    while (cursor->at < trace->count && bytes < TURN_BYTES) {
        const trace_run *r = trace->runs + cursor->at;
        if (cursor->at + RUNS_AHEAD < trace->count)
            __builtin_prefetch(r + RUNS_AHEAD);
        if (cursor->at + PIECES_AHEAD < trace->count)
            piece_prefetch(part, r[PIECES_AHEAD]);
        if (run_kind(*r) == ACCESS_COLUMN) {
            bytes += column_pass(pieces, part, index, r, cursor, TURN_BYTES - bytes);
            continue;
        }
        bytes += run_length(*r);
        run_add(pieces, part, index, *r);
        cursor->at++;
    }
}

bool pieces_add(struct pieces *pieces, unsigned index, const struct trace *traces, size_t count)
{
    struct part *part = &pieces->parts[index];
    uint32_t wave = part->waves++;
    if (wave >= WAVES_ALL && wave % WAVES_EACH) {
        window_end(part);
        return true;
    }
    struct cursor *next = calloc(count + 1, sizeof *next);
    if (!next)
        return false;
    for (bool more = true; more;) {
        more = false;
        for (size_t t = 0; t < count; t++) {
            if (t + 1 < count)
                trace_prefetch(&traces[t + 1], next[t + 1].at);
            turn_pass(pieces, part, index, &traces[t], &next[t]);
            more |= next[t].at < traces[t].count;
        }
    }
    free(next);
    return !part->has_no_memory;
}

struct scatter pieces_scatter(const struct pieces *pieces)
{
    struct scatter scatter = SCATTER_NONE;
    for (int store = 0; store < 2; store++) {
        struct flow sum = {.windows = pieces->parts[0].flows[store].windows +
                                      (pieces->parts[0].flows[store].page != PAGE_NONE)};
        for (unsigned p = 0; p < pieces->part_count; p++) {
            sum.pieces += pieces->parts[p].flows[store].pieces;
            sum.sectors += pieces->parts[p].flows[store].sectors;
            sum.pages += pieces->parts[p].flows[store].pages;
        }
        if (sum.pieces == 0)
            continue;
        scatter.piece_bytes[store] = (double)(sum.sectors << SECTOR_SHIFT) / (double)sum.pieces;
        scatter.pages[store] = (double)sum.pages / (double)sum.windows;
    }
    return scatter;
}
