/* rubric_here.h: the rubric that this installation has for an exercise, as far as it is published.
 *
 * Hidden sizes, twins and seeds in it are drawn from no secret, and are nobody's: leave them alone.
 */
#ifndef RUBRIC_HERE_H
#define RUBRIC_HERE_H

#include "goals/rubric.h"

enum rubric_here {
    RUBRIC_HERE,      /* the rubric is filled */
    RUBRIC_NOT_HERE,  /* there is none for the exercise */
    RUBRIC_UNREADABLE /* it is broken, or tlab was built without what reads it */
};

/* Find grading/rubrics/EXERCISE.json, or the one in a folder below (those of another course). `why`
 * is a harness failure, in a sentence, unless it is RUBRIC_HERE. */
enum rubric_here rubric_here_read(const char *exercise, struct rubric *rubric, struct failure *why);

#endif
