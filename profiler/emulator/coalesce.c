/* coalesce.c: what one warp's access costs.
 *
 * Both functions run once for every warp access that the emulator executes, so each tries the
 * patterns of ordinary kernels first, which are *uniform*: all lanes on, and the same distance from
 * lane to lane. Then the answer follows from that distance alone:
 *
 *   global   distance = access size: one block of consecutive bytes, cut at line borders
 *            distance >= a line: every lane has a line of its own (the naive transpose)
 *   shared   the words fall on banks / gcd(distance, banks) different banks, evenly
 *
 * Everything else takes the general path, which collects lanes in a small hash table: global
 * accesses by line, with a mask of the line's bytes; shared accesses by word, with a count for each
 * bank. The tests hold both paths against a slow and obvious implementation.
 *
 * Sources: CUDA C Programming Guide, "Compute Capability 5.x" and later (shared memory banks,
 * 128-byte lines and 32-byte sectors) and, for CC 1.x, appendix G of version 3.x.
 */
#include "coalesce.h"

#include <string.h>

static unsigned log2_of(uint64_t power_of_two)
{
    return (unsigned)__builtin_ctzll(power_of_two);
}

/* Are all LANES addresses `*distance` apart? (The loop has a fixed even count and no early exit, so
 * that compilers turn it into vector instructions.) */
static inline bool is_uniform(const uint64_t *address, uint64_t *distance)
{
    uint64_t d = address[1] - address[0];
    uint64_t difference = (address[LANES - 1] - address[LANES - 2]) ^ d;
    for (unsigned l = 0; l < LANES - 2; l++)
        difference |= (address[l + 1] - address[l]) ^ d;
    *distance = d;
    return difference == 0;
}

/* ---- hash tables of at most LANES keys ---- */

enum { SLOT_COUNT = 2 * LANES };

/* Numbers keys 0, 1, 2, ... in the order in which they come. */
struct key_table {
    uint8_t slots[SLOT_COUNT]; /* 0: free, else number + 1 */
    unsigned count;
    uint64_t keys[LANES];
};

static void key_table_clear(struct key_table *table)
{
    memset(table->slots, 0, sizeof table->slots);
    table->count = 0;
}

/* The number of a key, which is added when it is new (number == count before the call). */
static inline unsigned key_table_number(struct key_table *table, uint64_t key)
{
    unsigned slot = (unsigned)(key * 0x9e3779b97f4a7c15ull >> 58);
    for (; table->slots[slot] != 0; slot = (slot + 1) % SLOT_COUNT)
        if (table->keys[table->slots[slot] - 1u] == key)
            return table->slots[slot] - 1u;
    table->keys[table->count] = key;
    table->slots[slot] = (uint8_t)(table->count + 1);
    return table->count++;
}

_Static_assert(SLOT_COUNT == 1 << (64 - 58), "the hash has as many values as there are slots");

/* ---- masks of the bytes of a line, 128 bits ---- */

struct byte_mask {
    uint64_t half[2];
};

static inline uint64_t ones(unsigned count)
{
    return count >= 64 ? ~0ull : (1ull << count) - 1;
}

static inline void byte_mask_add(struct byte_mask *mask, unsigned start, unsigned length)
{
    unsigned end = start + length;
    if (start < 64)
        mask->half[0] |= ones(end < 64 ? end : 64) & ~ones(start);
    if (end > 64)
        mask->half[1] |= ones(end - 64) & ~ones(start > 64 ? start - 64 : 0);
}

/* The first byte at or after `from` that is in the mask (flip = 0) or not in it (flip = ~0); 128
 * when there is none. */
static inline unsigned byte_mask_next(const struct byte_mask *mask, unsigned from, uint64_t flip)
{
    for (unsigned i = from / 64; i < 2; i++) {
        uint64_t left = (mask->half[i] ^ flip) & ~ones(from > 64 * i ? from - 64 * i : 0);
        if (left != 0)
            return 64 * i + (unsigned)__builtin_ctzll(left);
    }
    return 128;
}

/* ---- CC >= 2: sectors of lines ---- */

/* Lanes of one phase: as many as fill 128 bytes of a full-sized warp. */
static inline unsigned phase_lanes(unsigned lanes, unsigned bytes, unsigned full_speed_bytes)
{
    unsigned phase = bytes > full_speed_bytes ? lanes * full_speed_bytes / bytes : lanes;
    return phase > 0 ? phase : 1;
}

