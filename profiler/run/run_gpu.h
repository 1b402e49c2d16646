/* run_gpu.h: run a source on this machine's GPU, in steps, so that the next source can be compiled
 * while the GPU is busy.
 */
#ifndef RUN_GPU_H
#define RUN_GPU_H

#include "run/source.h"

struct gpu_launch;
struct gpu_result;
struct run_gpu;

/* Can the worker run it? It knows exercises with a map of the matrix for a reference only. */
bool run_gpu_takes(const struct source *source);

/* Compile to machine code, ask for the launch shapes and check them. Must be freed, also when it
 * failed; NULL without memory. `source` must outlive it. For a source
 * that the worker does not take there is only the twin. */
bool run_gpu_prepare(const struct source *source, struct source_size size, struct run_gpu **work,
                     struct failure *failure);

/* Send it to the GPU, which must be idle. */
bool run_gpu_start(struct run_gpu *work, struct failure *failure);

/* Wait until it has been verified on small sizes and at its size, and timed and counted there; set
 * the columns of times and counters. *counted is false when the counters cannot be read, and `note`
 * then says why. */
bool run_gpu_finish(struct run_gpu *work, struct record *record, bool *counted, char *note,
                    size_t note_size, struct failure *failure);

/* Set device, chip, source and cache, and, as far as they are known, compiler and launch shape.
 * `work` may be NULL. */
void run_gpu_record(const struct run_options *options, const struct run_gpu *work,
                    struct record *record);

/* What a job that went well says of its last launch: shape, shared memory, chip, times, counters.
 */
void run_gpu_record_result(const struct gpu_launch *launch, const struct gpu_result *result,
                           struct record *record);

/* The emulated device that resembles the GPU most, with the GPU's limits. */
const struct device *run_gpu_twin(const struct run_gpu *work);

/* May be NULL. */
void run_gpu_free(struct run_gpu *work);

#endif
