/* json_text.h: make JSON values from untrusted data. If memory is full, the process ends. */
#ifndef JSON_TEXT_H
#define JSON_TEXT_H

#include <jansson.h>
#include <stddef.h>

/* Returns a new reference to a JSON string. Invalid UTF-8 and control characters other than line
 * ends and tabs become U+FFFD; "\r\n" becomes "\n". */
json_t *json_text(const char *bytes, size_t length);
/* Formats at most 16 KiB; otherwise like json_text. */
json_t *json_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Returns a new reference to the number, rounded to 6 significant digits, so that its text is the
 * same on every machine. An infinite number or NaN becomes JSON null. */
json_t *json_number(double number);

/* Returns the value of a field; "" or 0 if the field is missing or has another type. */
const char *json_text_of(const json_t *object, const char *field);
double json_number_of(const json_t *object, const char *field);

#endif
