/* block_places.h: where every block of a launch loads and stores: the rectangle of a matrix that
 * its accesses span. Pictures of the order of blocks are made of it.
 */
#ifndef BLOCK_PLACES_H
#define BLOCK_PLACES_H

#include "emulator/emulator.h"

enum { BLOCK_PLACES_MAX = 1 << 22 }; /* blocks; later ones are not looked at */

/* The lowest and the highest guest address of a block's global loads, or stores. */
struct block_span {
    bool is_used;
    uint64_t low, high;
};

struct block_places {
    struct observer observer;      /* hand this to a run of one worker */
    struct block_span (*spans)[2]; /* by block number: loads, stores */
    uint64_t count, capacity;      /* blocks up to the last one that made an access */
    bool no_memory;
};

/* Both ends included; columns and rows of elements. */
struct block_rectangle {
    uint64_t low_x, low_y, high_x, high_y;
    uint64_t address; /* guest address of the first element */
};

void block_places_begin(struct block_places *places);
void block_places_free(struct block_places *places);

/* The rectangle between the first and the last element that the block loads from a matrix, or
 * stores to one; for tiles that is all of it. False: it does nothing of the kind. */
bool block_places_rectangle(const struct block_places *places, const struct guest_memory *memory,
                            uint64_t block, bool is_store, struct block_rectangle *rectangle);

#endif
