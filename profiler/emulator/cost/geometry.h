/* geometry.h: the sizes of caches and DRAM that all GPUs share, and the hash for addresses.
 *
 * Devices with caches have 128-byte lines of four 32-byte sectors (device.c checks this). Other
 * devices (the toy) define lines and sectors in their files, and do not use these constants.
 */
#ifndef GEOMETRY_H
#define GEOMETRY_H

#include <stdint.h>

enum {
    SECTOR_SHIFT = 5,
    SECTOR_BYTES = 1 << SECTOR_SHIFT,
    LINE_SHIFT = 7,
    LINE_BYTES = 1 << LINE_SHIFT,
    LINE_SECTORS = LINE_BYTES / SECTOR_BYTES,
    /* Consecutive bytes in one row of a DRAM bank: larger pieces do not make copies of permuted
     * pieces faster (measured on an H200, profiler/hardware/calibrate/benchmarks.cu). */
    PIECE_SHIFT = 8,
    PIECE_BYTES = 1 << PIECE_SHIFT,
    PAGE_SHIFT = 21, /* A page of virtual memory, which is contiguous in DRAM. */
};

/* Returns the sectors, one bit each, of `length` bytes that begin `start` bytes after sector 0. */
static inline unsigned sectors_of_bytes(unsigned start, unsigned length)
{
    unsigned first = start >> SECTOR_SHIFT, last = (start + length - 1) >> SECTOR_SHIFT;
    return (2u << last) - (1u << first);
}

/* 2^64 / golden ratio: the high bits of products with this number spread well. */
#define HASH_MULTIPLIER 0x9e3779b97f4a7c15ull

/* Mixes all bits of a number into all bits of the result (a multiplicative hash, two rounds). */
static inline uint32_t hash_mix(uint64_t number)
{
    number *= HASH_MULTIPLIER;
    number ^= number >> 32;
    number *= 0xd6e8feb86659fd93ull;
    return (uint32_t)(number >> 32);
}

#endif
