/* gradebook.h: fill marks into a gradebook of a learning platform; no other byte changes. Columns
 * are found by the name or title of an exercise in their headers: "Padded transpose (8841)",
 * "Assignment: padded (Real)". A column "Transpose Lab" receives the total. If no header matches,
 * the column "Grade" of Moodle's grading worksheet receives the total. Marks are scaled to Canvas's
 * row of possible points or to Moodle's "Maximum grade". Read-only columns do not change. */
#ifndef GRADEBOOK_H
#define GRADEBOOK_H

#include "goals/rubric.h"
#include "intake/intake.h"

#include <jansson.h>
#include <stdio.h>

/* Fill in the marks of `people` (changes.h) and write the result to `out`. If `people` is NULL,
 * only check the columns. Prints notes for the instructor to `said` (may be NULL). If `zeros`,
 * people without a submission get 0. Harness failures: no exercise has a column, an exercise has
 * two columns, or most submissions match no person. */
bool gradebook_fill(const char *path, const char *out, const struct class_list *list,
                    const struct rubric *rubrics, size_t rubric_count, const json_t *people,
                    bool zeros, FILE *said, struct failure *failure);

#endif
