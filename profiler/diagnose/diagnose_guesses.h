/* diagnose_guesses.h: the families of hypotheses that diagnose.c tests. Each function adds one or
 * two lines and returns true if one of its mistakes explains every element.
 */
#ifndef DIAGNOSE_GUESSES_H
#define DIAGNOSE_GUESSES_H

#include "diagnose/diagnosis.h"

/* The kernel stored the correct elements at wrong places. */
bool diagnose_placement(const struct diagnosis *d, struct report *report);
/* The same with a wrong pitch of the output: for the required map, and for other maps. */
bool diagnose_placement_pitch(const struct diagnosis *d, struct report *report);
bool diagnose_placement_other_pitch(const struct diagnosis *d, struct report *report);
/* The kernel loaded wrong elements. */
bool diagnose_gather(const struct diagnosis *d, struct report *report);
/* Columns or rows of each group, such as the members of a float4, are exchanged or repeated. */
bool diagnose_groups(const struct diagnosis *d, struct report *report);
/* A kernel of the course with one wrong index. DIAGNOSE_KERNEL_MAX: most elements of a matrix. */
enum { DIAGNOSE_KERNEL_MAX = 1 << 13 };
bool diagnose_kernel(const struct diagnosis *d, struct report *report);
/* Blocks whose outputs are exchanged. */
bool diagnose_exchange(const struct diagnosis *d, struct report *report);
/* The correct elements are at the correct places, with altered values. */
bool diagnose_alteration(const struct diagnosis *d, struct report *report);

#endif
