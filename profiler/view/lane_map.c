#include "view/lane_map.h"

#include "view/block_accesses.h"

#include <stdlib.h>
#include <string.h>

static unsigned divide_up(unsigned a, unsigned b)
{
    return (a + b - 1) / b;
}

static void count_words(const struct warp_access *access, unsigned first, unsigned end,
                        struct bank_map *map, uint8_t *words)
{
    uint64_t known[LANES * 4];
    unsigned count = 0;
    for (unsigned lane = first; lane < end; lane++)
        for (unsigned w = 0; access->mask >> lane & 1 && w < map->lane_words; w++) {
            uint64_t word = access->address[lane] / map->word_bytes + w;
            unsigned i = 0;
            while (i < count && known[i] != word)
                i++;
            if (i < count)
                continue;
            known[count++] = word;
            words[word % map->banks]++;
        }
}

struct bank_map bank_map_make(const struct device *device, struct warp_access access)
{
    const struct bank_count total = banks_shared(device, &access);
    const unsigned lanes = (unsigned)device->warp_lanes;
    struct bank_map map = {.banks = (unsigned)device->shared_banks,
                           .word_bytes = (unsigned)device->shared_bank_bytes,
                           .phase_lanes = banks_phase_lanes(device, &access),
                           .wavefronts = total.wavefronts,
                           .ideal = total.ideal};
    map.lane_words = divide_up(access.bytes, map.word_bytes);
    map.phases = divide_up(lanes, map.phase_lanes);
    for (unsigned phase = 0; phase < map.phases; phase++) {
        const unsigned first = phase * map.phase_lanes, end = first + map.phase_lanes;
        count_words(&access, first, end < lanes ? end : lanes, &map, map.words[phase]);
        for (unsigned bank = 0; bank < map.banks; bank++)
            if (map.words[phase][bank] > map.phase_wavefronts[phase])
                map.phase_wavefronts[phase] = map.words[phase][bank];
    }
    return map;
}

unsigned bank_of(const struct bank_map *map, uint64_t address)
{
    return (unsigned)(address / map->word_bytes % map->banks);
}

static int compare_pieces(const void *a, const void *b)
{
    uint64_t x = ((const struct access_piece *)a)->address;
    uint64_t y = ((const struct access_piece *)b)->address;
    return (x > y) - (x < y);
}

static void find_sectors(const struct warp_access *access, unsigned sector, struct sector_map *map)
{
    for (unsigned lane = 0; lane < LANES; lane++)
        for (uint64_t at = access->address[lane] / sector * sector;
             access->mask >> lane & 1 && at < access->address[lane] + access->bytes; at += sector) {
            unsigned i = 0;
            while (i < map->count && map->pieces[i].address != at)
                i++;
            if (i == map->count && map->count < sizeof map->pieces / sizeof *map->pieces)
                map->pieces[map->count++] = (struct access_piece){at, sector};
        }
    qsort(map->pieces, map->count, sizeof *map->pieces, compare_pieces);
}

static void find_transactions(const struct device *device, const struct warp_access *access,
                              uint32_t half_warp, struct sector_map *map)
{
    struct warp_access part = *access;
    trace_run runs[COALESCE_MAX_RUNS];
    unsigned sectors, count;
    part.mask &= half_warp;
    if (!part.mask)
        return;
    count = coalesce_global(device, &part, ACCESS_LOAD, runs, &sectors);
    for (unsigned r = 0; r < count; r++)
        map->pieces[map->count++] =
            (struct access_piece){run_address(runs[r]), run_length(runs[r])};
}

static void find_lanes(const struct warp_access *access, uint32_t lanes, unsigned first,
                       struct sector_map *map)
{
    for (unsigned lane = 0; lane < LANES; lane++)
        for (unsigned i = map->count; access->mask & lanes & 1u << lane && i-- > first;) {
            const struct access_piece *piece = &map->pieces[i];
            if (access->address[lane] < piece->address + piece->bytes &&
                access->address[lane] + access->bytes > piece->address)
                map->piece[lane] = (uint8_t)i;
        }
}

/* Accesses are aligned, so two lanes access either the same bytes or no common bytes. */
static unsigned used_bytes(const struct warp_access *access, uint32_t lanes)
{
    unsigned used = 0;
    for (unsigned lane = 0; lane < LANES; lane++) {
        bool counts = access->mask & lanes & 1u << lane;
        for (unsigned before = 0; counts && before < lane; before++)
            counts = !(access->mask & lanes & 1u << before) ||
                     access->address[before] != access->address[lane];
        used += counts ? access->bytes : 0;
    }
    return used;
}

struct sector_map sector_map_make(const struct device *device, struct warp_access access)
{
    struct sector_map map = {.used_bytes = used_bytes(&access, ~0u)};
    if (device->coalescing == COALESCE_SECTORS) {
        find_sectors(&access, (unsigned)device->sector_bytes, &map);
        find_lanes(&access, ~0u, 0, &map);
        map.ideal = divide_up(map.used_bytes, (unsigned)device->sector_bytes);
    } else {
        unsigned lanes = (unsigned)device->shared_lanes;
        for (unsigned first = 0; first < device->warp_lanes; first += lanes) {
            unsigned before = map.count;
            uint32_t half_warp = (uint32_t)(((1ull << lanes) - 1) << first);
            find_transactions(device, &access, half_warp, &map);
            find_lanes(&access, half_warp, before, &map);
            map.ideal += divide_up(used_bytes(&access, half_warp), (unsigned)device->line_bytes);
        }
    }
    for (unsigned i = 0; i < map.count; i++)
        map.moved_bytes += map.pieces[i].bytes;
    return map;
}

const char *sector_map_unit(const struct device *device)
{
    return device->coalescing == COALESCE_SECTORS ? "sector" : "segment";
}

unsigned lane_map_excess(const struct device *device, const struct observed_access *access)
{
    const struct warp_access pattern = block_access_pattern(access);
    if (access->is_shared) {
        struct bank_count count = banks_shared(device, &pattern);
        return count.wavefronts - count.ideal;
    }
    const struct sector_map map = sector_map_make(device, pattern);
    return map.count > map.ideal ? map.count - map.ideal : 0;
}
