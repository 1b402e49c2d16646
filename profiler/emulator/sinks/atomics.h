/* atomics.h: the time that the L2 needs for atomic operations on global memory.
 *
 * Each *slice* of the L2 executes the operations on its sectors one after the other; `slices` work
 * at the same time. A request takes, for each of its sectors, the largest of
 *
 *   atomic_sector_ns
 *   m x atomic_integer_ns, or m x atomic_float_ns for additions of floats, where m is the largest
 *   number of its lanes with the same address; m x atomic_sector_ns for integers that fill the
 *   sector. One lane of several to its address takes atomic_integer_ns.
 *
 * 512 consecutive bytes belong to one slice. Measured on an H200; the device files have the rates.
 */
#ifndef ATOMICS_H
#define ATOMICS_H

#include "emulator/cost/coalesce.h"

enum { ATOMIC_SLICES_MAX = 1024 };

/* What the time of an atomic operation depends on besides its addresses. */
struct atomic_form {
    bool is_float;    /* An addition of floats. */
    bool is_combined; /* The compiler has added up the lanes of the warp: one of them counts. */
};

/* Write the time of each run of an atomic request into the run, in place of a round. `runs` are
 * those of coalesce_global for the access. */
void atomics_mark(const struct device *device, const struct warp_access *access,
                  struct atomic_form form, trace_run *runs, unsigned count);

/* The work of all waves of a launch; all-zero: none. */
struct atomics {
    double slices_ns[ATOMIC_SLICES_MAX]; /* By slice. */
    double waves_ns; /* Sum over waves of their work / the number of slices that it uses. */
};

/* Add a wave's traces. */
void atomics_add(struct atomics *atomics, const struct device *device, const struct trace *traces,
                 size_t count);

/* Returns the time for all waves, in ns. */
double atomics_time_ns(const struct atomics *atomics);

#endif
