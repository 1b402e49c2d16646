/* seed.h: the secret that hidden sizes are drawn from: a file of the instructor's.
 */
#ifndef SEED_H
#define SEED_H

#include "base/failure.h"

enum { SEED_SECRET_SIZE = 32 };

/* The SHA-256 of the file (at most 1 MB, not empty). */
bool seed_read(const char *path, unsigned char secret[SEED_SECRET_SIZE], struct failure *failure);

/* Write a new file of 32 random bytes, in hexadecimal, that only its owner reads. *created is false
 * when there is one, which stays. */
bool seed_create(const char *path, bool *created, struct failure *failure);

#endif
