/* record_emulated.h: sets the columns of a record from the emulator's results. */
#ifndef RECORD_EMULATED_H
#define RECORD_EMULATED_H

#include "emulator/emulator.h"
#include "record/record.h"

/* Set the columns device, chip, source and cache. */
void record_emulated_device(struct record *record, const struct device *device);

/* Set the columns of grid, block and shared memory. */
void record_emulated_shape(struct record *record, const struct emulator_launch *launch,
                           const struct emulator_result *result);

/* Set the counters, the DRAM throughput, the modelled time and its bound. All values are per
 * repetition of the work; the launch contains `repeats` repetitions. */
void record_emulated_counters(struct record *record, const struct emulator_launch *launch,
                              const struct emulator_result *result, unsigned repeats);

/* Set the effective bandwidth from the recorded time and `matrix_bytes`. With `against_copy`, also
 * set its percentage of the bandwidth of a copy. */
void record_emulated_bandwidth(struct record *record, const struct device *device,
                               double matrix_bytes, bool against_copy);

#endif
