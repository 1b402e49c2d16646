/* judge_json.h: what was measured, as it stands in a grade (grade.h). Where `measurement` is NULL,
 * nothing was handed in. All results are new references.
 */
#ifndef JUDGE_JSON_H
#define JUDGE_JSON_H

#include "intake/intake.h"
#include "judge/measurement.h"

#include <jansson.h>

json_t *judge_sizes(const struct rubric *rubric, const struct measurement *measurement);
json_t *judge_runs(const struct rubric *rubric, const struct measurement *measurement);
json_t *judge_lines(const struct measurement *measurement);
/* A page costs a hundred bytes for each line, and a class is made of many pages: what is beyond is
 * counted, and said in the last line. */
enum { JUDGE_SOURCE_LINES = 2000, JUDGE_SOURCE_BYTES = 64 << 10 };
json_t *judge_source(const struct intake_file *file);
json_t *judge_compiler(const struct measurement *measurement);

/* The columns that say what a run cost: its numbers, but for the seed, and its bound; null where
 * unknown. */
json_t *judge_counters(const struct record *record);

#endif
