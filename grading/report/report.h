/* report.h: write reports for students, instructors and other systems, only from marked grades
 * (marks.h). student.jq and class.jq make objects of files from grades. This module writes each
 * file completely or not at all. All failures are harness failures.
 */
#ifndef REPORT_H
#define REPORT_H

#include "base/failure.h"

#include <jansson.h>

/* Check that jq is installed. If jq is missing, a harness failure names the package to install. */
bool report_probe(struct failure *failure);

/* The marked grades of a class or of a part of a class. `load` returns a new reference to grade
 * `index`. Only one grade is in memory at a time. */
struct report_class {
    size_t count;
    json_t *(*load)(void *context, size_t index, struct failure *failure);
    void *context;
    /* Returns a new reference to the changed marks of the class, [{"id", "name", "exercise", "old",
     * "new", "why"}]. Called after all grades are loaded. NULL: no changes are reported. */
    json_t *(*changes)(void *context);
};

/* Write the reports of each student to students/ID: feedback.txt, index.html (self-contained, with
 * charts and annotated source), results.json (Gradescope), prairielearn.json, github.json (GitHub
 * Classroom's autograding reporter), autolab.json. These files contain only data that the student
 * may see. One jq process makes all reports in memory, so pass at most a few dozen students. */
bool report_submissions(const struct report_class *class, const char *students,
                        struct failure *failure);

/* Write the reports of the class to `directory`: grade.json, gradebook.csv, changes.csv, junit.xml,
 * index.html (special cases, sortable table, changed marks, distributions, failed exercises). */
bool report_class(const struct report_class *class, const char *directory, struct failure *failure);

#endif
