/* judge.h: compute points and texts for a measurement from a rubric.
 *
 * The functions are pure: no file is read, nothing is run. Texts for students contain no secret.
 * These texts contain one verdict for all hidden sizes together, and state whether the kernel is
 * worse at hidden sizes.
 */
#ifndef JUDGE_H
#define JUDGE_H

#include "intake/intake.h"
#include "judge/measurement.h"

#include <jansson.h>

/* Make the "labs" entry (grade.h) for an exercise. `file` and `measurement` are NULL if nothing was
 * submitted for the exercise. Returns a new reference. */
json_t *judge_lab(const struct rubric *rubric, const struct intake_file *file,
                  const struct measurement *measurement);

/* Judge the checks that need the run on a GPU, which judge_lab skipped, and change the lab's score.
 * `record` is the record of that run. */
void judge_gpu(const struct rubric *rubric, const struct record *record, json_t *lab);

#endif
