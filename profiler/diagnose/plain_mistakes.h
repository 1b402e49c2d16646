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

/* Report the dimensions of the grid and of the block that the kernel does not use, or uses although
 * they are 1. Returns true if there are any. */
bool plain_dimensions_report(const struct suspect *suspect, struct report *report);

/* Find the next warning in the compiler's messages, from *at on, which moves past it. Write the
 * warning, its line and its meaning. False: there is none. */
bool plain_warning_next(const char **at, char *text, size_t size, uint32_t *line);
/* Append the first two warnings to a student failure. `warnings` may be NULL. */
void plain_warnings_report(const char *warnings, struct failure *failure);

/* True if the tile has fewer elements than a block moves. */
bool plain_tile_is_small(const struct suspect *suspect);

/* Returns the width in bytes of the elements that the kernel loads or stores one by one in a state
 * space, if it is not 4; else 0. */
unsigned plain_odd_element(const struct emulator_launch *launch, enum ptx_space space, bool *loads);

#endif
