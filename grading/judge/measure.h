/* measure.h: measure one compiled lab file.
 *
 * Theory of operation. Everything happens in memory, so that it can run in the interpreter's
 * sandbox (sandbox.h): parse the PTX, find the rubric of the exercise, verify the kernel at every
 * size of the rubric, and count the events of every run. Published sizes and runs come first, so
 * that they do not depend on hidden sizes. After a launch that does not end, no launch follows.
 *
 * If a kernel is incorrect at published sizes, it runs again as if one or two common mistakes were
 * repaired. If the repaired kernel is correct at the published and hidden sizes to which the repair
 * applies, and at one more large size, the counters come from these runs.
 *
 * At the sizes with the most blocks (2048 x 2048 and the longest), only one block in eight runs. If
 * these blocks store a wrong value, or not exactly their share of the result, all blocks run. So a
 * wrong result of all blocks is always detected there, but a wrong result of a single block only by
 * chance. At smaller sizes all blocks run. Long sizes are verified in both orientations.
 *
 * The limit of instructions of a launch depends only on the size of the matrix, so a slow kernel
 * gets the same verdict on every machine.
 */
#ifndef MEASURE_H
#define MEASURE_H

#include "judge/measurement.h"

/* Measure a file. If the sandbox has too little memory for the kernel, its status is a timeout. */
void measure(const struct measure_job *job, struct measurement *measurement);

/* Like measure, as a function for sandbox_interpret: `context` is a struct measure_job, and the
 * bytes written to `output` are a struct measurement. */
bool measure_sandboxed(int output, void *context);

#endif
