/* gradebook.h: a learning platform's own gradebook, filled in: the same file, byte for byte, but
 * for the cells of assignments that are exercises.
 *
 * Columns are found by their headers: an exercise's name or title as whole words, such as "Padded
 * transpose (8841)" or "Assignment: padded (Real)"; "Transpose Lab" is the sum of all, and where
 * nothing else is there "Grade" of Moodle's worksheet. People are found as in a roster. Where the
 * file has Canvas's row of possible points, or Moodle's "Maximum grade", marks are scaled to them;
 * columns that are read-only in that row are left alone.
 */
#ifndef GRADEBOOK_H
#define GRADEBOOK_H

#include "goals/rubric.h"
#include "intake/intake.h"

#include <jansson.h>
#include <stdio.h>

/* Fill in the marks of `people` (changes.h) and write the file to `out`. `people` NULL: only find
 * out whether columns can be told. What an instructor should know is told in lines to `said`, if
 * that is not NULL. Harness failures name the file: no column of an exercise, two for one. */
bool gradebook_fill(const char *path, const char *out, const struct class_list *list,
                    const struct rubric *rubrics, size_t rubric_count, const json_t *people,
                    FILE *said, struct failure *failure);

#endif
