/* diagnose_guesses.h: the families of guesses that diagnose.c tries: each adds a line or two and
 * returns true if one of its mistakes explains every element.
 */
#ifndef DIAGNOSE_GUESSES_H
#define DIAGNOSE_GUESSES_H

#include "course/diagnosis.h"

/* The right input was written to the wrong place. */
bool diagnose_placement(const struct diagnosis *d, struct report *report);
/* The right places got the wrong input. */
bool diagnose_gather(const struct diagnosis *d, struct report *report);
/* Blocks whose outputs are exchanged (diagnose_gather.c). */
bool diagnose_exchange(const struct diagnosis *d, struct report *report);
/* The right elements stand in the right places, with other values. */
bool diagnose_alteration(const struct diagnosis *d, struct report *report);

#endif
