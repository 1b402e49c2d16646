/* measure.h: from one compiled lab file to its measurement.
 *
 * Theory of operation. The file was compiled already; all that is done here happens in memory, so
 * that it can happen in the interpreter's sandbox (sandbox.h): parse the PTX, find the rubric of
 * the exercise that it names, verify it on every size of the rubric, count it in every run: what is
 * published first, so that nothing there depends on what happens in hiding. All sizes are judged,
 * whatever the others said, but a kernel that runs away ends it. The answer is plain data, which
 * whoever receives it checks with measurement_check before believing it.
 *
 * A kernel that is wrong where its sizes are published may be right but for one mistake. Then it is
 * run as if that were repaired, and must be right on the published and on the hidden sizes that the
 * mistake leaves, and on one large size more; what is counted is counted in such runs.
 *
 * A launch may execute a number of instructions that follows from the size of its matrix, so a slow
 * kernel gets the same verdict on a slow machine as on a fast one.
 */
#ifndef MEASURE_H
#define MEASURE_H

#include "judge/measurement.h"

/* Measure. Running out of memory, which the sandbox limits, is the student's: a timeout. */
void measure(const struct measure_job *job, struct measurement *measurement);

/* The same as a function for sandbox_interpret: `context` is a struct measure_job, the answer a
 * struct measurement. */
bool measure_sandboxed(int output, void *context);

#endif
