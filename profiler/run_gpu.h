/* run_gpu.h: run a source on this machine's GPU. */
#ifndef RUN_GPU_H
#define RUN_GPU_H

#include "source.h"

/* device, chip (as far as it is known without counting), source and cache. */
void run_gpu_record_device(const struct run_options *options, struct record *record);

/* Verify on small sizes and at `size`; time and count there. Sets the columns of shape, times and
 * counters. *twin becomes the emulated device that resembles the GPU most, with the GPU's limits.
 * *counted is false when the counters cannot be read, and `note` then says why. */
bool run_gpu(const struct source *source, struct source_size size, struct device *twin,
             struct record *record, bool *counted, char *note, size_t note_size,
             struct failure *failure);

#endif
