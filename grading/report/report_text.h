/* report_text.h: helpers that the reports share: reading a grade's fields, writing numbers, text
 * for HTML and XML.
 */
#ifndef REPORT_TEXT_H
#define REPORT_TEXT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* A field of an object as text ("" when it is absent or null), number (0) or truth (false). */
const char *report_string(const json_t *object, const char *field);
double report_number(const json_t *object, const char *field);
bool report_true(const json_t *object, const char *field);
/* Is the field there, and not null? */
bool report_has(const json_t *object, const char *field);

/* "7.5", "10": points as people write them, at most two decimals. `text` has room for 32. */
const char *report_points(double points, char *text);

/* Write text for HTML or XML 1.0: markup escaped, characters that XML does not allow replaced by
 * U+FFFD. */
void report_escape(FILE *stream, const char *text);

/* printf whose %s arguments are escaped, for markup: only %s, %d, %zu, %g, %.Nf and %% are known.
 */
void report_markup(FILE *stream, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The share of its points that something got, 0..1; 1 for no points. */
double report_share(double score, double points);

/* A check's verdict in a word for people: "full points", "partly", "no points", "not judged". */
const char *report_result(const json_t *check);

#endif
