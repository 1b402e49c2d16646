/* judge.h: a measurement against a rubric: points and words.
 *
 * Pure: no file is read, nothing is run. Words for students hold no secret: of a hidden size they
 * tell its kind, the verdict, and the mistake's name with all numbers taken out.
 */
#ifndef JUDGE_H
#define JUDGE_H

#include "intake/intake.h"
#include "judge/measure.h"

#include <jansson.h>

/* The "labs" entry (grade.h) for one exercise. `file` and `measurement` are NULL when nothing was
 * handed in for it. A new reference; NULL: no memory. */
json_t *judge_lab(const struct rubric *rubric, const struct intake_file *file,
                  const struct measurement *measurement);

/* Settle the checks that ask for the run on a GPU, which judge_lab left open: `record` is of that
 * run. Score and checks of the lab change. False: no memory. */
bool judge_gpu(const struct rubric *rubric, const struct record *record, json_t *lab);

/* The share of a ratio check's points that a value earns: 1 at `full` or better, 0 at `zero` or
 * worse, linear between. */
double judge_ratio(const struct rubric_check *check, double value);

/* Is the mechanism at work (forbid: are there traces of it)? */
bool judge_mechanism(enum rubric_mechanism mechanism, bool forbid,
                     const struct measured_run *counted);

/* The mistake's name in a reason that names a size and places: the first line behind "at R x C: ",
 * every number replaced by N. */
void judge_redact(const char *reason, char *text, size_t size);

#endif
