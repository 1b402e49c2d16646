/* bits.h: floating-point numbers as integers with the same bits, and a hash of bytes. */
#ifndef BITS_H
#define BITS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Defines bits_f32(value), float_f32(bits), bits_f64(value) and float_f64(bits). */
#define BITS_FUNCTIONS(suffix, real, whole)                                                        \
    static inline whole bits_##suffix(real value)                                                  \
    {                                                                                              \
        whole bits;                                                                                \
        memcpy(&bits, &value, sizeof bits);                                                        \
        return bits;                                                                               \
    }                                                                                              \
    static inline real float_##suffix(whole bits)                                                  \
    {                                                                                              \
        real value;                                                                                \
        memcpy(&value, &bits, sizeof value);                                                       \
        return value;                                                                              \
    }
BITS_FUNCTIONS(f32, float, uint32_t)
BITS_FUNCTIONS(f64, double, uint64_t)

/* Start value of the 64-bit FNV-1a hash, which is not secure against deliberate collisions. */
#define HASH_START 0xcbf29ce484222325ull

static inline uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t count)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ at[i]) * 0x100000001b3ull;
    return hash;
}

#endif
