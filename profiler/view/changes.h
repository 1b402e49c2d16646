/* changes.h: the differences between two runs of a kernel, counter by counter, after a student has
 * changed the kernel. The output states whether each change is an improvement. In contrast, `tlab
 * compare A.csv B.csv` checks whether two back ends agree within tolerances. */
#ifndef CHANGES_H
#define CHANGES_H

#include "record/record.h"

#include <stdio.h>

/* Print one line for each difference: name, value before, value after, change, and "better" or
 * "worse". Returns the number of lines. */
unsigned changes_print(FILE *out, const struct record *before, const struct record *after);

/* Describe the most important difference in at most `size` bytes: the verdict if it changed;
 * otherwise the goals; otherwise the counter with the largest ratio; "" without differences. */
void changes_summarize(const struct record *before, const struct record *after, char *text,
                       size_t size);

/* Append "NAME changes from X to Y; ..." for the differences that a student can derive from the
 * source: launch configuration, accesses, sectors and bank conflicts. */
void changes_append(const struct record *before, const struct record *after, char *text,
                    size_t size);

#endif