/* Bytes a lane can move without a second phase. */
enum { GLOBAL_PHASE_BYTES = 4 };

/* A full warp on consecutive bytes. */
static unsigned coalesce_consecutive(const struct device *device, uint64_t start, unsigned bytes,
                                     enum access_kind kind, run *runs, unsigned *sectors)
{
    unsigned sector_shift = log2_of(device->sector_bytes);
    uint64_t end = start + (uint64_t)bytes * LANES;
    uint64_t phase_bytes = (uint64_t)bytes * phase_lanes(LANES, bytes, GLOBAL_PHASE_BYTES);
    *sectors = 0;
    for (uint64_t at = start; at < end; at += phase_bytes)
        *sectors += (unsigned)(((at + phase_bytes - 1) >> sector_shift) - (at >> sector_shift)) + 1;
    unsigned count = 0;
    for (uint64_t at = start, next; at < end; at = next) {
        next = (at | (device->line_bytes - 1)) + 1;
        if (next > end)
            next = end;
        runs[count] = run_make(at, (unsigned)(next - at), kind, count == 0);
        count++;
    }
    return count;
}

/* A full warp, each lane in a line of its own. */
static unsigned coalesce_apart(const uint64_t *address, unsigned bytes, enum access_kind kind,
                               run *runs, unsigned *sectors)
{
    for (unsigned l = 0; l < LANES; l++)
        runs[l] = run_make(address[l], bytes, kind, false);
    runs[0] = run_make(address[0], bytes, kind, true);
    *sectors = LANES;
    return LANES;
}

/* The lines of one request. */
struct lines {
    struct key_table table;
    struct byte_mask touched[LANES];
    uint8_t sectors[LANES]; /* of the phase in hand, a bit each */
    unsigned line_shift, sector_shift;
};

static inline void lines_add(struct lines *lines, uint64_t address, unsigned length)
{
    unsigned known = lines->table.count;
    unsigned number = key_table_number(&lines->table, address >> lines->line_shift);
    if (number == known) {
        lines->touched[number] = (struct byte_mask){{0, 0}};
        lines->sectors[number] = 0;
    }
    unsigned start = (unsigned)address & ((1u << lines->line_shift) - 1);
    unsigned first = start >> lines->sector_shift;
    unsigned last = (start + length - 1) >> lines->sector_shift;
    byte_mask_add(&lines->touched[number], start, length);
    lines->sectors[number] |= (uint8_t)((2u << last) - (1u << first));
}

/* Add the lanes of `mask`, neighbours that are consecutive within a line as one piece. */
static void lines_add_lanes(struct lines *lines, const struct warp_access *access, uint32_t mask)
{
    uint64_t start = 0, end = 0;
    uint64_t in_line = (1ull << lines->line_shift) - 1;
    for (; mask != 0; mask &= mask - 1) {
        uint64_t address = access->address[__builtin_ctz(mask)];
        if (address == end && (address & in_line) != 0) {
            end += access->bytes;
            continue;
        }
        if (end > start)
            lines_add(lines, start, (unsigned)(end - start));
        start = address;
        end = address + access->bytes;
    }
    if (end > start)
        lines_add(lines, start, (unsigned)(end - start));
}

/* Sectors of the phase that ends here; the next one starts with none. */
static unsigned lines_end_phase(struct lines *lines)
{
    unsigned count = 0;
    for (unsigned i = 0; i < lines->table.count; i++) {
        count += (unsigned)__builtin_popcount(lines->sectors[i]);
        lines->sectors[i] = 0;
    }
    return count;
}

static unsigned lines_to_runs(const struct lines *lines, enum access_kind kind, run *runs)
{
    unsigned count = 0;
    for (unsigned i = 0; i < lines->table.count; i++) {
        const struct byte_mask *touched = &lines->touched[i];
        uint64_t base = lines->table.keys[i] << lines->line_shift;
        unsigned end;
        for (unsigned start = byte_mask_next(touched, 0, 0); start < 128;
             start = byte_mask_next(touched, end, 0)) {
            end = byte_mask_next(touched, start, ~0ull);
            runs[count] = run_make(base + start, end - start, kind, count == 0);
            count++;
        }
    }
    return count;
}

