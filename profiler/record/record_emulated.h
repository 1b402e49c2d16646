/* record_emulated.h: from the emulator's results to a record. */
#ifndef RECORD_EMULATED_H
#define RECORD_EMULATED_H

#include "emulator/emulator.h"
#include "record/record.h"

/* device, chip, source, cache. */
void record_emulated_device(struct record *record, const struct device *device);

/* Grid, block and shared memory. */
void record_emulated_shape(struct record *record, const struct emulator_launch *launch,
                           const struct emulator_result *result);

/* Counters, DRAM throughput, modelled time and its bound. The launch did the work `repeats` times:
 * all figures are those of one. */
void record_emulated_counters(struct record *record, const struct emulator_launch *launch,
                              const struct emulator_result *result, unsigned repeats);

/* Effective bandwidth and its share of a copy's, for a matrix of that many bytes and a recorded
 * time. */
void record_emulated_bandwidth(struct record *record, const struct device *device,
                               double matrix_bytes, bool against_copy);

#endif
