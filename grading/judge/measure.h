/* measure.h: measure one compiled lab file.
 *
 * Theory of operation. Everything happens in memory, so that it can run in the interpreter's
 * sandbox (sandbox.h): parse the PTX, find the rubric of the exercise, verify the kernel at every
 * size of the rubric, and count the events of every run. Published sizes and runs come first, so
 * that they do not depend on hidden sizes. If a launch does not end, no other launch follows.
 *
 * A kernel that is incorrect at published sizes may have only one or two mistakes. The kernel is
 * then run as if these mistakes were repaired. The repaired kernel must be correct at the published
 * and hidden sizes to which the repair applies, and at one more large size. The counters then come
 * from these runs.
 *
 * At the sizes with the most blocks (2048 x 2048 and the longest), one block in eight runs. If
 * these blocks store a wrong value, or not exactly their share of the result, all blocks run. So an
 * error that depends on the size is always detected there. An error of a single block is detected
 * only by chance. At smaller sizes all blocks run. Long sizes are verified in both orientations.
 *
 * The limit of instructions of a launch depends only on the size of the matrix, so a slow kernel
 * gets the same verdict on every machine.
 */
#ifndef MEASURE_H
#define MEASURE_H

#include "judge/measurement.h"

/* Measure a file. If the sandbox's memory is exhausted, the status is a timeout. */
void measure(const struct measure_job *job, struct measurement *measurement);

/* Like measure, for sandbox_interpret: `context` is a struct measure_job, and the answer is a
 * struct measurement. */
bool measure_sandboxed(int output, void *context);

#endif
