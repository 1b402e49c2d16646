/* measure.h: measure one compiled lab file.
 *
 * Theory of operation. The measurement needs no files, so that it can run in the interpreter's
 * sandbox (sandbox.h). The steps are: parse the PTX, find the rubric of the exercise, verify the
 * kernel at every size of the rubric, and count the events of every run. Published sizes and runs
 * come first, so that they do not depend on hidden sizes. No launch follows an endless launch.
 *
 * If a kernel is incorrect at published sizes, it runs again with one or two common mistakes
 * repaired. If the repaired kernel is correct at the published and hidden sizes to which the repair
 * applies, and at one more large size, the counters come from the repaired runs.
 *
 * At the sizes with the most blocks (2048 x 2048 and the longest sizes), only one block in eight
 * runs. If these blocks store a wrong value, or not exactly their share of the result, all blocks
 * run. A wrong result of all blocks is therefore always detected, and a wrong result of one block
 * only by chance. At smaller sizes, all blocks run. Long sizes are verified in both orientations.
 *
 * The limit of instructions of a launch depends only on the size of the matrix, so that a slow
 * kernel gets the same verdict on every machine.
 */
#ifndef MEASURE_H
#define MEASURE_H

#include "judge/measurement.h"

/* Measure a file. If the sandbox has too little memory for the kernel, the status is a timeout. */
void measure(const struct measure_job *job, struct measurement *measurement);

/* Like measure, for sandbox_interpret: reads a struct measure_job, sends a struct measurement. */
bool measure_sandboxed(int output, void *context);

#endif
