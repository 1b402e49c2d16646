/* measure.h: from one compiled lab file to its measurement.
 *
 * Theory of operation. Everything happens in memory, so that it can run in the interpreter's
 * sandbox (sandbox.h): parse the PTX, find the rubric of its exercise, verify the kernel on every
 * size of the rubric, and count it in every run. Published sizes and runs come first, so that they
 * do not depend on hidden ones. All sizes are tested, unless a launch does not end.
 *
 * A kernel that is incorrect on published sizes may have only one mistake, or two. It is then run
 * as if they were repaired. It must be correct on the published and hidden sizes to which the
 * repair applies, and on one more large size. The counters then come from these runs.
 *
 * At the sizes with the most blocks (2048 x 2048 and the longest), one block in eight runs. If
 * these blocks have not stored exactly their share of the result, all of it correct, all blocks
 * run. So a condition on the size is always detected there, and a condition on a single block only
 * by chance. Smaller sizes run in full. Long sizes are verified in both orientations.
 *
 * The limit of instructions of a launch depends on the size of its matrix only, so a slow kernel
 * gets the same verdict on every machine.
 */
#ifndef MEASURE_H
#define MEASURE_H

#include "judge/measurement.h"

/* Measure. If the sandbox's memory is exhausted, the status is a timeout. */
void measure(const struct measure_job *job, struct measurement *measurement);

/* The same for sandbox_interpret: `context` is a struct measure_job, the answer a struct
 * measurement. */
bool measure_sandboxed(int output, void *context);

#endif
