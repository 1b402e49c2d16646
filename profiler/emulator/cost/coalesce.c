/* coalesce.c: the cost of one access of a warp.
 *
 * coalesce_global and banks_shared run for every access of a warp, so each function tries common
 * patterns first. If the caller states that each half warp accesses consecutive elements or one
 * element, the functions process two pieces instead of 32 lanes. An access is *uniform* if all
 * lanes are active and the distance from lane to lane is constant. At a distance of a line or more,
 * every lane of a global access touches a different line. The words of a shared access use banks /
 * gcd(distance, banks) different banks, evenly.
 *
 * Sources: CUDA C Programming Guide, "Compute Capability 5.x" and later (shared memory banks,
 * 128-byte lines and 32-byte sectors) and, for CC 1.x, appendix G of version 3.x. */
#include "emulator/cost/coalesce.h"

#include "base/vectorised.h"

#include <string.h>

static unsigned log2_of(uint64_t power_of_two)
{
    return (unsigned)__builtin_ctzll(power_of_two);
}

/* Returns true if all consecutive addresses have the same distance, and sets *distance. The loop
 * has no early exit, so that compilers vectorize it. */
VECTORISED static bool is_evenly_spaced(const uint64_t *address, uint64_t *distance)
{
    uint64_t d = address[1] - address[0];
    uint64_t difference = (address[LANES - 1] - address[LANES - 2]) ^ d;
    for (unsigned l = 0; l < LANES - 2; l++)
        difference |= (address[l + 1] - address[l]) ^ d;
    *distance = d;
    return difference == 0;
}

static inline uint64_t ones(unsigned count)
{
    return count >= 64 ? ~0ull : (1ull << count) - 1;
}

enum { HALF = LANES / 2 };

struct piece {
    uint64_t start, end;
};

static struct piece half_piece(const struct warp_access *access, unsigned half)
{
    uint64_t start = access->address[half * HALF];
    unsigned lanes = access->halves[half] == HALF_IN_ROW ? HALF : 1;
    return (struct piece){start, start + lanes * access->bytes};
}

static unsigned piece_to_runs(const struct device *device, const struct piece *piece,
                              enum access_kind kind, trace_run *runs, unsigned count,
                              unsigned *sectors)
{
    unsigned sector_shift = log2_of(device->sector_bytes);
    *sectors += (unsigned)(((piece->end - 1) >> sector_shift) - (piece->start >> sector_shift)) + 1;
    for (uint64_t at = piece->start, next; at < piece->end; at = next) {
        next = (at | (device->line_bytes - 1)) + 1;
        if (next > piece->end)
            next = piece->end;
        runs[count] = run_make(at, (unsigned)(next - at), kind, count == 0);
        count++;
    }
    return count;
}

/* The bytes of one line that some lanes touch. Usually the bytes are one piece, from `start` to
 * `end`. Otherwise, bit b of `mask` represents byte b, and `end` is 0. */
struct line {
    uint64_t number; /* Address / line size. */
    uint64_t mask[2];
    unsigned start, end;
};

struct lines {
    unsigned count, shift; /* `shift` is log2 of the line size. */
    uint64_t seen;
    struct line items[LANES];
};

static inline uint64_t line_hash_bit(uint64_t number)
{
    return 1ull << (number * HASH_MULTIPLIER >> 58);
}

/* Returns the line, or NULL. `guess` is the likely index of the line, and is tested first. */
static inline struct line *lines_find(struct lines *lines, uint64_t number, unsigned guess)
{
    if (guess < lines->count && lines->items[guess].number == number)
        return &lines->items[guess];
    if (lines->seen & line_hash_bit(number))
        for (unsigned i = 0; i < lines->count; i++)
            if (lines->items[i].number == number)
                return &lines->items[i];
    return NULL;
}

static void mask_add(uint64_t mask[2], unsigned start, unsigned end)
{
    if (start < 64)
        mask[0] |= ones(end < 64 ? end : 64) & ~ones(start);
    if (end > 64)
        mask[1] |= ones(end - 64) & ~ones(start > 64 ? start - 64 : 0);
}

static void line_add(struct line *line, unsigned start, unsigned end)
{
    if (line->end != 0) {
        if (start >= line->start && start <= line->end) {
            line->end = end > line->end ? end : line->end;
            return;
        }
        line->mask[0] = line->mask[1] = 0;
        mask_add(line->mask, line->start, line->end);
        line->end = 0;
    }
    mask_add(line->mask, start, end);
}

