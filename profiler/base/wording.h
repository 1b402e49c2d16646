/* wording.h: functions that format, append, wrap and quote text for messages. */
#ifndef WORDING_H
#define WORDING_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { WORDING_WIDTH = 100 };

/* Like vsnprintf, with the arguments after the parameter `format` of the calling function. */
#define FORMAT(text, size, format)                                                                 \
    ({                                                                                             \
        va_list arguments_;                                                                        \
        va_start(arguments_, format);                                                              \
        int length_ = vsnprintf(text, size, format, arguments_);                                   \
        va_end(arguments_);                                                                        \
        length_;                                                                                   \
    })

/* Append to a text in a buffer of `size` bytes. The part that does not fit is omitted. */
void text_append(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
#define APPEND(array, ...) text_append(array, sizeof(array), __VA_ARGS__)

/* If wavefronts / ideal is near an integer above 1, for example 32, append " (32-way)". */
void text_append_ways(double wavefronts, double ideal, char *text, size_t size);

/* Returns "" for 1, otherwise "s". */
const char *plural(double count);

/* Print `label` and `text`. Lines are wrapped at blanks to WORDING_WIDTH columns or the width of a
 * narrower terminal. Continuation lines are indented by `indent` columns. */
void text_wrap(FILE *out, const char *label, const char *text, int indent);

/* Replace control characters (C0, DEL, and C1 in UTF-8) by question marks, because they could
 * control a terminal. Characters in `allowed` are not replaced. */
void text_defuse(char *text, const char *allowed);

/* Copy line `number` (from 1) of a file, without leading blanks, to `text` of `size` bytes. Control
 * characters become blanks. Returns false if the line does not exist. */
bool text_quote_line(const char *path, size_t number, char *text, size_t size);

#endif
