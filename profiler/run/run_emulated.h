/* run_emulated.h: run a source on an emulated GPU. */
#ifndef RUN_EMULATED_H
#define RUN_EMULATED_H

#include "run/source.h"

/* Verify on small sizes and at `size`, and count there. Sets the columns of shape, counters and
 * modelled time: of what failed, as far as it came. */
bool run_emulated(const struct source *source, const struct device *device, struct source_size size,
                  struct record *record, struct failure *failure);

/* The same at `size` alone. */
bool run_emulated_count(const struct source *source, const struct device *device,
                        struct source_size size, struct record *record, struct failure *failure);

/* Run and verify at one size, and count nothing. */
bool run_emulated_once(const struct source *source, const struct device *device,
                       struct source_size size, struct failure *failure);

#endif
