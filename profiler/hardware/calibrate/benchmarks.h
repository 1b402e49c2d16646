/* benchmarks.h: run the microbenchmarks of benchmarks.cu on this machine's GPU.
 */
#ifndef CALIBRATE_BENCHMARKS_H
#define CALIBRATE_BENCHMARKS_H

#include "hardware/gpu/gpu_job.h"

/* Run all microbenchmarks on the device that `facts` describes, in a child process, and write
 * their rows (measurements.h) to the file `path`, which is replaced completely or not at all.
 * `image` is a cubin, or PTX with its final NUL. Progress is printed to `progress`, which may be
 * NULL. Harness failure: an error of the driver, memory or the disk. */
bool benchmarks_run(const struct gpu_facts *facts, const void *image, FILE *progress,
                    const char *path, struct failure *failure);

#endif
