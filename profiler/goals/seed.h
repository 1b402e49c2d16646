/* seed.h: the secret from which hidden sizes are drawn. */
#ifndef SEED_H
#define SEED_H

#include "base/failure.h"

enum { SEED_SECRET_SIZE = 32 };

/* Compute the secret, which is the SHA-256 digest of the instructor's file. The file must have 1
 * byte to 1 MiB. Returns false for a harness failure. */
bool seed_read(const char *path, unsigned char secret[SEED_SECRET_SIZE], struct failure *failure);

/* Write a new file of 32 random bytes in hexadecimal, readable only by its owner. An existing file
 * is not changed; *created is then false. Returns false for a harness failure. */
bool seed_create(const char *path, bool *created, struct failure *failure);

#endif
