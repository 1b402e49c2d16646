/* report_feedback.h: a grade in plain text. All functions take the student's copy
 * (report_for_student).
 */
#ifndef REPORT_FEEDBACK_H
#define REPORT_FEEDBACK_H

#include <jansson.h>
#include <stdio.h>

/* The whole feedback: feedback.txt. */
void feedback_write(FILE *stream, const json_t *grade);

/* What one check says: text, then the hint where there is one. malloc'd; NULL: no memory. */
char *feedback_check(const json_t *check);

/* What one lab says outside its checks: the failure, or the advice; malloc'd, may be empty. */
char *feedback_lab(const json_t *lab);

#endif
