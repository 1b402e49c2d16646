/* wording.h: text for messages: format, append, wrap to lines, quote lines of a file. */
#ifndef WORDING_H
#define WORDING_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { WORDING_WIDTH = 100 }; /* columns of a line */

/* Format the arguments after the parameter `format` of the calling function into `text`. */
#define FORMAT(text, size, format)                                                                 \
    ({                                                                                             \
        va_list arguments_;                                                                        \
        va_start(arguments_, format);                                                              \
        int length_ = vsnprintf(text, size, format, arguments_);                                   \
        va_end(arguments_);                                                                        \
        length_;                                                                                   \
    })

/* Append to a text in a buffer of `size` bytes; text that does not fit is cut. */
void text_append(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Append to a text in a buffer that is an array. */
#define APPEND(array, ...) text_append(array, sizeof(array), __VA_ARGS__)

/* If `wavefronts` / `ideal` is a whole number above 1, append this number as " (32-way)". */
void text_append_ways(double wavefronts, double ideal, char *text, size_t size);

/* Returns "" for 1, otherwise "s". */
const char *plural(double count);

/* Print `label` and the text after it, wrapped at blanks to WORDING_WIDTH columns, or to the
 * width of a narrower terminal. All lines after the first are indented by `indent`. No word is
 * broken. */
void text_wrap(FILE *out, const char *label, const char *text, int indent);

/* Replace control characters, including those of Latin-1, by question marks, so that they cannot
 * affect a terminal. The characters in `allowed` do not change. */
void text_defuse(char *text, const char *allowed);

/* Read a line of a file (numbered from 1), without leading blanks. Control characters become
 * blanks. Returns false if there is no such line. */
bool text_quote_line(const char *path, size_t number, char *text, size_t size);

#endif