static unsigned coalesce_lines(const struct device *device, const struct warp_access *access,
                               enum access_kind kind, run *runs, unsigned *sectors)
{
    struct lines lines;
    key_table_clear(&lines.table);
    lines.line_shift = log2_of(device->line_bytes);
    lines.sector_shift = log2_of(device->sector_bytes);
    unsigned phase = phase_lanes((unsigned)device->warp_lanes, access->bytes, GLOBAL_PHASE_BYTES);
    *sectors = 0;
    for (unsigned lane = 0; lane < LANES; lane += phase) {
        uint32_t mask = access->mask & (uint32_t)(ones(phase) << lane);
        if (mask == 0)
            continue;
        lines_add_lanes(&lines, access, mask);
        *sectors += lines_end_phase(&lines);
    }
    return lines_to_runs(&lines, kind, runs);
}

static unsigned coalesce_sectors(const struct device *device, const struct warp_access *access,
                                 enum access_kind kind, run *runs, unsigned *sectors)
{
    uint64_t distance;
    if (access->mask == ~0u && is_uniform(access->address, &distance)) {
        if (distance == access->bytes)
            return coalesce_consecutive(device, access->address[0], access->bytes, kind, runs,
                                        sectors);
        if (distance >= device->line_bytes && -distance >= device->line_bytes)
            return coalesce_apart(access->address, access->bytes, kind, runs, sectors);
    }
    return coalesce_lines(device, access, kind, runs, sectors);
}

/* ---- CC 1.x: segments, a half-warp at a time ---- */

/* Lanes of `mask` whose address lies in the segment; *low and *high become the bytes they use. */
static uint32_t segment_lanes(const struct warp_access *access, uint32_t mask, uint64_t segment,
                              unsigned size, uint64_t *low, uint64_t *high)
{
    uint32_t inside = 0;
    *low = segment + size;
    *high = segment;
    for (; mask != 0; mask &= mask - 1) {
        unsigned lane = (unsigned)__builtin_ctz(mask);
        uint64_t address = access->address[lane];
        if (address - segment >= size)
            continue;
        inside |= 1u << lane;
        if (address < *low)
            *low = address;
        if (address + access->bytes > *high)
            *high = address + access->bytes;
    }
    return inside;
}

/* CC 1.2 and 1.3 (guide 3.x, G.3.2.2): the segment of the lowest lane left, every other lane that
 * lies in it, halved while only one half is used. */
static unsigned coalesce_segments(const struct warp_access *access, uint32_t half_warp,
                                  enum access_kind kind, run *runs, unsigned count)
{
    unsigned full = access->bytes == 1 ? 32 : access->bytes == 2 ? 64 : 128;
    while (half_warp != 0) {
        uint64_t low, high;
        unsigned size = full;
        uint64_t segment = access->address[__builtin_ctz(half_warp)] & ~(uint64_t)(size - 1);
        half_warp &= ~segment_lanes(access, half_warp, segment, size, &low, &high);
        while (size > 32 && (high <= segment + size / 2 || low >= segment + size / 2)) {
            size /= 2;
            if (low >= segment + size)
                segment += size;
        }
        runs[count] = run_make(segment, size, kind, count == 0);
        count++;
    }
    return count;
}

/* Does lane k of the half-warp use word k of a block that is aligned to the half-warp's width?
 * Lanes that are off do not matter. *block becomes its address. */
static bool is_in_sequence(const struct warp_access *access, uint32_t half_warp, unsigned lanes,
                           uint64_t *block)
{
    unsigned first = (unsigned)__builtin_ctz(half_warp);
    *block = access->address[first] - (uint64_t)(first % lanes) * access->bytes;
    if (access->bytes < 4 || *block % ((uint64_t)lanes * access->bytes) != 0)
        return false;
    for (; half_warp != 0; half_warp &= half_warp - 1) {
        unsigned lane = (unsigned)__builtin_ctz(half_warp);
        if (access->address[lane] != *block + (uint64_t)(lane % lanes) * access->bytes)
            return false;
    }
    return true;
}

/* CC 1.0 and 1.1 (guide 3.x, G.3.2.1): one 64-byte, one 128-byte or two 128-byte transactions for
 * words of 4, 8 and 16 bytes in sequence; else 32 bytes for each lane. */
