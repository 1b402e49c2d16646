/* json_text.h: make JSON values from untrusted bytes and numbers. These values are never NULL
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

/* Returns the text of a field, or "" if it has no text; its number, or 0 if it has no number. */
const char *json_text_of(const json_t *object, const char *field);
double json_number_of(const json_t *object, const char *field);

#endif
