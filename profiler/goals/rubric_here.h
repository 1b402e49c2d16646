/* rubric_here.h: this installation's rubric for an exercise.
 *
 * The hidden sizes, twins and seeds of this rubric are not drawn from a secret: do not use them.
 */
#ifndef RUBRIC_HERE_H
#define RUBRIC_HERE_H

#include "goals/rubric.h"

enum rubric_here {
    RUBRIC_HERE,      /* The rubric is filled. */
    RUBRIC_NOT_HERE,  /* There is no rubric for the exercise. */
    RUBRIC_UNREADABLE /* The rubric is invalid. */
};

/* Find EXERCISE.json in grading/rubrics, or in the folder of another course below it. Unless the
 * result is RUBRIC_HERE, `why` is a harness failure. */
enum rubric_here rubric_here_read(const char *exercise, struct rubric *rubric, struct failure *why);

#endif
