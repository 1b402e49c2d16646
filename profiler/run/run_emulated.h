/* run_emulated.h: run a source on an emulated GPU. */
#ifndef RUN_EMULATED_H
#define RUN_EMULATED_H

#include "goals/measured.h"
#include "run/source.h"

/* Verify at small sizes and at `size`, and set the columns of the launch configuration, the
 * counters and the modelled time (unknown after some failures). Returns false for a failure. */
bool run_emulated(const struct source *source, const struct device *device, struct source_size size,
                  struct record *record, struct failure *failure);

/* Like run_emulated, but without the small sizes. */
bool run_emulated_count(const struct source *source, const struct device *device,
                        struct source_size size, struct record *record, struct failure *failure);

/* Run and verify at one size, without a record. Returns false for a failure. */
bool run_emulated_once(const struct source *source, const struct device *device,
                       struct source_size size, struct failure *failure);
bool run_emulated_once_asked(struct source_asker *asker, struct source_size size,
                             struct failure *failure);

/* Run at one size, alter the data that pass through shared memory or shuffles, and count the
 * altered results in `ways`. For a computed result, only data from other threads are altered. Races
 * are not checked. Returns false if the kernel fails or there is not enough memory. */
bool run_emulated_ways(const struct source *source, const struct device *device,
                       struct source_size size, struct measured_ways *ways,
                       struct failure *failure);

#endif
