/* benchmarks.h: run the microbenchmarks of benchmarks.cu on this machine's GPU. */
#ifndef CALIBRATE_BENCHMARKS_H
#define CALIBRATE_BENCHMARKS_H

#include "hardware/gpu/gpu_job.h"

/* Run all microbenchmarks in a child process, on the device that `facts` describes, and write their
 * results (measurements.h) to the file `path`. After a failure, an existing file is unchanged.
 * `image` is a cubin, or PTX with its final NUL. `progress` (may be NULL) receives progress
 * messages. Returns false for a harness failure: an error of the driver, memory or the disk. */
bool benchmarks_run(const struct gpu_facts *facts, const void *image, FILE *progress,
                    const char *path, struct failure *failure);

#endif
