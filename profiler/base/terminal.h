/* terminal.h: output on a terminal: lines folded at its width, and colours.
 *
 * terminal_begin() folds everything that the program prints on a terminal. Output to a file or a
 * pipe is not folded, so that a search finds whole lines. */
#ifndef TERMINAL_H
#define TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { TERMINAL_DEFAULT_WIDTH = 80, TERMINAL_LEAST_WIDTH = 20 };

/* Text that is folded at blanks. A word that is longer than a line stays whole. Continuation lines
 * are indented by `indent`; if it is 0, by two more blanks than the first line. */
struct fold {
    FILE *out;
    size_t width, indent;
    size_t column, hanging; /* State: the column, and the indentation of continuation lines. */
    bool has_word;          /* State: the line contains a word. */
};
void fold_write(struct fold *fold, const char *text, size_t size);

/* Returns the number of columns of a text. A UTF-8 sequence takes 1 column, a colour takes 0. */
size_t terminal_columns(const char *text, size_t size);

/* Returns the width of the terminal on standard output: 80 if the width is unknown, 0 if standard
 * output is not a terminal. */
size_t terminal_width(void);

/* From now on, fold standard output and standard error, and colour standard output, if they are
 * terminals. NO_COLOR and TERM=dumb turn the colours off. */
void terminal_begin(void);

enum terminal_colour { TERMINAL_PLAIN, TERMINAL_GOOD, TERMINAL_PART, TERMINAL_BAD };

/* Returns the escape sequence of a colour; "" if colours are off. */
const char *terminal_paint(enum terminal_colour colour);

#endif
