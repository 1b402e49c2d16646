/* block_places.h: the rectangles of a matrix that each block of a launch loads and stores. */
#ifndef BLOCK_PLACES_H
#define BLOCK_PLACES_H

#include "emulator/emulator.h"

enum {
    BLOCK_PLACES_MAX = 1 << 22, /* Maximum number of blocks; further blocks are ignored. */
    BLOCK_RECTANGLES = 2,       /* Rectangles per block, because a block may exchange two tiles. */
};

/* Both ends of the ranges of columns and rows are included. */
struct block_rectangle {
    uint64_t base; /* Guest address of the array; 0 if there is no rectangle. */
    uint32_t low_x, low_y, high_x, high_y;
};

struct block_places {
    struct observer observer;
    const struct guest_memory *memory; /* Memory of the run; NULL to ignore accesses. */
    struct block_rectangle (*rectangles)[2][BLOCK_RECTANGLES]; /* Per block: loads, then stores. */
    uint64_t count, capacity; /* `count`: index of the last block with an access, plus 1. */
};

void block_places_begin(struct block_places *places);
void block_places_free(struct block_places *places);

/* Returns the BLOCK_RECTANGLES rectangles that a block loads or stores; NULL if there are none.
 * Accesses that share a row or column belong to one rectangle. If both rectangles are in use, later
 * accesses to the array of the first rectangle extend it, and all other accesses are ignored. */
const struct block_rectangle *block_places_of(const struct block_places *places, uint64_t block,
                                              bool is_store);

#endif
