/* json_text.h: values for JSON from bytes and numbers that came from anywhere. In a program with
 * this file the process ends with status 2 and a message where jansson lacks memory for a value.
 */
#ifndef JSON_TEXT_H
#define JSON_TEXT_H

#include <jansson.h>
#include <stddef.h>

/* A string of `length` bytes: what is no valid UTF-8, and control characters (of the direction of
 * writing, too) but line ends and tabs, become U+FFFD; "\r\n" becomes "\n". Returns a new
 * reference. */
json_t *json_text(const char *bytes, size_t length);
/* The same of what a format makes, at most 16 KB. */
json_t *json_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A number rounded to 6 significant digits, so that it is the same text everywhere; null when it is
 * not finite. */
json_t *json_number(double number);

/* A field of an object: its text, or "" where it is none; its number, or 0. */
const char *json_text_of(const json_t *object, const char *field);
double json_number_of(const json_t *object, const char *field);

#endif
