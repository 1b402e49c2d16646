/* html.h: the pages that people read in a browser. Self-contained: style, charts (SVG) and the one
 * script are in the page, and a content security policy forbids everything else.
 */
#ifndef HTML_H
#define HTML_H

#include <jansson.h>
#include <stddef.h>
#include <stdio.h>

/* The page of one submission: checks against their targets, counters against the ideal, annotated
 * source. Takes the student's copy (report_for_student). */
void html_student(FILE *stream, const json_t *grade);

/* What the class page knows of one submission: texts are borrowed. */
struct html_row {
    const char *id, *name;
    double score, points;
    const double *scores; /* by lab, as in html_class.labs */
    const char *const *statuses;
    size_t flag_count;
    const char *const *flags; /* evidence */
};

struct html_lab {
    const char *exercise, *title;
    double points;
};

struct html_class {
    size_t lab_count, row_count;
    const struct html_lab *labs;
    const struct html_row *rows;
};

/* The class page, for the instructor: distribution per exercise, a sortable table, who failed what,
 * what looks suspicious. Names link to students/ID/index.html. */
void html_class(FILE *stream, const struct html_class *class);

/* For html_*.c: begin a page ("<!DOCTYPE" up to the opened <main>) with an optional script, end it.
 */
void html_begin(FILE *stream, const char *title, const char *script);
void html_end(FILE *stream, const char *script);

#endif
