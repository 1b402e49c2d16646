#include "goals/draw.h"

#include "goals/digest.h"

#include <string.h>

uint64_t draw_bits(struct draw *draw)
{
    struct sha256_ctx hash;
    uint8_t digest[DIGEST_SIZE];
    sha256_init(&hash);
    sha256_update(&hash, DIGEST_SIZE, draw->secret);
    sha256_update(&hash, strlen(draw->label) + 1, (const uint8_t *)draw->label);
    digest_add_number(&hash, draw->count++);
    sha256_digest(&hash, sizeof digest, digest);
    uint64_t bits = 0;
    for (int i = 0; i < 8; i++)
        bits |= (uint64_t)digest[i] << (8 * i);
    return bits;
}

/* The bias of the modulus is at most (high - low + 1) / 2^64, which is negligible. */
uint64_t draw_number(struct draw *draw, uint64_t low, uint64_t high)
{
    return low + draw_bits(draw) % (high - low + 1);
}