static unsigned coalesce_strict(const struct warp_access *access, uint32_t half_warp,
                                unsigned lanes, enum access_kind kind, run *runs, unsigned count)
{
    uint64_t block;
    if (half_warp != 0 && is_in_sequence(access, half_warp, lanes, &block)) {
        uint64_t end = block + (uint64_t)lanes * access->bytes;
        for (unsigned size; block < end; block += size, count++) {
            size = end - block < 128 ? (unsigned)(end - block) : 128;
            runs[count] = run_make(block, size, kind, count == 0);
        }
        return count;
    }
    for (; half_warp != 0; half_warp &= half_warp - 1, count++)
        runs[count] =
            run_make(access->address[__builtin_ctz(half_warp)] & ~31ull, 32, kind, count == 0);
    return count;
}

unsigned coalesce_global(const struct device *device, const struct warp_access *access,
                         enum access_kind kind, run *runs, unsigned *sectors)
{
    if (device->coalescing == COALESCE_SECTORS)
        return coalesce_sectors(device, access, kind, runs, sectors);
    unsigned lanes = (unsigned)device->shared_lanes, count = 0;
    for (unsigned lane = 0; lane < device->warp_lanes; lane += lanes) {
        uint32_t half_warp = access->mask & (uint32_t)(ones(lanes) << lane);
        count = device->coalescing == COALESCE_SEGMENTS
                    ? coalesce_segments(access, half_warp, kind, runs, count)
                    : coalesce_strict(access, half_warp, lanes, kind, runs, count);
    }
    *sectors = count;
    return count;
}

/* ---- shared memory ---- */

/* Wavefronts of one phase: the most distinct words that any one bank has to give. */
static unsigned phase_wavefronts(const struct device *device, const struct warp_access *access,
                                 uint32_t mask)
{
    struct key_table words;
    uint8_t words_of_bank[64];
    unsigned bank_shift = log2_of(device->shared_bank_bytes);
    unsigned bank_mask = (unsigned)device->shared_banks - 1;
    unsigned words_per_lane = ((access->bytes - 1) >> bank_shift) + 1;
    unsigned most = 0;
    key_table_clear(&words);
    memset(words_of_bank, 0, bank_mask + 1);
    for (; mask != 0; mask &= mask - 1) {
        uint64_t first = access->address[__builtin_ctz(mask)] >> bank_shift;
        for (uint64_t word = first; word < first + words_per_lane; word++) {
            unsigned known = words.count;
            if (key_table_number(&words, word) != known)
                continue;
            unsigned load = ++words_of_bank[word & bank_mask];
            if (load > most)
                most = load;
        }
    }
    return most;
}

/* Full warps of bank-sized words at a uniform distance: banks / gcd(distance, banks) banks are
 * used, so each of them gives lanes / that many words. */
static unsigned uniform_wavefronts(const struct device *device, uint64_t distance)
{
    unsigned lanes = (unsigned)device->shared_lanes, banks = (unsigned)device->shared_banks;
    uint64_t words = distance >> log2_of(device->shared_bank_bytes);
    if (words == 0)
        return 1;
    unsigned used = banks >> __builtin_ctzll(words | banks);
    return lanes > used ? lanes / used : 1;
}

struct bank_count banks_shared(const struct device *device, const struct warp_access *access)
{
    uint64_t distance;
    unsigned word = (unsigned)device->shared_bank_bytes;
    if (access->mask == ~0u && access->bytes == word && is_uniform(access->address, &distance) &&
        distance % word == 0) {
        unsigned phases = LANES / (unsigned)device->shared_lanes;
        return (struct bank_count){phases * uniform_wavefronts(device, distance), phases};
    }
    struct bank_count count = {0, 0};
    unsigned phase = phase_lanes((unsigned)device->shared_lanes, access->bytes, word);
    for (unsigned lane = 0; lane < LANES; lane += phase) {
        uint32_t mask = access->mask & (uint32_t)(ones(phase) << lane);
        if (mask == 0)
            continue;
        count.wavefronts += phase_wavefronts(device, access, mask);
        count.ideal++;
    }
    return count.ideal > 0 ? count : (struct bank_count){1, 1};
}
