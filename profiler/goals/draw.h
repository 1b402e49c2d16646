/* draw.h: pseudorandom numbers that depend only on a secret. Number i of a label is the beginning
 * of SHA-256(secret, label, NUL, i). Therefore, the numbers of one label reveal neither the numbers
 * of other labels nor the secret. */
#ifndef DRAW_H
#define DRAW_H

#include <stdint.h>

struct draw {
    const unsigned char *secret; /* 32 bytes. */
    const char *label;
    uint64_t count;
};

uint64_t draw_bits(struct draw *draw);
/* Returns the next number in [low, high]. */
uint64_t draw_number(struct draw *draw, uint64_t low, uint64_t high);

#endif
