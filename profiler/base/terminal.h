/* terminal.h: colours and folded lines for terminals. Output to files and pipes is unchanged. */
#ifndef TERMINAL_H
#define TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { TERMINAL_DEFAULT_WIDTH = 80, TERMINAL_LEAST_WIDTH = 20 };

/* A stream that folds text at blanks. Continuation lines are indented by `indent` columns. If
 * `indent` is 0, continuation lines are indented by two more columns than the first line. If the
 * first line is indented by at least half of `width`, continuation lines are indented by only two
 * columns. */
struct fold {
    FILE *out;
    size_t width, indent;
    size_t column, hanging; /* state: current column, and indentation of continuation lines */
    bool has_word;
};
void fold_write(struct fold *fold, const char *text, size_t size);

/* Returns the number of columns of a text: 1 for a UTF-8 sequence, 8 for a tab, 0 for a colour. */
size_t terminal_columns(const char *text, size_t size);

/* Returns the columns of standard output; 80 if unknown, 0 if the output is not a terminal. */
size_t terminal_width(void);

/* Fold standard output and standard error if they are terminals. Enable colours if standard output
 * is a terminal. A nonempty NO_COLOR, TERM=dumb or an unset TERM disables colours. */
void terminal_begin(void);

enum terminal_colour { TERMINAL_PLAIN, TERMINAL_GOOD, TERMINAL_PART, TERMINAL_BAD };

/* Returns the escape sequence of a colour; "" if colours are disabled. */
const char *terminal_paint(enum terminal_colour colour);

#endif
