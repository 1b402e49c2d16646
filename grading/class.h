/* class.h: grading a class: jobs, progress, resuming, engines.
 *
 * DIR/work/ID.json is the grade of one submission, written whole by whoever graded it; its
 * "digest", rubrics, seed and version say whether it is still good. That is all the state there is:
 * a rerun grades what has no good grade, in any order, on any number of machines, and the reports
 * are made from the complete set. DIR/work/batch.json says what the batch is (paths, options), for
 * the tasks of a job array.
 */
#ifndef CLASS_H
#define CLASS_H

#include "grade.h"

#include <stdio.h>

enum class_engine { CLASS_LOCAL, CLASS_SLURM };

struct class_options {
    struct grade_options grade;
    const char *submissions, *roster; /* roster may be NULL */
    const char *out;
    unsigned jobs;
    enum class_engine engine;
    FILE *progress; /* NULL: silent */
};

/* Grade all submissions that have no good grade yet, then write all reports. */
bool class_grade(const struct class_options *options, struct failure *failure);

#endif
