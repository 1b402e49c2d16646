/* json_out.h: write a JSON document value by value. The caller writes the brackets. */
#ifndef JSON_OUT_H
#define JSON_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct json_out {
    FILE *file;
    bool follows; /* true if a comma is required before the next value */
};

/* Write the values that a format describes: `{line: %u, access: %s, lanes: [%zu, %g]}`. Conversions
 * are %s for texts, %g for reals, %d for bools, and %u, %zu and %lu for counts. Commas and blanks
 * in the format are ignored. Brackets may stay open. */
void json_out_format(struct json_out *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* In the functions below, `key` is the name of the value in an object; NULL in a list. */
void json_out_open(struct json_out *out, const char *key, char bracket);
void json_out_close(struct json_out *out, char bracket);
/* Write a text. Invalid UTF-8 is copied without changes. A NUL byte becomes U+FFFD. */
void json_out_bytes(struct json_out *out, const char *key, const char *text, size_t length);
void json_out_text(struct json_out *out, const char *key, const char *text);
void json_out_count(struct json_out *out, const char *key, uint64_t number);
void json_out_real(struct json_out *out, const char *key, double number); /* null if not finite */
/* Write `word`, which is "true", "false" or "null". */
void json_out_word(struct json_out *out, const char *key, const char *word);

#endif
