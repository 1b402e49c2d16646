/* diagnose_guesses.h: the families of hypotheses that diagnose.c tests. If a mistake explains every
 * element, a function adds one or two lines to the report and returns true. */
#ifndef DIAGNOSE_GUESSES_H
#define DIAGNOSE_GUESSES_H

#include "diagnose/diagnosis.h"

/* The kernel stored the correct elements at wrong places. */
bool diagnose_placement(const struct diagnosis *d, struct report *report);
/* The kernel stored with a wrong pitch, by the required map or (_other) by another map. */
bool diagnose_placement_pitch(const struct diagnosis *d, struct report *report);
bool diagnose_placement_other_pitch(const struct diagnosis *d, struct report *report);
/* The kernel loaded the wrong elements. */
bool diagnose_gather(const struct diagnosis *d, struct report *report);
/* Columns or rows of each group, such as the members of a float4, are exchanged or repeated. */
bool diagnose_groups(const struct diagnosis *d, struct report *report);
/* One index in a kernel of the course is wrong. Tested only for matrices of at most
 * DIAGNOSE_KERNEL_MAX elements. */
enum { DIAGNOSE_KERNEL_MAX = 1 << 13 };
bool diagnose_kernel(const struct diagnosis *d, struct report *report);
/* The outputs of blocks are exchanged. */
bool diagnose_exchange(const struct diagnosis *d, struct report *report);
/* The elements are at the correct places, but with altered values. */
bool diagnose_alteration(const struct diagnosis *d, struct report *report);

#endif
