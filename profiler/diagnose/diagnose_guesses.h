/* diagnose_guesses.h: the families of guesses that diagnose.c tries: each adds a line or two and
 * returns true if one of its mistakes explains every element.
 */
#ifndef DIAGNOSE_GUESSES_H
#define DIAGNOSE_GUESSES_H

#include "diagnose/diagnosis.h"

/* The right input was written to the wrong place. */
bool diagnose_placement(const struct diagnosis *d, struct report *report);
/* The same, with rows of the output a wrong distance apart: of the map that is wanted; of
 * another. */
bool diagnose_placement_pitch(const struct diagnosis *d, struct report *report);
bool diagnose_placement_other_pitch(const struct diagnosis *d, struct report *report);
/* The right places got the wrong input. */
bool diagnose_gather(const struct diagnosis *d, struct report *report);
/* A kernel of the course with a mistake in an index, in matrices of at most so many elements. */
enum { DIAGNOSE_KERNEL_MAX = 1 << 13 };
bool diagnose_kernel(const struct diagnosis *d, struct report *report);
/* Blocks whose outputs are exchanged (diagnose_gather.c). */
bool diagnose_exchange(const struct diagnosis *d, struct report *report);
/* The right elements stand in the right places, with other values. */
bool diagnose_alteration(const struct diagnosis *d, struct report *report);

#endif
