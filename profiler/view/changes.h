/* changes.h: the differences between the counters of two runs of a student's kernel. */
#ifndef CHANGES_H
#define CHANGES_H

#include "record/record.h"

#include <stdio.h>

/* Print one line for each difference: name, value before, value after, change, and, for most
 * quantities, "better" or "worse". Returns the number of lines. */
unsigned changes_print(FILE *out, const struct record *before, const struct record *after);

/* Describe the most important difference in at most `size` bytes: a changed verdict, else changed
 * goals, else the counter with the largest ratio. Without differences, the text is "". */
void changes_summarize(const struct record *before, const struct record *after, char *text,
                       size_t size);

/* Append "NAME changes from X to Y; ..." for the differences that a student can derive from the
 * source: launch configuration, accesses, sectors and bank conflicts. */
void changes_append(const struct record *before, const struct record *after, char *text,
                    size_t size);

#endif
