/* json_out.h: write a JSON document value by value. This module writes the commas; the caller must
 * close every open bracket. The module requires no library.
 */
#ifndef JSON_OUT_H
#define JSON_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct json_out {
    FILE *file;
    bool follows; /* the next value needs a comma before it */
};

/* Write the values that a format describes: `{line: %u, access: %s, lanes: [%zu, %g]}`. A format
 * contains brackets, names of fields, and conversions: %s is a text, %g a real, %d a bool, and %u,
 * %zu and %lu are counts. Commas and blanks have no meaning, and brackets may stay open. */
void json_out_format(struct json_out *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Each function writes one value. `key` is the value's name in an object; NULL in a list. */
void json_out_open(struct json_out *out, const char *key, char bracket); /* '{' or '[' */
void json_out_close(struct json_out *out, char bracket);                 /* '}' or ']' */
/* Bytes that are not valid UTF-8 are copied; a NUL becomes U+FFFD. */
void json_out_bytes(struct json_out *out, const char *key, const char *text, size_t length);
void json_out_text(struct json_out *out, const char *key, const char *text);
void json_out_count(struct json_out *out, const char *key, uint64_t number);
void json_out_real(struct json_out *out, const char *key, double number); /* null if not finite */
/* "true", "false" or "null". */
void json_out_word(struct json_out *out, const char *key, const char *word);
void json_out_bool(struct json_out *out, const char *key, bool value);

#endif
