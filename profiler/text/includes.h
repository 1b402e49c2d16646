/* includes.h: the directives of C++ source that read a file, such as #include, #import and #embed.
 */
#ifndef INCLUDES_H
#define INCLUDES_H

#include "text/tokens.h"

struct include {
    unsigned line;
    char form;            /* '"', '<', or 0 for anything else, such as a macro. */
    struct token operand; /* File name without quotes; for form 0, the rest of the line. */
};

/* Find the next directive by the rules of the standard. Returns false if there is none. */
bool includes_next(struct tokens *tokens, struct include *include);

/* Find the next place that any compiler may treat as such a directive. A # counts if its line has
 * only blanks or the end of a comment before the #. A # inside a comment or string also counts,
 * because an author may try to hide a directive. */
bool includes_next_possible(struct tokens *tokens, struct include *include);

#endif
