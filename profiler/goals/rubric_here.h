/* rubric_here.h: this installation's rubric for an exercise.
 *
 * Hidden sizes, twins and seeds in it are not drawn from a secret: do not use them.
 */
#ifndef RUBRIC_HERE_H
#define RUBRIC_HERE_H

#include "goals/rubric.h"

enum rubric_here {
    RUBRIC_HERE,      /* The rubric is filled. */
    RUBRIC_NOT_HERE,  /* There is no rubric for the exercise. */
    RUBRIC_UNREADABLE /* It is broken. */
};

/* Find grading/rubrics/EXERCISE.json, also in a folder of another course below it. Unless the
 * result is RUBRIC_HERE, `why` is a harness failure. */
enum rubric_here rubric_here_read(const char *exercise, struct rubric *rubric, struct failure *why);

#endif
