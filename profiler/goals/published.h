/* published.h: the rubric that this installation has for an exercise, as far as it is published.
 *
 * Hidden sizes, twins and seeds in it are drawn from no secret, and are nobody's: leave them alone.
 */
#ifndef PUBLISHED_H
#define PUBLISHED_H

#include "goals/rubric.h"

enum published {
    PUBLISHED,           /* the rubric is filled */
    PUBLISHED_NOT,       /* there is none for the exercise */
    PUBLISHED_UNREADABLE /* it is broken, or tlab was built without what reads it */
};

/* Find grading/rubrics/EXERCISE.json, or the one in a folder below (those of another course). `why`
 * is a harness failure, in a sentence, unless it is PUBLISHED. */
enum published published_read(const char *exercise, struct rubric *rubric, struct failure *why);

#endif