static void lines_add(struct lines *lines, uint64_t address, uint64_t end, unsigned *guess)
{
    uint64_t number = address >> lines->shift;
    unsigned start = (unsigned)(address - (number << lines->shift));
    unsigned stop = start + (unsigned)(end - address);
    struct line *line = lines_find(lines, number, *guess);
    if (line) {
        line_add(line, start, stop);
    } else {
        line = &lines->items[lines->count++];
        line->number = number;
        line->start = start;
        line->end = stop;
        lines->seen |= line_hash_bit(number);
    }
    *guess = (unsigned)(line - lines->items) + 1;
    if (*guess == lines->count)
        *guess = 0;
}

static void lines_collect_halves(struct lines *lines, const struct warp_access *access)
{
    unsigned guess = 0;
    for (unsigned half = 0; half < 2; half++) {
        struct piece piece = half_piece(access, half);
        for (uint64_t at = piece.start, next; at < piece.end; at = next) {
            next = ((at >> lines->shift) + 1) << lines->shift;
            next = next < piece.end ? next : piece.end;
            lines_add(lines, at, next, &guess);
        }
    }
}

static void lines_collect(struct lines *lines, const struct warp_access *access)
{
    uint64_t in_line = (1ull << lines->shift) - 1;
    uint32_t mask = access->mask;
    unsigned guess = 0;
    lines->count = 0;
    lines->seen = 0;
    if (access->halves[0]) {
        lines_collect_halves(lines, access);
        return;
    }
    while (mask != 0) {
        uint64_t address = access->address[__builtin_ctz(mask)], end = address;
        do {
            end += access->bytes;
            do
                mask &= mask - 1;
            while (mask != 0 && access->address[__builtin_ctz(mask)] == end - access->bytes);
        } while (mask != 0 && (end & in_line) != 0 && access->address[__builtin_ctz(mask)] == end);
        lines_add(lines, address, end, &guess);
    }
}

static unsigned lines_sectors(const struct lines *lines, const struct device *device)
{
    unsigned shift = log2_of(device->sector_bytes), size = (unsigned)device->sector_bytes;
    unsigned count = 0;
    for (unsigned i = 0; i < lines->count; i++) {
        const struct line *line = &lines->items[i];
        if (line->end != 0)
            count += ((line->end - 1) >> shift) - (line->start >> shift) + 1;
        else
            for (unsigned at = 0; at < 128; at += size)
                count += (line->mask[at / 64] >> at % 64 & ones(size)) != 0;
    }
    return count;
}

static unsigned mask_to_runs(const struct line *line, uint64_t base, enum access_kind kind,
                             trace_run *runs, unsigned count)
{
    unsigned end = 0;
    for (unsigned half = 0; half < 2; half++) {
        uint64_t left = line->mask[half];
        while (left != 0) {
            unsigned skip = (unsigned)__builtin_ctzll(left);
            uint64_t gap = ~(left >> skip);
            unsigned start = 64 * half + skip;
            unsigned length = gap != 0 ? (unsigned)__builtin_ctzll(gap) : 64;
            left &= left + (1ull << skip); /* The carry clears the run. */
            if (start == 64 && end == 64) {
                start = (unsigned)(run_address(runs[--count]) - base);
                length += 64 - start;
            }
            end = start + length;
            runs[count++] = run_make(base + start, length, kind, false);
        }
    }
    return count;
}

static unsigned lines_to_runs(const struct lines *lines, enum access_kind kind, trace_run *runs)
{
    unsigned count = 0;
    for (unsigned i = 0; i < lines->count; i++) {
        const struct line *line = &lines->items[i];
        uint64_t base = line->number << lines->shift;
        if (line->end != 0)
            runs[count++] = run_make(base + line->start, line->end - line->start, kind, false);
        else
            count = mask_to_runs(line, base, kind, runs, count);
    }
    if (count > 0)
        runs[0] |= RUN_FIRST;
    return count;
}

static unsigned coalesce_lines(const struct device *device, const struct warp_access *access,
                               enum access_kind kind, trace_run *runs, unsigned *sectors)
{
    struct lines lines;
    lines.shift = log2_of(device->line_bytes);
    lines_collect(&lines, access);
    *sectors = lines_sectors(&lines, device);
    return lines_to_runs(&lines, kind, runs);
}

