/* atomics.h: the time that the L2 needs for atomic operations on global memory.
 *
 * Each *slice* of the L2 executes the operations on its sectors one after the other. All slices
 * work at the same time. Let m be the largest number of lanes that access one address of a sector
 * in one request. The sector takes m x t ns, and at least atomic_sector_ns. The time t is
 *
 *   atomic_sector_ns    if the request fills the sector, except for float additions with m > 1
 *   atomic_integer_ns   for other integers, and for floats if m is 1 and several lanes are active
 *   atomic_float_ns     for all other additions of floats
 *
 * 512 consecutive bytes belong to one slice. The rule was measured on an H200. */
#ifndef ATOMICS_H
#define ATOMICS_H

#include "emulator/cost/coalesce.h"

enum { ATOMIC_SLICES_MAX = 1024 };

struct atomic_form {
    bool is_float;
    bool is_combined; /* The compiler combines the lanes' values, and one lane accesses memory. */
};

/* Write the time of each run of an atomic request into the run's round field (run_with_round).
 * `runs` is the result of coalesce_global. */
void atomics_mark(const struct device *device, const struct warp_access *access,
                  struct atomic_form form, trace_run *runs, unsigned count);

/* The L2's work on the atomic operations of a launch, all-zero at the start. */
struct atomics {
    double slices_ns[ATOMIC_SLICES_MAX];
    double waves_ns; /* Sum over all waves: work of the wave / number of slices that it uses. */
};

void atomics_add(struct atomics *atomics, const struct device *device, const struct trace *traces,
                 size_t count);

double atomics_time_ns(const struct atomics *atomics);

#endif
