/* digest.h: SHA-256 of what is kept apart: submissions, rubrics, kernels, devices.
 */
#ifndef DIGEST_H
#define DIGEST_H

#include <nettle/sha2.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DIGEST_SIZE = 32, DIGEST_TEXT_SIZE = 2 * DIGEST_SIZE + 1 };

/* Of some bytes. */
void digest_bytes(const void *bytes, size_t size, unsigned char digest[DIGEST_SIZE]);

/* The first `count` bytes in hexadecimal; `text` holds 2 * count + 1. */
void digest_text(const unsigned char *digest, size_t count, char *text);

/* For a digest of several parts, begun with sha256_init and ended with sha256_digest: a number (its
 * eight bytes, the lowest first), and bytes with their length before them, so that no two lists of
 * parts are the same bytes. */
void digest_add_number(struct sha256_ctx *hash, uint64_t number);
void digest_add_part(struct sha256_ctx *hash, const void *bytes, size_t size);

#endif