static unsigned coalesce_halves(const struct device *device, const struct warp_access *access,
                                enum access_kind kind, trace_run *runs, unsigned *sectors)
{
    struct piece first = half_piece(access, 0), second = half_piece(access, 1);
    unsigned line_shift = log2_of(device->line_bytes);
    *sectors = 0;
    if (first.end == second.start) {
        first.end = second.end;
    } else if (first.start != second.start || first.end != second.end) {
        if ((first.end - 1) >> line_shift >= second.start >> line_shift &&
            (second.end - 1) >> line_shift >= first.start >> line_shift)
            return coalesce_lines(device, access, kind, runs, sectors);
        unsigned count = piece_to_runs(device, &first, kind, runs, 0, sectors);
        return piece_to_runs(device, &second, kind, runs, count, sectors);
    }
    return piece_to_runs(device, &first, kind, runs, 0, sectors);
}

static unsigned coalesce_sectors(const struct device *device, const struct warp_access *access,
                                 enum access_kind kind, trace_run *runs, unsigned *sectors)
{
    uint64_t distance;
    if (access->halves[0])
        return coalesce_halves(device, access, kind, runs, sectors);
    if (access->mask != ~0u || !is_evenly_spaced(access->address, &distance) ||
        distance < device->line_bytes || -distance < device->line_bytes)
        return coalesce_lines(device, access, kind, runs, sectors);
    for (unsigned l = 0; l < LANES; l++)
        runs[l] = run_make(access->address[l], access->bytes, kind, false);
    runs[0] |= RUN_FIRST;
    return *sectors = LANES;
}

