/* json_text.h: JSON values from untrusted bytes and numbers. They are never NULL
 * (process/allocate.h). */
#ifndef JSON_TEXT_H
#define JSON_TEXT_H

#include <jansson.h>
#include <stddef.h>

/* A string of `length` bytes. Invalid UTF-8 and control characters other than line ends and tabs
 * become U+FFFD; "\r\n" becomes "\n". Returns a new reference. */
json_t *json_text(const char *bytes, size_t length);
/* The same for a formatted text, at most 16 KB. */
json_t *json_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A number rounded to 6 significant digits, so that its text is the same on every machine; null if
 * it is not finite. */
json_t *json_number(double number);

/* A field of an object: its text, or "" if it is not a text; its number, or 0. */
const char *json_text_of(const json_t *object, const char *field);
double json_number_of(const json_t *object, const char *field);

#endif
