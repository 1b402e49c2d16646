/* l2_line.h: the state of a line in the L2, in 64 bits: its valid words and dirty sectors. */
#ifndef L2_LINE_H
#define L2_LINE_H

#include "emulator/cost/cache.h"
#include "emulator/cost/geometry.h"

/* The bit of a dirty sector is the bit of its first word, shifted by DIRTY_SHIFT. The state also
 * has FINE_BIT (the line's byte mask is in use) and the slot (cache.h). */
#define SECTORS_MASK 0x01010101ull /* The first words of the sectors. */
enum { DIRTY_SHIFT = 32, SECTOR_WORDS = 8 };
#define FINE_BIT (1ull << 57)

_Static_assert(FINE_BIT > SECTORS_MASK << DIRTY_SHIFT, "the dirty bits end below");

static inline uint64_t sectors_bytes(uint64_t sectors)
{
    return (sectors * SECTORS_MASK >> 24 & 255) << SECTOR_SHIFT;
}

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

/* Returns the other sectors of the same 64 bytes. DRAM is read 64 bytes at a time. */
static inline uint64_t sectors_fetched_with(uint64_t sectors)
{
    const uint64_t even = SECTORS_MASK & 0x00ff00ff;
    return (sectors & even) << SECTOR_WORDS | (sectors >> SECTOR_WORDS & even);
}

static inline uint64_t sectors_touched(unsigned start, unsigned end)
{
    unsigned first = start >> SECTOR_SHIFT, last = (end - 1) >> SECTOR_SHIFT;
    return SECTORS_MASK << SECTOR_WORDS * first &
           SECTORS_MASK >> SECTOR_WORDS * (LINE_SECTORS - 1 - last);
}

static inline uint64_t sectors_incomplete(uint64_t state)
{
    return sectors_dirty(state) & ~sectors_complete(state);
}

/* The valid bytes of a line, one bit per byte. The mask is in use if FINE_BIT is set. */
struct byte_mask {
    uint64_t half[2];
};

/* Add bytes [start, end) to the line's mask. Complete words become valid in the state. */
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

/* Store bytes [start, end). `masks` contains the byte masks of the line's set, one per slot. */
static inline void line_store(uint64_t *state, struct byte_mask *masks, unsigned start,
                              unsigned end)
{
    *state |= sectors_touched(start, end) << DIRTY_SHIFT;
    if (((start | end) & 3) != 0)
        line_store_bytes(state, &masks[*state >> CACHE_SLOT_SHIFT], start, end);
    else
        *state |= (1ull << end / 4) - (1ull << start / 4);
}

/* Mark a line as clean. All words of its dirty sectors become valid. */
static inline void line_clean(uint64_t *state)
{
    *state |= sectors_dirty(*state) * 255;
    *state &= ~(SECTORS_MASK << DIRTY_SHIFT);
}

#endif
