/* includes.h: the directives of C++ source that read a file: #include, #import, #embed and the
 * like.
 */
#ifndef INCLUDES_H
#define INCLUDES_H

#include "text/tokens.h"

struct include {
    unsigned line;
    char form;            /* '"', '<', or 0 for anything else, such as a macro. */
    struct token operand; /* The file's name without quotes; for form 0 the rest of the line. */
};

/* Find the next such directive by the rules of the standard. False: there is none. */
bool includes_next(struct tokens *tokens, struct include *include);

/* Find the next place that any compiler may treat as such a directive. A # counts if only blanks or
 * the end of a comment precede it in its line, whatever surrounds it, because authors may try to
 * hide it. */
bool includes_next_possible(struct tokens *tokens, struct include *include);

#endif
