/* gradebook.h: fill marks into a gradebook of a learning platform. All other bytes of the file stay
 * the same.
 *
 * Columns are found by their headers, which contain the name or title of an exercise as whole
 * words: "Padded transpose (8841)", "Assignment: padded (Real)". "Transpose Lab" is the total; so
 * is "Grade" of Moodle's grading worksheet if no other column matches. People are found as in a
 * roster. Marks are scaled to Canvas's row of possible points or Moodle's "Maximum grade". If
 * Canvas's row states that a column is read-only, the column stays the same.
 */
#ifndef GRADEBOOK_H
#define GRADEBOOK_H

#include "goals/rubric.h"
#include "intake/intake.h"

#include <jansson.h>
#include <stdio.h>

/* Fill in the marks of `people` (changes.h) and write the file to `out`; if `people` is NULL, only
 * check the columns. Notes for the instructor are printed to `said` unless it is NULL. Harness
 * failures name the file: no exercise has a column, an exercise has two columns, or most
 * submissions match no person. Unless `zeros`, people without a submission keep their cells. */
bool gradebook_fill(const char *path, const char *out, const struct class_list *list,
                    const struct rubric *rubrics, size_t rubric_count, const json_t *people,
                    bool zeros, FILE *said, struct failure *failure);

#endif
