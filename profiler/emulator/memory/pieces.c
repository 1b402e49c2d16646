/* pieces.c: pieces of DRAM traffic.
 *
 * Theory of operation. The traffic is cut into windows of the bytes that are in flight: bandwidth x
 * latency, Little's law. In each window distinct pieces are counted, and distinct sectors in them.
 * Within a wave the blocks' traces are taken one after the other, and not a request of each in
 * turn: in the steady state of a grid blocks start one by one, as others end, so that neighbours in
 * the numbering are at the same stage and those further away at another. A block with a long trace
 * hands over after TURN_BYTES, because then all resident blocks do work side by side.
 *
 * Pieces are dealt to the parts by a hash of their number. Every part walks all traces, so that all
 * agree where windows end. The waves of a grid are much alike: behind the first few, one in
 * WAVES_EACH is looked at.
 */
#include "emulator/memory/pieces.h"

#include <stdlib.h>
#include <string.h>

enum {
    /* Bytes that a block passes in one turn: a tile of 32 x 32 elements of 8 bytes, read and
     * written. */
    TURN_BYTES = 16 << 10,
    WAVES_ALL = 4,
    WAVES_EACH = 4,
    /* How far ahead the host fetches runs that another worker wrote. */
    RUNS_AHEAD = 64,
    /* Places of a part's table: twice what a window of single sectors needs on an H200. */
    TABLE_SHIFT = 17,
    TABLE_PLACES = 1 << TABLE_SHIFT,
};

/* A piece in the window in hand. `window` is 0 in a place that was never used. */
struct place {
    uint64_t number;
    uint32_t window;
    uint32_t sectors; /* one bit each */
};

struct part {
    struct place *table;
    uint64_t window_bytes;    /* passed in the window in hand, of all parts */
    uint64_t pieces, sectors; /* distinct, summed over windows */
    uint32_t window;          /* its number, from 1 */
    uint32_t waves;           /* that came so far */
} __attribute__((aligned(128)));

struct pieces {
    uint64_t window_bytes; /* a window's length */
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
    /* At least one request, at most what half of the table has places for. */
    double in_flight = device->dram_gbps * device->latency_ns,
           most = TABLE_PLACES / 2 * (1 << SECTOR_SHIFT);
    pieces->window_bytes = (uint64_t)(in_flight < most ? in_flight : most);
    pieces->part_count = parts;
    for (unsigned p = 0; p < pieces->part_count; p++) {
        pieces->parts[p].window = 1;
        pieces->parts[p].table = calloc(TABLE_PLACES, sizeof *pieces->parts[p].table);
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

/* Bits of a set of sectors, one bit each. (The host's instruction for it is not in its basic set.)
 */
static unsigned count_bits(uint32_t sectors)
{
    sectors -= sectors >> 1 & 0x55;
    sectors = (sectors & 0x33) + (sectors >> 2 & 0x33);
    return (sectors + (sectors >> 4)) & 0xf;
}

static void piece_add(struct part *part, uint64_t number, uint64_t hash, uint32_t sectors)
{
    size_t at = hash >> (64 - TABLE_SHIFT);
    struct place *place = &part->table[at];
    while (place->window == part->window && place->number != number)
        place = &part->table[at = (at + 1) & (TABLE_PLACES - 1)];
    if (place->window != part->window) {
        *place = (struct place){number, part->window, 0};
        part->pieces++;
    }
    part->sectors += count_bits(sectors & ~place->sectors);
    place->sectors |= sectors;
}

static void window_end(struct part *part)
{
    part->window_bytes = 0;
    part->window++;
}

/* A run lies in one line, a line in one piece; of that, it touches the sectors first..last. */
static void run_add(const struct pieces *pieces, struct part *part, unsigned index, run r)
{
    if (run_kind(r) == ACCESS_DROPPED)
        return;
    uint64_t number = run_address(r) >> PIECE_SHIFT, hash = number * HASH_MULTIPLIER;
    uint32_t sectors = sectors_of_bytes((unsigned)r & (PIECE_BYTES - 1), run_length(r));
    part->window_bytes += (uint64_t)count_bits(sectors) << SECTOR_SHIFT;
    if ((hash & 0xffffffff) * pieces->part_count >> 32 == index)
        piece_add(part, number, hash, sectors);
    if (part->window_bytes >= pieces->window_bytes)
        window_end(part);
}

bool pieces_add(struct pieces *pieces, unsigned index, const struct trace *traces, size_t count)
{
    struct part *part = &pieces->parts[index];
    uint32_t wave = part->waves++;
    if (wave >= WAVES_ALL && wave % WAVES_EACH) {
        window_end(part);
        return true;
    }
    size_t *next = calloc(count + 1, sizeof *next);
    if (!next)
        return false;
    for (bool more = true; more;) {
        more = false;
        for (size_t t = 0; t < count; t++) {
            const struct trace *trace = &traces[t];
            uint64_t bytes = 0;
            size_t at = next[t];
            for (; at < trace->count && bytes < TURN_BYTES; at++) {
                if (at + RUNS_AHEAD < trace->count)
                    __builtin_prefetch(trace->runs + at + RUNS_AHEAD);
                bytes += run_length(trace->runs[at]);
                run_add(pieces, part, index, trace->runs[at]);
            }
            next[t] = at;
            more |= at < trace->count;
        }
    }
    free(next);
    return true;
}

double pieces_mean(const struct pieces *pieces)
{
    uint64_t count = 0, sectors = 0;
    for (unsigned p = 0; p < pieces->part_count; p++) {
        count += pieces->parts[p].pieces;
        sectors += pieces->parts[p].sectors;
    }
    return count == 0 ? PIECE_BYTES : (double)(sectors << SECTOR_SHIFT) / (double)count;
}
