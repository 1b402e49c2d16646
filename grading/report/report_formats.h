/* report_formats.h: one student's grade in the JSON of the places that collect grades. All
 * functions take the student's copy (report_for_student) and return a new reference, or NULL
 * without memory.
 */
#ifndef REPORT_FORMATS_H
#define REPORT_FORMATS_H

#include <jansson.h>

/* Gradescope's results.json: a test per visible check, one for the hidden ones of each lab. */
json_t *format_gradescope(const json_t *grade);

/* PrairieLearn's results for external grading: score as a share from 0 to 1. */
json_t *format_prairielearn(const json_t *grade);

/* What GitHub Classroom's autograding reporter takes (base64-encoded, by the workflow). */
json_t *format_github(const json_t *grade);

/* The last line that an Autolab autograder prints: a score per exercise. */
json_t *format_autolab(const json_t *grade);

#endif
