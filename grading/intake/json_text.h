/* json_text.h: make JSON values from untrusted data. If memory is full, the process ends. */
#ifndef JSON_TEXT_H
#define JSON_TEXT_H

#include <jansson.h>
#include <stddef.h>

/* Returns a JSON string of `length` bytes, a new reference. Invalid UTF-8 and control characters
 * other than line ends and tabs become U+FFFD; "\r\n" becomes "\n". */
json_t *json_text(const char *bytes, size_t length);
/* Like json_text, for a formatted text of at most 16 KiB. */
json_t *json_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Returns a new reference to the number, rounded to 6 significant digits, so that its text is the
 * same on every machine. A number that is not finite becomes JSON null. */
json_t *json_number(double number);

/* Returns the object's value of a field; "" or 0 if the field is missing or has another type. */
const char *json_text_of(const json_t *object, const char *field);
double json_number_of(const json_t *object, const char *field);

#endif
