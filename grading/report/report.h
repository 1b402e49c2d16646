/* report.h: grades in the forms that courses use, all made from the documents of grade.h and
 * nothing else. Functions write files whole or not at all; failures are harness failures.
 */
#ifndef REPORT_H
#define REPORT_H

#include "base/failure.h"

#include <jansson.h>

/* A copy of a grade with only what its student may see. */
json_t *report_for_student(const json_t *grade);

/* For one submission, into `directory` (DIR/students/ID): feedback.txt, index.html (charts and
 * annotated source, self-contained), results.json (Gradescope), prairielearn.json, github.json
 * (GitHub Classroom's autograding reporter), autolab.json. Student's view only. */
bool report_submission(const json_t *grade, const char *directory, struct failure *failure);

/* For the class, into `directory` (DIR): grade.json, gradebook.csv, junit.xml, index.html
 * (distribution per lab, sortable table, who failed what; links to the pages). `load` gives the
 * grade number `index`, a new reference: one at a time, so that memory does not grow with the
 * class. */
struct report_class {
    size_t count;
    json_t *(*load)(void *context, size_t index, struct failure *failure);
    void *context;
};
bool report_class(const struct report_class *class, const char *directory, struct failure *failure);

#endif
