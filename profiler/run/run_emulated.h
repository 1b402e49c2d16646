/* run_emulated.h: run a source on an emulated GPU. */
#ifndef RUN_EMULATED_H
#define RUN_EMULATED_H

#include "run/source.h"

/* Verify at small sizes and at `size`, and count at `size`. Sets the columns of the launch
 * configuration, counters and modelled time; after a failure, those that are known. */
bool run_emulated(const struct source *source, const struct device *device, struct source_size size,
                  struct record *record, struct failure *failure);

/* The same at `size` alone. */
bool run_emulated_count(const struct source *source, const struct device *device,
                        struct source_size size, struct record *record, struct failure *failure);

/* Run and verify at one size, without counters. */
bool run_emulated_once(const struct source *source, const struct device *device,
                       struct source_size size, struct failure *failure);

/* The paths on which the elements of a correct result moved. */
struct source_ways {
    uint64_t elements;
    uint64_t through_shared;   /* Elements that passed through shared memory. */
    uint64_t between_threads;  /* Of these, elements loaded by another thread than stored them. */
    uint64_t through_shuffles; /* Elements from another lane, by a shuffle or a reduction. */
};

/* Run at one size, taint the data that passes through shared memory or shuffles, and count the
 * tainted results. For an exercise that computes, count the results that change if data from other
 * threads is altered. Races are not checked. False: the kernel failed, or not enough memory. */
bool run_emulated_ways(const struct source *source, const struct device *device,
                       struct source_size size, struct source_ways *ways, struct failure *failure);

#endif
