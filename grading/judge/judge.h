/* judge.h: a measurement against a rubric: points and words.
 *
 * Pure: no file is read, nothing is run. Words for students hold no secret: of hidden sizes they
 * tell one verdict for all together, and one whether the kernel does worse there.
 */
#ifndef JUDGE_H
#define JUDGE_H

#include "intake/intake.h"
#include "judge/measurement.h"

#include <jansson.h>

/* The "labs" entry (grade.h) for one exercise. `file` and `measurement` are NULL when nothing was
 * handed in for it. A new reference; NULL: no memory. */
json_t *judge_lab(const struct rubric *rubric, const struct intake_file *file,
                  const struct measurement *measurement);

/* Settle the checks that ask for the run on a GPU, which judge_lab left open: `record` is of that
 * run. Score and checks of the lab change. False: no memory. */
bool judge_gpu(const struct rubric *rubric, const struct record *record, json_t *lab);

#endif
