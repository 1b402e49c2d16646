/* measure.h: measure one compiled lab file.
 *
 * Theory of operation. The measurement reads no files, so that it can run in a sandbox (sandbox.h).
 * The steps are: parse the PTX, find the rubric of the exercise, verify the kernel at every size of
 * the rubric, and count the events of every run. Published sizes and runs come first, so that they
 * do not depend on hidden sizes.
 *
 * If a kernel is incorrect at published sizes, it runs again with one or two common mistakes
 * repaired. If the repaired kernel is correct, the counters come from its runs.
 *
 * At the sizes with the most blocks, only a sample of the blocks runs. If these blocks store a
 * wrong value, or not exactly their share of the result, all blocks run. A mistake in all blocks is
 * therefore always detected, and a mistake in one block only by chance.
 *
 * The limit of instructions of a launch depends only on the size of the matrix. A slow kernel
 * therefore gets the same verdict on every machine. */
#ifndef MEASURE_H
#define MEASURE_H

#include "judge/measurement.h"

/* Measure a file. If the sandbox has too little memory for its kernel, the status is a timeout. */
void measure(const struct measure_job *job, struct measurement *measurement);

/* For sandbox_interpret: `context` is a struct measure_job, the answer a struct measurement. */
bool measure_sandboxed(int output, void *context);

#endif
