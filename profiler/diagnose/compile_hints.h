/* compile_hints.h: hints about a source that does not compile or is not a lab, from its text. */
#ifndef COMPILE_HINTS_H
#define COMPILE_HINTS_H

#include "base/failure.h"
#include "text/array_shapes.h"
#include "text/naming.h"

/* Add to a student failure, which holds the compiler's messages: before them, mistakes in names;
 * after them, a hint. `code` is the text without comments. */
void compile_hints_add(const char *code, const struct array_shapes *shapes, struct naming *naming,
                       const char *text, size_t bytes, struct failure *failure);

#endif
