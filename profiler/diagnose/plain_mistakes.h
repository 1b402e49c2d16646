/* plain_mistakes.h: mistakes that can be seen in a program, its launch or its text, without knowing
 * what came out: arrays of each thread's own, shared memory that was not asked for, a tile with too
 * little room, elements of another width, what another text says (other_text.h), a comma in an
 * index, what the compiler warns of.
 */
#ifndef PLAIN_MISTAKES_H
#define PLAIN_MISTAKES_H

#include "diagnose/suspect.h"

/* Add lines on a failed attempt of at most a few ten thousand elements. */
void plain_mistakes_tell(const struct suspect *suspect, const struct failure *failure,
                         struct report *report);

/* Has its tile less room than a block has elements to move? */
bool plain_tile_is_small(const struct suspect *suspect);

/* The width of the elements that a launched kernel loads or stores one by one in a space, in
 * bytes, where it is not 4; 0: it is. */
unsigned plain_odd_element(const struct emulator_launch *launch, enum ptx_space space, bool *loads);

#endif
