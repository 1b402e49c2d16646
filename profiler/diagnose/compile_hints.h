/* compile_hints.h: hints from the text of a source that does not compile or is not a lab. */
#ifndef COMPILE_HINTS_H
#define COMPILE_HINTS_H

#include "base/failure.h"
#include "text/array_shapes.h"
#include "text/naming.h"

/* Extend a student failure that contains the compiler's messages: put mistakes in names before the
 * messages, and a hint after the messages. `code` is the text without comments. */
void compile_hints_add(const char *code, const struct array_shapes *shapes, struct naming *naming,
                       const char *text, size_t bytes, struct failure *failure);

#endif
