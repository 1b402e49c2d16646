/* judge.h: a measurement against a rubric: points and words.
 */
#ifndef JUDGE_H
#define JUDGE_H

#include "intake.h"
#include "measure.h"

#include <jansson.h>

/* The "labs" entry (grade.h) for one exercise. `file` and `measurement` are NULL when nothing was
 * handed in for it. A new reference; NULL: no memory. */
json_t *judge_lab(const struct rubric *rubric, const struct exercise *exercise,
                  const struct intake_file *file, const struct measurement *measurement);

/* What a measured run is worth by one measure; false when it is unknown there. */
bool judge_measure(enum rubric_measure measure, const struct measured_run *run, double *value);

#endif
