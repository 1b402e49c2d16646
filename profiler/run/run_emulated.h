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

/* Which way the elements of a right result came. */
struct source_ways {
    uint64_t elements;
    uint64_t through_shared;   /* memory, whatever became of others on that way */
    uint64_t between_threads;  /* of these: loaded there by a thread that had not stored them */
    uint64_t through_shuffles; /* got from another lane of the warp, by a shuffle or a reduction */
};

/* Run at one size with marks on what goes through shared memory or shuffles, and see where they
 * arrive: of an exercise that computes, which results are others when threads find altered what
 * another has stored there, or sent. Races are not looked for. False: the kernel failed, or
 * there was no memory. */
bool run_emulated_ways(const struct source *source, const struct device *device,
                       struct source_size size, struct source_ways *ways, struct failure *failure);

#endif
