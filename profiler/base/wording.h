/* wording.h: sentences for people: put together in a buffer, wrapped to lines.
 */
#ifndef WORDING_H
#define WORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { WORDING_WIDTH = 100 }; /* columns of a line */

/* Append to a text in a buffer of `size` bytes; what does not fit is cut. */
void text_append(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same of a buffer that is an array. */
#define APPEND(array, ...) text_append(array, sizeof(array), __VA_ARGS__)

/* "s", or "" of one. */
const char *plural(double count);

/* Print `label` and behind it the text, broken at blanks to lines of WORDING_WIDTH columns, which
 * are indented like the lines of the text after its first. A column is a byte. */
void text_wrap(FILE *out, const char *label, const char *text, int indent);

/* Replace what terminals act on by question marks: control characters, those of Latin-1 included,
 * but for the ones in `allowed`. */
void text_defuse(char *text, const char *allowed);

/* A line of a file (from 1), without blanks at its beginning, and without control characters.
 * False: there is none. */
bool text_quote_line(const char *path, size_t number, char *text, size_t size);

#endif
