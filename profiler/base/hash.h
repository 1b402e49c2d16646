/* hash.h: FNV-1a of 64 bits: a number for a text, where nobody tries to make two texts have the
 * same.
 */
#ifndef HASH_H
#define HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_START 0xcbf29ce484222325ull

/* Continue a hash, which begins as HASH_START. */
static inline uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t count)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ at[i]) * 0x100000001b3ull;
    return hash;
}

#endif
