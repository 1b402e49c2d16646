/* draw.h: pseudorandom numbers from a secret. Every machine draws the same numbers.
 *
 * Number i of a label is the beginning of SHA-256(secret, label, NUL, i). Therefore, the numbers of
 * one exercise reveal neither the numbers of other exercises nor the secret. */
#ifndef DRAW_H
#define DRAW_H

#include <stdint.h>

struct draw {
    const unsigned char *secret; /* 32 bytes */
    const char *label;
    uint64_t count;
};

uint64_t draw_bits(struct draw *draw);
/* Returns the next number in [low, high]. */
uint64_t draw_number(struct draw *draw, uint64_t low, uint64_t high);

#endif
