/* draw.h: numbers that look like chance and follow from a secret, the same on every machine.
 *
 * Number i of a label is the beginning of SHA-256(secret, label, NUL, i), so that one exercise's
 * numbers say nothing of another's, and none of the secret.
 */
#ifndef DRAW_H
#define DRAW_H

#include <stdint.h>

struct draw {
    const unsigned char *secret; /* 32 bytes */
    const char *label;
    uint64_t count;
};

/* The next 64 bits. */
uint64_t draw_bits(struct draw *draw);
/* The next number from low to high, both included. */
uint64_t draw_number(struct draw *draw, uint64_t low, uint64_t high);

#endif
