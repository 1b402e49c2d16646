/* compile_hints.h: hints from the text of a source that fails to compile or is not a lab. */
#ifndef COMPILE_HINTS_H
#define COMPILE_HINTS_H

#include "base/failure.h"
#include "text/array_shapes.h"
#include "text/naming.h"

/* Extend a student failure that contains the messages of the compiler. Mistakes in names are added
 * before these messages, and a hint after the messages. `text` is the source (`bytes` bytes), and
 * `code` is its text without comments. */
void compile_hints_add(const char *code, const struct array_shapes *shapes, struct naming *naming,
                       const char *text, size_t bytes, struct failure *failure);

#endif
