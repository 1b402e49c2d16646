/* lane_map.h: where each lane of one access goes: to which bank, or to which sector, and how many
 * lanes meet there. Pure functions from addresses, for people to look at; what is counted is
 * coalesce.h's, and the totals here are the same.
 */
#ifndef LANE_MAP_H
#define LANE_MAP_H

#include "emulator/cost/coalesce.h"

enum { LANE_MAP_BANKS = 64 };

/* A shared-memory access. The lanes are served in phases of `phase_lanes` neighbours; in each, a
 * bank gives one wavefront for every different word that is asked of it. */
struct bank_map {
    unsigned banks, word_bytes;
    unsigned phases, phase_lanes;
    unsigned lane_words; /* words of one lane: 1, 2 or 4 */
    /* Different words asked of a bank, by phase. */
    uint8_t words[LANES][LANE_MAP_BANKS];
    unsigned phase_wavefronts[LANES];
    unsigned wavefronts, ideal;
};
void bank_map_make(const struct device *device, const struct warp_access *access,
                   struct bank_map *map);

/* The bank of an address. */
unsigned bank_of(const struct bank_map *map, uint64_t address);

/* A piece of global memory that is moved as one: a sector, or on CC 1.x a transaction (segment). */
struct access_piece {
    uint64_t address;
    unsigned bytes;
};

/* A global access. Sectors stand by address, transactions in the order in which they are made. */
struct sector_map {
    unsigned count, ideal; /* pieces, and the fewest that could hold as many different bytes */
    unsigned moved_bytes, used_bytes; /* by all pieces; different bytes that lanes use */
    struct access_piece pieces[COALESCE_MAX_RUNS * 2];
    uint8_t piece[LANES]; /* of a lane's first byte; nothing for lanes that are off */
};
void sector_map_make(const struct device *device, const struct warp_access *access,
                     struct sector_map *map);

/* Wavefronts or sectors more than the ideal. */
struct observed_access;
unsigned lane_map_excess(const struct device *device, const struct observed_access *access);

#endif
