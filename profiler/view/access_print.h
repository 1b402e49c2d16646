/* access_print.h: one access of one warp in the terminal: lane by lane, as a map (lane_map.h), and
 * as totals against the ideal. At most 100 columns. picture.h draws the same.
 */
#ifndef ACCESS_PRINT_H
#define ACCESS_PRINT_H

#include "view/block_accesses.h"

/* "shared load, 4 bytes a lane". */
void access_print_kind(const struct observed_access *access, char *text, size_t size);

/* Print the access. `launch` must be the one that was observed, with its memory. */
void access_print(FILE *out, const struct emulator_launch *launch,
                  const struct block_access *observed);

#endif
