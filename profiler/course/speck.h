/* speck.h: the block cipher Speck32/64, with blocks of 32 bits and keys of 64 bits: R. Beaulieu et
 * al., "The SIMON and SPECK Families of Lightweight Block Ciphers", Cryptology ePrint Archive
 * 2013/404, section 4. A block consists of two 16-bit words; the left word is the upper half. */
#ifndef SPECK_H
#define SPECK_H

#include <stdint.h>

enum { SPECK_ROUNDS = 22 };

struct speck_key {
    uint16_t rounds[SPECK_ROUNDS];
};

#define SPECK_ROUND(left, right, key)                                                              \
    do {                                                                                           \
        (left) = ((left) >> 7 | (left) << 9) + (right);                                            \
        (left) ^= (key);                                                                           \
        (right) = ((right) << 2 | (right) >> 14);                                                  \
        (right) ^= (left);                                                                         \
    } while (0)

/* Returns the round keys. From the highest bits, `key` contains l2, l1, l0, k0 of the paper. */
static inline struct speck_key speck_expand(uint64_t key)
{
    struct speck_key expanded;
    uint16_t word = (uint16_t)key;
    uint16_t others[3] = {(uint16_t)(key >> 16), (uint16_t)(key >> 32), (uint16_t)(key >> 48)};
    for (uint16_t i = 0; i < SPECK_ROUNDS; i++) {
        expanded.rounds[i] = word;
        SPECK_ROUND(others[i % 3], word, i);
    }
    return expanded;
}

static inline uint32_t speck_encrypt(const struct speck_key *key, uint32_t block)
{
    uint16_t left = (uint16_t)(block >> 16), right = (uint16_t)block;
    for (int i = 0; i < SPECK_ROUNDS; i++)
        SPECK_ROUND(left, right, key->rounds[i]);
    return (uint32_t)left << 16 | right;
}

static inline uint32_t speck_decrypt(const struct speck_key *key, uint32_t block)
{
    uint16_t left = (uint16_t)(block >> 16), right = (uint16_t)block;
    for (int i = SPECK_ROUNDS; i-- > 0;) {
        right ^= left;
        right = (uint16_t)(right >> 2 | right << 14);
        left = (uint16_t)((left ^ key->rounds[i]) - right);
        left = (uint16_t)(left << 7 | left >> 9);
    }
    return (uint32_t)left << 16 | right;
}

#endif
