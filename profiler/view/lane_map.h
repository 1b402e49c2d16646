/* lane_map.h: the bank or sector of each lane of an access, with the totals of coalesce.h. */
#ifndef LANE_MAP_H
#define LANE_MAP_H

#include "emulator/cost/coalesce.h"

enum { LANE_MAP_BANKS = 64 };

/* The banks of one shared-memory access. The lanes are processed in phases of `phase_lanes`
 * neighbouring lanes. In each phase, a bank needs one wavefront for each different word. */
struct bank_map {
    unsigned banks, word_bytes;
    unsigned phases, phase_lanes;
    unsigned lane_words; /* Words of one lane: 1, 2 or 4. */
    /* Number of different accessed words, by phase and bank. */
    uint8_t words[LANES][LANE_MAP_BANKS];
    unsigned phase_wavefronts[LANES];
    unsigned wavefronts, ideal;
};
struct bank_map bank_map_make(const struct device *device, struct warp_access access);

unsigned bank_of(const struct bank_map *map, uint64_t address);

/* A unit of transfer in global memory: a sector, or on CC 1.x a transaction (segment). */
struct access_piece {
    uint64_t address;
    unsigned bytes;
};

/* The sectors of one global access by address, or its CC 1.x transactions in execution order. */
struct sector_map {
    /* Number of pieces, and the smallest number of pieces that can contain used_bytes bytes. */
    unsigned count, ideal;
    /* Bytes of all pieces; number of different bytes that the lanes access. */
    unsigned moved_bytes, used_bytes;
    struct access_piece pieces[COALESCE_MAX_RUNS * 2];
    uint8_t piece[LANES]; /* Piece of a lane's first byte; undefined for inactive lanes. */
};
struct sector_map sector_map_make(const struct device *device, struct warp_access access);

const char *sector_map_unit(const struct device *device);

struct observed_access;
/* Returns the number of wavefronts, or of sectors, above the minimum. */
unsigned lane_map_excess(const struct device *device, const struct observed_access *access);

#endif
