/* includes.h: the directives of C++ source that read a file: #include, #import, #embed, ... */
#ifndef INCLUDES_H
#define INCLUDES_H

#include "text/tokens.h"

struct include {
    unsigned line;
    char form;            /* '"', '<', or 0 for any other operand, such as a macro */
    struct token operand; /* file name without quotes; for form 0, the rest of the line */
};

/* Find the next directive by the rules of the standard. Returns false if no directive follows. */
bool includes_next(struct tokens *tokens, struct include *include);

/* Find the next # that any compiler may treat as the start of a directive that reads a file. Only
 * blanks or the end of a comment precede this # in its line. A # in a comment or string also
 * counts, because an author may hide a directive there. Returns false if there is none. */
bool includes_next_possible(struct tokens *tokens, struct include *include);

#endif
