/* plain_mistakes.h: mistakes that are visible in a program, its launch or its text, whatever the
 * result is: private arrays of threads, shared memory that LAB_LAUNCH does not request, a tile that
 * is too small, elements of another width, mistakes that a changed source reveals (other_text.h), a
 * comma in an index, compiler warnings.
 */
#ifndef PLAIN_MISTAKES_H
#define PLAIN_MISTAKES_H

#include "diagnose/suspect.h"

/* Report these mistakes of a failed launch. */
void plain_mistakes_report(const struct suspect *suspect, const struct failure *failure,
                           struct report *report);

/* Report the dimensions of the grid and of the block that the kernel does not use, or uses although
 * they are 1. Returns true if there is such a dimension. */
bool plain_dimensions_report(const struct suspect *suspect, struct report *report);

/* Find the next warning in the compiler's messages from *at on. *at advances past it. Write the
 * warning, its line and its meaning. Returns false if there is none. */
bool plain_warning_next(const char **at, char *text, size_t size, uint32_t *line);
/* Add the first two warnings to a report. `warnings` may be NULL. */
void plain_warnings_report(const char *warnings, struct report *report);

/* Returns true if the tile has fewer elements than a block moves. */
bool plain_tile_is_small(const struct suspect *suspect);

/* Returns the width in bytes of the elements that the kernel loads or stores one by one in a state
 * space. Returns 0 if the width is 4. */
unsigned plain_odd_element(const struct emulator_launch *launch, enum ptx_space space, bool *loads);

#endif
