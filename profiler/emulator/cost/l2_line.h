/* l2_line.h: what the L2 knows of a line, 64 bits: which of its words are there, and which sectors
 * are dirty. Pure functions of these bits.
 */
#ifndef L2_LINE_H
#define L2_LINE_H

#include "emulator/cost/cache.h"
#include "emulator/cost/geometry.h"

/* The state of an L2 line: bit w for word w that is there; a bit for each dirty sector, at the
 * place of its first word; whether its byte mask is in use; the slot (cache.h). */
#define SECTORS_MASK 0x01010101ull /* the first words of the sectors */
enum { DIRTY_SHIFT = 32, SECTOR_WORDS = 8 };
#define FINE_BIT (1ull << 57)

_Static_assert(FINE_BIT > SECTORS_MASK << DIRTY_SHIFT, "the dirty bits end below");

/* Sets of sectors are written with a bit at each sector's first word. */
static inline uint64_t sectors_bytes(uint64_t sectors)
{
    return (sectors * SECTORS_MASK >> 24 & 255) << SECTOR_SHIFT;
}

/* Those whose words are all there. */
static inline uint64_t sectors_complete(uint64_t state)
{
    state &= state >> 4;
    state &= state >> 2;
    state &= state >> 1;
    return state & SECTORS_MASK;
}

static inline uint64_t sectors_dirty(uint64_t state)
{
    return state >> DIRTY_SHIFT & SECTORS_MASK;
}

/* The other sectors of the 64 bytes that each lies in: DRAM is read in pairs. */
static inline uint64_t sectors_fetched_with(uint64_t sectors)
{
    const uint64_t even = SECTORS_MASK & 0x00ff00ff;
    return (sectors & even) << SECTOR_WORDS | (sectors >> SECTOR_WORDS & even);
}

/* Those that the bytes [start, end) of a line touch. */
static inline uint64_t sectors_touched(unsigned start, unsigned end)
{
    unsigned first = start >> SECTOR_SHIFT, last = (end - 1) >> SECTOR_SHIFT;
    return SECTORS_MASK << SECTOR_WORDS * first &
           SECTORS_MASK >> SECTOR_WORDS * (LINE_SECTORS - 1 - last);
}

/* Dirty sectors that lack words. */
static inline uint64_t sectors_incomplete(uint64_t state)
{
    return sectors_dirty(state) & ~sectors_complete(state);
}

/* Bytes of a line that are there; only of words that are there in part. */
struct byte_mask {
    uint64_t half[2];
};

/* Gather bytes [start, end) in the line's mask; words whose four bytes are there move to the state.
 */
static inline void line_store_bytes(uint64_t *state, struct byte_mask *mask, unsigned start,
                                    unsigned end)
{
    if (!(*state & FINE_BIT))
        *mask = (struct byte_mask){{0, 0}};
    *state |= FINE_BIT;
    for (unsigned b = start; b < end; b++)
        mask->half[b / 64] |= 1ull << b % 64;
    for (unsigned word = start / 4; word <= (end - 1) / 4; word++)
        if ((mask->half[word / 16] >> word % 16 * 4 & 15) == 15)
            *state |= 1ull << word;
}

/* Write bytes [start, end) of a line; `masks` are its set's, by slot. */
static inline void line_store(uint64_t *state, struct byte_mask *masks, unsigned start,
                              unsigned end)
{
    *state |= sectors_touched(start, end) << DIRTY_SHIFT;
    if (((start | end) & 3) != 0)
        line_store_bytes(state, &masks[*state >> CACHE_SLOT_SHIFT], start, end);
    else
        *state |= (1ull << end / 4) - (1ull << start / 4);
}

/* All words of the dirty sectors are there, and written: the line is clean. */
static inline void line_clean(uint64_t *state)
{
    *state |= sectors_dirty(*state) * 255;
    *state &= ~(SECTORS_MASK << DIRTY_SHIFT);
}

#endif
