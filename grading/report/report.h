/* report.h: write reports for students, instructors and other systems from marked grades (marks.h).
 * jq scripts generate the files, completely or not at all. All failures are harness failures. */
#ifndef REPORT_H
#define REPORT_H

#include "base/failure.h"

#include <jansson.h>

/* Check that jq is installed. */
bool report_probe(struct failure *failure);

/* Marked grades. `load` returns a new reference to grade `index`. Only one grade is in memory. */
struct report_class {
    size_t count;
    json_t *(*load)(void *context, size_t index, struct failure *failure);
    void *context;
    /* Returns a new reference to the changed marks (`list` in changes.h). Called after all grades
     * are loaded. If NULL, no changes are reported. */
    json_t *(*changes)(void *context);
};

/* Write the reports of each student to students/ID: feedback.txt, index.html, results.json
 * (Gradescope), prairielearn.json, github.json (GitHub Classroom's autograding reporter),
 * autolab.json. These files contain only data that the student may see. One jq process generates
 * all reports in memory, so pass at most a few dozen students. */
bool report_submissions(const struct report_class *class, const char *students,
                        struct failure *failure);

/* Write grade.json, gradebook.csv, changes.csv, junit.xml and index.html to `directory`. */
bool report_class(const struct report_class *class, const char *directory, struct failure *failure);

#endif
