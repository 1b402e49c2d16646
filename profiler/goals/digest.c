#include "goals/digest.h"

#include <stdio.h>

void digest_bytes(const void *bytes, size_t size, unsigned char digest[DIGEST_SIZE])
{
    struct sha256_ctx hash;
    sha256_init(&hash);
    sha256_update(&hash, size, bytes);
    sha256_digest(&hash, DIGEST_SIZE, digest);
}

void digest_text(const unsigned char *digest, size_t count, char *text)
{
    *text = 0;
    for (size_t i = 0; i < count; i++)
        snprintf(text + 2 * i, 3, "%02x", digest[i]);
}

void digest_add_number(struct sha256_ctx *hash, uint64_t number)
{
    uint8_t bytes[8];
    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(number >> 8 * i);
    sha256_update(hash, sizeof bytes, bytes);
}

void digest_add_part(struct sha256_ctx *hash, const void *bytes, size_t size)
{
    digest_add_number(hash, size);
    sha256_update(hash, size, bytes);
}
