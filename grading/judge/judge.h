/* judge.h: compute points and texts for a measurement from a rubric. The functions access no files.
 * Texts for students contain only two facts about hidden sizes: a common verdict, and whether the
 * kernel is worse at these sizes. */
#ifndef JUDGE_H
#define JUDGE_H

#include "intake/intake.h"
#include "judge/measurement.h"

#include <jansson.h>

/* Returns a new reference to the "labs" entry (grade.h) for an exercise. `file` and `measurement`
 * are NULL if no file was submitted. */
json_t *judge_lab(const struct rubric *rubric, const struct intake_file *file,
                  const struct measurement *measurement);

/* Judge the checks that judge_lab skipped because they need a GPU, and update the lab's score.
 * `record` is the record of the timed run. */
void judge_gpu(const struct rubric *rubric, const struct record *record, json_t *lab);

/* Each function returns a new reference to a part of a lab (grade.h). `measurement` may be NULL. */
json_t *judge_sizes(const struct rubric *rubric, const struct measurement *measurement);
json_t *judge_runs(const struct rubric *rubric, const struct measurement *measurement);
json_t *judge_lines(const struct measurement *measurement);
/* Limits of a source in reports. The last line of a truncated source states the missing amount. */
enum { JUDGE_SOURCE_LINES = 2000, JUDGE_SOURCE_BYTES = 64 << 10 };
json_t *judge_source(const struct intake_file *file);
json_t *judge_compiler(const struct measurement *measurement);

/* Returns all numeric columns except `seed` and `passes`, and `bound`; null for unknown values. */
json_t *judge_counters(const struct record *record);

#endif
