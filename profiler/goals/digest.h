/* digest.h: SHA-256 digests of submissions, rubrics, kernels and devices. */
#ifndef DIGEST_H
#define DIGEST_H

#include <nettle/sha2.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DIGEST_SIZE = 32, DIGEST_TEXT_SIZE = 2 * DIGEST_SIZE + 1 };

void digest_bytes(const void *bytes, size_t size, unsigned char digest[DIGEST_SIZE]);

/* Write the first `count` bytes of a digest in hexadecimal: 2 * count characters and a NUL. */
void digest_text(const unsigned char *digest, size_t count, char *text);

/* Between sha256_init and sha256_digest, add a number (8 bytes, little-endian), or bytes preceded
 * by their length. Different sequences of such parts are different inputs of the hash. */
void digest_add_number(struct sha256_ctx *hash, uint64_t number);
void digest_add_part(struct sha256_ctx *hash, const void *bytes, size_t size);

#endif
