/* judge_json.h: convert a measurement to JSON for a grade (grade.h). `measurement` is NULL if
 * nothing was submitted. All results are new references.
 */
#ifndef JUDGE_JSON_H
#define JUDGE_JSON_H

#include "intake/intake.h"
#include "judge/measurement.h"

#include <jansson.h>

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
