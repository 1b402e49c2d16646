/* compile_hints.h: what the text of a source tells about why it does not compile, or is no lab.
 */
#ifndef COMPILE_HINTS_H
#define COMPILE_HINTS_H

#include "base/failure.h"
#include "text/array_shapes.h"
#include "text/naming.h"

/* Put before a student's failure, which holds the compiler's messages, what the text tells about
 * names, and after it a hint. `code` is the text without comments. */
void compile_hints_add(const char *code, const struct array_shapes *shapes, struct naming *naming,
                       const char *text, size_t bytes, struct failure *failure);

#endif
