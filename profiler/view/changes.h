/* changes.h: the differences between two runs of a kernel, counter by counter, for a student who
 * changed the kernel. This module prints whether a change is an improvement. In contrast, `tlab
 * compare A.csv B.csv` checks whether two back ends agree within tolerances. */
#ifndef CHANGES_H
#define CHANGES_H

#include "record/record.h"

#include <stdio.h>

/* Print a line for each difference: name, before, after, change, "better" or "worse". Returns the
 * number of lines. */
unsigned changes_print(FILE *out, const struct record *before, const struct record *after);

/* Describe the most important difference in at most `size` bytes: the verdict, else the goals, else
 * the counter with the largest ratio. "" if nothing differs. */
void changes_summarize(const struct record *before, const struct record *after, char *text,
                       size_t size);

/* Append "NAME changes from X to Y; ..." for the differences that a student can derive from the
 * source: launch configuration, accesses, sectors and bank conflicts. */
void changes_append(const struct record *before, const struct record *after, char *text,
                    size_t size);

#endif
