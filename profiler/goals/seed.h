/* seed.h: the secret from which hidden sizes are drawn: a file of the instructor. */
#ifndef SEED_H
#define SEED_H

#include "base/failure.h"

enum { SEED_SECRET_SIZE = 32 };

/* Compute the SHA-256 of the file (at most 1 MB, not empty). */
bool seed_read(const char *path, unsigned char secret[SEED_SECRET_SIZE], struct failure *failure);

/* Write a new file of 32 random bytes in hexadecimal, readable by its owner only. *created is false
 * if the file exists, which stays unchanged. */
bool seed_create(const char *path, bool *created, struct failure *failure);

#endif
