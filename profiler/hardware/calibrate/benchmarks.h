/* benchmarks.h: run the microbenchmarks of benchmarks.cu on this machine's GPU. */
#ifndef CALIBRATE_BENCHMARKS_H
#define CALIBRATE_BENCHMARKS_H

#include "hardware/gpu/gpu_job.h"

/* Run all microbenchmarks in a child process, on the device that `facts` describes, and replace
 * the file `path` by their results (measurements.h). `image` is a cubin, or PTX with its final
 * NUL. `progress` may be NULL. On a harness failure, returns false and does not change the file. */
bool benchmarks_run(const struct gpu_facts *facts, const void *image, FILE *progress,
                    const char *path, struct failure *failure);

#endif
