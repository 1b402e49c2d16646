/* plain_mistakes.h: mistakes that a program, its launch or its text shows, whatever its result is:
 * private arrays of threads, shared memory that LAB_LAUNCH does not request, a tile that is too
 * small, elements of another width, mistakes that a changed source reveals (other_text.h), a comma
 * in an index, compiler warnings.
 */
#ifndef PLAIN_MISTAKES_H
#define PLAIN_MISTAKES_H

#include "diagnose/suspect.h"

/* Add lines about a failed launch. */
void plain_mistakes_report(const struct suspect *suspect, const struct failure *failure,
                           struct report *report);

/* True if the tile has fewer elements than a block moves. */
bool plain_tile_is_small(const struct suspect *suspect);

/* Returns the width in bytes of the elements that the kernel loads or stores one by one in a state
 * space, if it is not 4; else 0. */
unsigned plain_odd_element(const struct emulator_launch *launch, enum ptx_space space, bool *loads);

#endif
