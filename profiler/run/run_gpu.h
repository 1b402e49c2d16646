/* run_gpu.h: run a source on the GPU in steps, so that the next source compiles during the run. */
#ifndef RUN_GPU_H
#define RUN_GPU_H

#include "run/source.h"

struct gpu_launch;
struct gpu_result;
struct run_gpu;

/* Returns true if the GPU's worker process supports the exercise: a map of the matrix. */
bool run_gpu_takes(const struct source *source);

/* Compile to machine code, evaluate LAB_LAUNCH for all sizes, and check the launch configurations.
 * If run_gpu_takes is false, only find the twin (run_gpu_twin). Returns false for a failure. Always
 * call run_gpu_free(*work). `source` must outlive *work. */
bool run_gpu_prepare(const struct source *source, struct source_size size, struct run_gpu **work,
                     struct failure *failure);

/* Start the work on the GPU, which must be idle. Returns false for a failure. */
bool run_gpu_start(struct run_gpu *work, struct failure *failure);

/* Wait until all sizes are verified and the last size is measured; set its times and counters. If
 * counters cannot be read, *counted is false and `note` the reason. Returns false for a failure. */
bool run_gpu_finish(struct run_gpu *work, struct record *record, bool *counted, char *note,
                    size_t note_size, struct failure *failure);

/* Set the columns device, chip, source and cache. Without `work` (NULL), the columns of the
 * compiler and the launch configuration are unknown. */
void run_gpu_record(const struct run_options *options, const struct run_gpu *work,
                    struct record *record);

/* Set the columns of a job's last launch: configuration, shared memory, chip, times, counters. */
void run_gpu_record_result(const struct gpu_launch *launch, const struct gpu_result *result,
                           struct record *record);

/* Returns the emulated device that is most similar to the GPU, with the GPU's limits. */
const struct device *run_gpu_twin(const struct run_gpu *work);

void run_gpu_free(struct run_gpu *work);

#endif
