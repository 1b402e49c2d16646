/* class.h: grading a class: jobs, progress, resuming, engines.
 *
 * DIR/work/ID.json is the grade of one submission, written whole by whoever graded it. What it was
 * made of (the submission's digest, and in "record"."key" the rubrics, seed, compiler, sandbox and
 * tlab itself) says whether it is still good. That is all the state there is: a rerun grades what
 * has no good grade, in any order, on any number of machines, and the reports are made from the
 * complete set. DIR/work/ID.problem says why there is none. DIR/work/batch.order says
 * which submissions the tasks of a job array grade.
 */
#ifndef CLASS_H
#define CLASS_H

#include "class/class_options.h"

enum { CLASS_LABS_MAX = 64 };

/* What came of it. */
struct class_summary {
    size_t count, handed_in, graded_now, not_graded;
    size_t lab_count;
    struct {
        char exercise[64];
        size_t handed_in;
        double score, points; /* sums over those who handed it in */
    } labs[CLASS_LABS_MAX];
};

/* Grade all submissions that have no good grade yet, then write all reports. A submission that
 * cannot be graded, since the grader died or failed, does not stop the others: it is reported as
 * not graded, and the whole is a harness failure that names it. *summary is filled then, too, and
 * all zero when there are no reports. */
bool class_grade(const struct class_options *options, struct class_summary *summary,
                 struct failure *failure);

#endif
