/* changes.h: two runs beside each other, counter by counter, for people who changed a kernel.
 *
 * `tlab compare A.csv B.csv` asks whether two back ends agree, and has tolerances; this shows what
 * changed, and whether it is for the better.
 */
#ifndef CHANGES_H
#define CHANGES_H

#include "record/record.h"

#include <stdio.h>

/* Print what differs, a line each: name, before, after, by how much, "better" or "worse". Returns
 * how many lines. */
unsigned changes_print(FILE *out, const struct record *before, const struct record *after);

/* The most telling of them in a few words, at most `size` bytes: a verdict or goals, else the
 * largest ratio. "" when nothing differs. */
void changes_tell(const struct record *before, const struct record *after, char *text, size_t size);

#endif
