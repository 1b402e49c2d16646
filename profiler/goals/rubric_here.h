/* rubric_here.h: the rubric of this installation for an exercise. Grading must not use the hidden
 * sizes, twins and seeds of this rubric, because they are not secret. */
#ifndef RUBRIC_HERE_H
#define RUBRIC_HERE_H

#include "goals/rubric.h"

enum rubric_here { RUBRIC_HERE, RUBRIC_NOT_HERE, RUBRIC_UNREADABLE };

/* Find EXERCISE.json in grading/rubrics or in a subdirectory, which belongs to another course, and
 * fill `rubric`. If the result is not RUBRIC_HERE, `why` receives a harness failure. */
enum rubric_here rubric_here_read(const char *exercise, struct rubric *rubric, struct failure *why);

#endif
