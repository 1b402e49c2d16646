/* plain_mistakes.h: mistakes that are visible in a program, its launch configuration or its text,
 * even if its result is correct. Examples are an array that is private to each thread, a tile that
 * is too small, elements of a wrong width, and compiler warnings. */
#ifndef PLAIN_MISTAKES_H
#define PLAIN_MISTAKES_H

#include "diagnose/suspect.h"

void plain_mistakes_report(const struct suspect *suspect, const struct failure *failure,
                           struct report *report);

/* Report the dimensions of the grid and the block that have several blocks or threads, but that the
 * kernel does not distinguish. Also report the use of threadIdx.y or threadIdx.z if this index is
 * always 0. Returns true if a dimension was reported. */
bool plain_dimensions_report(const struct suspect *suspect, struct report *report);

/* Report the last `return` before a line that not all threads reach. */
void plain_return_report(const struct suspect *suspect, uint32_t line, struct report *report);

/* Report the store near the first word of shared memory that is loaded, but was not stored. */
void plain_stores_report(const struct suspect *suspect, struct report *report);

/* Find the next warning in the messages of the compiler from *at on. *at becomes the end of the
 * warning, `text` (`size` bytes) the warning with its meaning, and *line its line (or 0).
 * Returns false if there is no further warning. */
bool plain_warning_next(const char **at, char *text, size_t size, uint32_t *line);
/* Add one warning per source line until the report has two lines. `warnings` may be NULL. */
void plain_warnings_report(const char *warnings, struct report *report);

/* Returns the line of a macro that is a sum without parentheses, but is multiplied or divided; 0 if
 * there is none. `name` receives the macro's name. */
uint32_t plain_macro_find(const char *code, char *name, size_t size);

/* Returns true if the tile has fewer elements than a block moves. `report` may be NULL. */
bool plain_tile_is_small(const struct suspect *suspect, struct report *report);

/* Returns the line in which a float becomes an integer that later becomes a float; 0 if none. */
uint32_t plain_truncation_line(const struct ptx_module *module, const struct ptx_function *kernel);

/* Set used[i] to true for each special register i that the kernel or a device function reads. */
void plain_find_specials(const struct ptx_module *module, const struct ptx_function *kernel,
                         bool used[PTX_SPECIAL_COUNT]);

/* Returns the width in bytes of the first access in `space` that moves single elements that are not
 * 4 bytes wide; 0 if there is none. *loads becomes true if this access is a load. */
unsigned plain_odd_element(const struct emulator_launch *launch, enum ptx_space space, bool *loads);

#endif
