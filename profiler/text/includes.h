/* includes.h: the directives of C++ source that read a file: #include, #import, #embed and the
 * like.
 */
#ifndef INCLUDES_H
#define INCLUDES_H

#include "text/tokens.h"

struct include {
    unsigned line;
    char form;            /* '"', '<', or 0: something else, as the name of a macro */
    struct token operand; /* the file's name without its marks; for form 0 the rest of the line */
};

/* The next such directive, as the standard reads the text; false: there is none. */
bool includes_next(struct tokens *tokens, struct include *include);

/* The next place that any compiler may take for such a directive. A # counts where only blanks
 * stand before it in its line, or the end of a comment, whatever surrounds it: writers may try to
 * hide it. */
bool includes_next_possible(struct tokens *tokens, struct include *include);

/* Make blanks of what no compiler reads as code: comments, raw strings, and the text between #if 0
 * and its #endif. Only what all compilers read alike is blanked: nothing from the first place on in
 * which they are known to differ or might, and nothing at all in a text of bytes in which they
 * do. */
void includes_blank_unread(char *text, size_t bytes);

#endif
