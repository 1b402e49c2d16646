/* block_places.h: where every block of a launch loads and stores: the rectangles of a matrix that
 * its accesses span. Pictures of the order of blocks are made of it.
 */
#ifndef BLOCK_PLACES_H
#define BLOCK_PLACES_H

#include "emulator/emulator.h"

enum {
    BLOCK_PLACES_MAX = 1 << 22, /* blocks; later ones are not looked at */
    BLOCK_RECTANGLES = 2,       /* of a block: two tiles that change places */
};

/* Both ends included; columns and rows of elements. */
struct block_rectangle {
    uint64_t base; /* guest address of the array; 0: there is no rectangle */
    uint32_t low_x, low_y, high_x, high_y;
};

struct block_places {
    struct observer observer;          /* hand this to a run of one worker, */
    const struct guest_memory *memory; /* whose memory this is; NULL: nothing is noted */
    struct block_rectangle (*rectangles)[2][BLOCK_RECTANGLES]; /* by block: loads, stores */
    uint64_t count, capacity; /* blocks up to the last one that made an access */
    bool no_memory;
};

void block_places_begin(struct block_places *places);
void block_places_free(struct block_places *places);

/* The rectangles of matrices that the block loads, or stores to, as many as there are; NULL: none.
 * Accesses with a row or a column in common belong to one, for tiles all of it; where a block
 * touches more than BLOCK_RECTANGLES, it is not known which. */
const struct block_rectangle *block_places_of(const struct block_places *places, uint64_t block,
                                              bool is_store);

#endif
