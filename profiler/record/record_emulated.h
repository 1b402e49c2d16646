/* record_emulated.h: set the columns of a record from the emulator's results. */
#ifndef RECORD_EMULATED_H
#define RECORD_EMULATED_H

#include "emulator/emulator.h"
#include "record/record.h"

/* Set the columns device, chip, source and cache. */
void record_emulated_device(struct record *record, const struct device *device);

void record_emulated_shape(struct record *record, const struct emulator_launch *launch,
                           const struct emulator_result *result);

/* Set the counters, the DRAM throughput, the modelled time and its bound. The launch contains
 * `repeats` repetitions of the work, and all values are per repetition. */
void record_emulated_counters(struct record *record, const struct emulator_launch *launch,
                              const struct emulator_result *result, unsigned repeats);

/* Set the effective bandwidth and, with `against_copy`, its percentage of a copy's bandwidth. */
void record_emulated_bandwidth(struct record *record, const struct device *device,
                               double matrix_bytes, bool against_copy);

#endif
