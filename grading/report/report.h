/* report.h: grades in the forms that courses use, all made from marked grades (marks.h) and nothing
 * else. What the reports say and look like is in student.jq and class.jq, which jq runs: of grades
 * it makes objects of files, which are written here, whole or not at all. Failures are harness
 * failures.
 */
#ifndef REPORT_H
#define REPORT_H

#include "base/failure.h"

#include <jansson.h>

/* Is jq there? A harness failure names its package. */
bool report_probe(struct failure *failure);

/* Grades, of a class or of a part of it. `load` gives number `index`, a new reference: one at a
 * time, so that memory does not grow with the class. */
struct report_class {
    size_t count;
    json_t *(*load)(void *context, size_t index, struct failure *failure);
    void *context;
    /* Of a class: [{"id", "name", "exercise", "old", "new", "why"}], marks that have changed;
     * called when all are loaded. A new reference. May be NULL. */
    json_t *(*changes)(void *context);
};

/* For each, into students/ID: feedback.txt, index.html (charts and annotated source,
 * self-contained), results.json (Gradescope), prairielearn.json, github.json (GitHub Classroom's
 * autograding reporter), autolab.json. Only what its student may see. One jq makes them all, in
 * memory: ask for a few dozen at a time. */
bool report_submissions(const struct report_class *class, const char *students,
                        struct failure *failure);

/* For the class, into `directory` (DIR): grade.json, gradebook.csv, changes.csv, junit.xml,
 * index.html (who needs looking at, distribution per lab, sortable table, who failed what, what has
 * changed; links to the pages of students). */
bool report_class(const struct report_class *class, const char *directory, struct failure *failure);

#endif
