/* record_emulated.h: convert the emulator's results to a record. */
#ifndef RECORD_EMULATED_H
#define RECORD_EMULATED_H

#include "emulator/emulator.h"
#include "record/record.h"

/* Set device, chip, source and cache. */
void record_emulated_device(struct record *record, const struct device *device);

/* Set grid, block and shared memory. */
void record_emulated_shape(struct record *record, const struct emulator_launch *launch,
                           const struct emulator_result *result);

/* Set counters, DRAM throughput, modelled time and its bound. The launch did the work `repeats`
 * times; all values are per repetition. */
void record_emulated_counters(struct record *record, const struct emulator_launch *launch,
                              const struct emulator_result *result, unsigned repeats);

/* Set the effective bandwidth from the recorded time and the bytes of the matrix and, with
 * `against_copy`, its percentage of a copy's bandwidth. */
void record_emulated_bandwidth(struct record *record, const struct device *device,
                               double matrix_bytes, bool against_copy);

#endif
