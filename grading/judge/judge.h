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

/* Convert parts of a measurement to JSON for a grade (judge_json.c). `measurement` is NULL if
 * nothing was submitted. All results are new references. */
json_t *judge_sizes(const struct rubric *rubric, const struct measurement *measurement);
json_t *judge_runs(const struct rubric *rubric, const struct measurement *measurement);
json_t *judge_lines(const struct measurement *measurement);
/* Limits of the source text in pages; the last line states how much is left out. */
enum { JUDGE_SOURCE_LINES = 2000, JUDGE_SOURCE_BYTES = 64 << 10 };
json_t *judge_source(const struct intake_file *file);
json_t *judge_compiler(const struct measurement *measurement);

/* Returns all numeric columns except the seed, and the column `bound`. Unknown values are null. */
json_t *judge_counters(const struct record *record);

#endif
