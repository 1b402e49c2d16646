/* seed.h: the secret from which hidden sizes are drawn: a digest of the instructor's file. */
#ifndef SEED_H
#define SEED_H

#include "base/failure.h"

enum { SEED_SECRET_SIZE = 32 };

/* Compute the secret: the SHA-256 of the file, which has 1 byte to 1 MB. */
bool seed_read(const char *path, unsigned char secret[SEED_SECRET_SIZE], struct failure *failure);

/* Write a new file of 32 random bytes in hexadecimal, readable only by its owner. If the file
 * exists, it is unchanged, and *created is false. */
bool seed_create(const char *path, bool *created, struct failure *failure);

#endif
