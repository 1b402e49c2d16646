/* gradebook.h: fill marks into a gradebook of a learning platform; no other byte changes.
 *
 * Columns are found by their headers, which contain the name or title of an exercise as whole
 * words: "Padded transpose (8841)", "Assignment: padded (Real)". A column "Transpose Lab" receives
 * the total. If no header matches, the column "Grade" of Moodle's grading worksheet receives the
 * total. People are found as in a roster (roster.h). Marks are scaled to Canvas's row of possible
 * points or to Moodle's "Maximum grade". Read-only columns of Canvas do not change.
 */
#ifndef GRADEBOOK_H
#define GRADEBOOK_H

#include "goals/rubric.h"
#include "intake/intake.h"

#include <jansson.h>
#include <stdio.h>

/* Fill in the marks of `people` (changes.h) and write the result to the file `out`. If `people` is
 * NULL, only check the columns. Prints notes for the instructor to `said`, unless `said` is NULL.
 * If `zeros` is true, people without a submission receive 0; otherwise their cells do not change.
 * Harness failures: no exercise has a column, an exercise has two columns, or most submissions
 * match no person. */
bool gradebook_fill(const char *path, const char *out, const struct class_list *list,
                    const struct rubric *rubrics, size_t rubric_count, const json_t *people,
                    bool zeros, FILE *said, struct failure *failure);

#endif
