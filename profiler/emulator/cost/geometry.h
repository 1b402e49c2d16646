/* geometry.h: the sizes of caches and DRAM that all GPUs share, and the hash for addresses. Devices
 * with caches have 128-byte lines of four 32-byte sectors (device.c checks this). For devices
 * without caches, the device files may define other lines and sectors. */
#ifndef GEOMETRY_H
#define GEOMETRY_H

#include <stdint.h>

enum {
    SECTOR_SHIFT = 5,
    SECTOR_BYTES = 1 << SECTOR_SHIFT,
    LINE_SHIFT = 7,
    LINE_BYTES = 1 << LINE_SHIFT,
    LINE_SECTORS = LINE_BYTES / SECTOR_BYTES,
    /* PIECE_BYTES consecutive bytes are in one row of a DRAM bank. A copy of permuted pieces is not
     * faster if the pieces are larger (H200, profiler/hardware/calibrate/benchmarks.cu). */
    PIECE_SHIFT = 8,
    PIECE_BYTES = 1 << PIECE_SHIFT,
    PAGE_SHIFT = 21, /* log2 of the size of a page, which is contiguous in DRAM. */
};

/* Returns a mask with one bit for each sector that bytes [start, start + length) touch. */
static inline unsigned sectors_of_bytes(unsigned start, unsigned length)
{
    unsigned first = start >> SECTOR_SHIFT, last = (start + length - 1) >> SECTOR_SHIFT;
    return (2u << last) - (1u << first);
}

/* 2^64 / golden ratio. The high bits of a product with this number are a good hash. */
#define HASH_MULTIPLIER 0x9e3779b97f4a7c15ull

static inline uint32_t hash_mix(uint64_t number)
{
    number *= HASH_MULTIPLIER;
    number ^= number >> 32;
    number *= 0xd6e8feb86659fd93ull;
    return (uint32_t)(number >> 32);
}

#endif
