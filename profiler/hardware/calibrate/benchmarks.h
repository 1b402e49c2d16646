/* benchmarks.h: run the microbenchmarks of benchmarks.cu on this machine's GPU.
 */
#ifndef CALIBRATE_BENCHMARKS_H
#define CALIBRATE_BENCHMARKS_H

#include "hardware/gpu/gpu_job.h"

/* Run all of them on the device that `facts` describes, in a process of their own, and write
 * their rows (measurements.h) to the file `path`, which is replaced whole or not at all. `image` is
 * what the driver loads: a cubin, or PTX with its final NUL. What is under way is said on
 * `progress`, which may be NULL. A harness failure says what stands in the way: the driver, memory,
 * the disk. */
bool benchmarks_run(const struct gpu_facts *facts, const void *image, FILE *progress,
                    const char *path, struct failure *failure);

#endif
