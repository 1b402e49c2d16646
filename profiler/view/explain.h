/* explain.h: one access of one warp in words: lane by lane, as a map, and as totals against the
 * ideal. At most 100 columns.
 */
#ifndef EXPLAIN_H
#define EXPLAIN_H

#include "view/observation.h"

/* "shared load, 4 bytes a lane". */
void explain_kind(const struct observed_access *access, char *text, size_t size);

/* Print the access. `launch` must be the one that was observed, with its memory. */
void explain_print(FILE *out, const struct emulator_launch *launch,
                   const struct observed *observed);

#endif