static uint32_t segment_lanes(const struct warp_access *access, uint32_t mask, uint64_t segment,
                              unsigned size, uint64_t *low, uint64_t *high)
{
    uint32_t inside = 0;
    *low = segment + size;
    *high = segment;
    FOR_LANES (lane, mask) {
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

/* CC 1.2 and 1.3 (guide 3.x, G.3.2.2): the segment of the lowest remaining lane serves all lanes
 * in this segment. The segment is halved while the lanes use only one half. */
static unsigned coalesce_segments(const struct warp_access *access, uint32_t half_warp,
                                  enum access_kind kind, trace_run *runs, unsigned count)
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

static bool is_in_sequence(const struct warp_access *access, uint32_t half_warp, unsigned lanes,
                           uint64_t *block)
{
    unsigned first = (unsigned)__builtin_ctz(half_warp);
    *block = access->address[first] - (uint64_t)(first % lanes) * access->bytes;
    if (access->bytes < 4 || *block % ((uint64_t)lanes * access->bytes) != 0)
        return false;
    FOR_LANES (lane, half_warp)
        if (access->address[lane] != *block + (uint64_t)(lane % lanes) * access->bytes)
            return false;
    return true;
}

/* CC 1.0 and 1.1 (guide 3.x, G.3.2.1): words of 4, 8 or 16 bytes in sequence need one 64-byte, one
 * 128-byte or two 128-byte transactions. Otherwise each lane needs one 32-byte transaction. */
static unsigned coalesce_strict(const struct warp_access *access, uint32_t half_warp,
                                unsigned lanes, enum access_kind kind, trace_run *runs,
                                unsigned count)
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
    FOR_LANES (lane, half_warp) {
        runs[count] = run_make(access->address[lane] & ~31ull, 32, kind, count == 0);
        count++;
    }
    return count;
}

unsigned coalesce_global(const struct device *device, const struct warp_access *access,
                         enum access_kind kind, trace_run *runs, unsigned *sectors)
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

bool coalesce_column(const struct device *device, const struct warp_access *access,
                     trace_run *column)
{
    uint64_t distance;
    if (device->coalescing != COALESCE_SECTORS || access->halves[0] || access->mask != ~0u ||
        !is_evenly_spaced(access->address, &distance) || distance < device->line_bytes ||
        distance >> RUN_ADDRESS_BITS)
        return false;
    column[0] = run_make(access->address[0], access->bytes, ACCESS_COLUMN, true);
    column[1] = run_make(distance, 1, ACCESS_DROPPED, false);
    return true;
}

enum { MAX_BANKS = 64 };

/* A row has one word of each bank. */
enum { ROWS_NEAR = 8, ROW_COUNT_BITS = 4 };

VECTORISED static uint64_t collect_rows(const uint64_t *address, uint32_t mask, uint64_t first,
                                        unsigned bank_shift, unsigned row_shift,
                                        uint32_t *restrict rows)
{
    uint32_t row[LANES], bank[LANES], banks = (1u << (row_shift - bank_shift)) - 1;
    uint64_t all = 0;
    for (unsigned l = 0; l < LANES; l++) {
        bool is_on = mask >> l & 1;
        uint64_t number = is_on ? (address[l] >> row_shift) - first : 0;
        all |= number;
        row[l] = (uint32_t)number;
        bank[l] = (uint32_t)is_on << ((uint32_t)(address[l] >> bank_shift) & banks);
    }
    for (unsigned r = 0; r < ROWS_NEAR && r <= all; r++) {
        uint32_t set = 0;
        for (unsigned l = 0; l < LANES; l++)
            set |= row[l] == r ? bank[l] : 0;
        rows[r] = set;
    }
    return all;
}

/* Like phase_wavefronts, but returns 0 unless each lane accesses one word in the ROWS_NEAR rows
 * that begin with the row of the lowest active lane. rows[r] is the set of banks that row r
 * uses. For each bank b, the bits b of sums[0], sums[1], ... are the number of rows that use b. */
static unsigned near_wavefronts(const struct device *device, const struct warp_access *access,
                                uint32_t mask)
{
    uint32_t rows[ROWS_NEAR] = {0}, sums[ROW_COUNT_BITS] = {0}, fullest = ~0u;
    unsigned bank_shift = log2_of(device->shared_bank_bytes), most = 0;
    unsigned row_shift = bank_shift + log2_of(device->shared_banks);
    uint64_t first = access->address[__builtin_ctz(mask)] >> row_shift;
    if (access->bytes > device->shared_bank_bytes || device->shared_banks > 32 ||
        collect_rows(access->address, mask, first, bank_shift, row_shift, rows) >= ROWS_NEAR)
        return 0;
    for (unsigned row = 0; row < ROWS_NEAR; row++)
        for (unsigned bit = 0; rows[row] != 0; bit++) {
            uint32_t carry = sums[bit] & rows[row];
            sums[bit] ^= rows[row];
            rows[row] = carry;
        }
    for (unsigned bit = ROW_COUNT_BITS; bit-- > 0;)
        if (fullest & sums[bit]) {
            fullest &= sums[bit];
            most |= 1u << bit;
        }
    return most;
}

static unsigned phase_wavefronts(const struct device *device, const struct warp_access *access,
                                 uint32_t mask)
{
    unsigned near = near_wavefronts(device, access, mask);
    if (near != 0)
        return near;
    uint64_t words[LANES + 1];                  /* Distinct words, from index 1 on. */
    uint8_t next[LANES + 1];                    /* Index of the next word of the same bank, or 0. */
    uint8_t first[MAX_BANKS], loads[MAX_BANKS]; /* For each bank: first index, number of words. */
    unsigned bank_shift = log2_of(device->shared_bank_bytes);
    unsigned bank_mask = (unsigned)device->shared_banks - 1;
    unsigned words_per_lane = ((access->bytes - 1) >> bank_shift) + 1;
    unsigned count = 0, most = 0;
    uint64_t before = ~0ull;
    memset(first, 0, bank_mask + 1);
    memset(loads, 0, bank_mask + 1);
    for (; mask != 0; mask &= mask - 1) {
        uint64_t address = access->address[__builtin_ctz(mask)], word = address >> bank_shift;
        if (address == before)
            continue;
        before = address;
        for (uint64_t end = word + words_per_lane; word < end; word++) {
            unsigned bank = (unsigned)word & bank_mask, known = first[bank];
            while (known != 0 && words[known] != word)
                known = next[known];
            if (known != 0)
                continue;
            words[++count] = word;
            next[count] = first[bank];
            first[bank] = (uint8_t)count;
            if (++loads[bank] > most)
                most = loads[bank];
        }
    }
    return most;
}

static bool is_in_row(const struct warp_access *access, unsigned lane, unsigned lanes,
                      uint64_t row_bytes)
{
    uint64_t first = access->address[lane], difference = 0;
    for (unsigned l = lane; l < lane + lanes; l++)
        difference |= access->address[l] ^ first;
    return difference < row_bytes;
}

/* Returns the wavefronts of a phase in which all lanes are active. The addresses of neighbouring
 * lanes differ by `distance` times the bytes of a lane. The banks that one lane uses form a group.
 * The lanes use groups / gcd(distance, groups) groups evenly. */
static unsigned uniform_wavefronts(uint64_t distance, unsigned lanes, unsigned groups)
{
    if (distance == 0)
        return 1;
    unsigned used = groups >> __builtin_ctzll(distance | groups);
    return lanes > used ? lanes / used : 1;
}

static bool partners_agree(const struct warp_access *access, unsigned bit)
{
    FOR_LANES (lane, access->mask)
        if (access->mask >> (lane ^ bit) & 1 &&
            access->address[lane] != access->address[lane ^ bit])
            return false;
    return true;
}

/* Returns true if an access has only half of its usual phases (observed on an H200). Such an
 * access is a load of several words per lane in which all lanes l and l ^ 1, or all lanes l and
 * l ^ 2, have equal addresses. */
static bool phases_merge(const struct device *device, const struct warp_access *access)
{
    return access->bytes > device->shared_bank_bytes && !access->is_store &&
           device->shared_lanes == LANES &&
           (partners_agree(access, 1) || partners_agree(access, 2));
}

unsigned banks_phase_lanes(const struct device *device, const struct warp_access *access)
{
    unsigned lanes = (unsigned)device->shared_lanes;
    if (access->bytes > device->shared_bank_bytes)
        lanes = lanes * (unsigned)device->shared_bank_bytes / access->bytes;
    lanes += !lanes;
    return phases_merge(device, access) ? 2 * lanes : lanes;
}

bool coalesce_has_halves(const struct device *device)
{
    return device->coalescing == COALESCE_SECTORS && device->shared_lanes == LANES &&
           device->shared_banks == LANES && device->shared_bank_bytes == 4;
}

/* Like banks_shared, for 4 or 8 bytes per lane and a pattern (enum half_pattern) in each half warp.
 * With 8 bytes, each half warp has its own phase unless the phases merge. A half warp alone has no
 * conflict. If both halves are in the same row of banks, lanes that use the same bank use the same
 * word. */
static struct bank_count banks_halves(const struct device *device, const struct warp_access *access)
{
    struct piece first = half_piece(access, 0), second = half_piece(access, 1);
    uint64_t row = device->shared_banks * device->shared_bank_bytes;
    bool at_places = access->halves[0] == HALF_AT_ONCE && access->halves[1] == HALF_AT_ONCE;
    if (access->bytes > device->shared_bank_bytes && (access->is_store || !at_places))
        return (struct bank_count){2, 2};
    uint64_t low = first.start < second.start ? first.start : second.start;
    uint64_t high = first.end > second.end ? first.end : second.end;
    uint64_t offset = (second.start - first.start) & (row - 1);
    bool overlaps = offset < first.end - first.start || row - offset < second.end - second.start;
    return (struct bank_count){high - low > row && overlaps ? 2 : 1, 1};
}

struct bank_count banks_shared(const struct device *device, const struct warp_access *access)
{
    unsigned bank_bytes = (unsigned)device->shared_bank_bytes, bytes = access->bytes;
    if (access->halves[0] && (bytes == 4 || bytes == 8) && coalesce_has_halves(device))
        return banks_halves(device, access);
    unsigned lanes = banks_phase_lanes(device, access);
    uint64_t row_bytes = device->shared_banks * bank_bytes, distance;
    if (access->mask == ~0u && bytes >= bank_bytes && bytes <= row_bytes &&
        is_evenly_spaced(access->address, &distance) && distance % bytes == 0) {
        unsigned phases = LANES / lanes, groups = (unsigned)row_bytes / bytes;
        unsigned wavefronts = uniform_wavefronts(distance >> log2_of(bytes), lanes, groups);
        return (struct bank_count){phases * wavefronts, phases};
    }
    struct bank_count count = {0, 0};
    for (unsigned lane = 0; lane < LANES; lane += lanes) {
        uint32_t mask = access->mask & (uint32_t)(ones(lanes) << lane);
        if (mask == 0)
            continue;
        count.wavefronts += access->mask == ~0u && is_in_row(access, lane, lanes, row_bytes)
                                ? 1
                                : phase_wavefronts(device, access, mask);
        count.ideal++;
    }
    return count.ideal > 0 ? count : (struct bank_count){1, 1};
}
