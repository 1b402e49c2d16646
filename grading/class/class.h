/* class.h: grade a class: jobs, progress, resuming, engines.
 *
 * DIR/work/ID.json is the grade of a submission. A grade is valid if two digests match: the digest
 * of the submission, and in "record"."key" the digest of rubrics, seed, compiler, sandbox and tlab.
 * There is no other state: a new run grades the submissions without a valid grade, in any order, on
 * any number of machines, and then makes all reports. DIR/work/ID.problem is the reason for a
 * missing grade. DIR/work/batch.order lists the submissions of a job array.
 */
#ifndef CLASS_H
#define CLASS_H

#include "class/batch.h"

enum { CLASS_LABS_MAX = 64 };

/* The results. */
struct class_summary {
    size_t count, handed_in, graded_now, not_graded;
    char left_out[512]; /* names of exercises that are not counted */
    size_t lab_count;
    struct {
        char exercise[64];
        size_t handed_in;
        double score, points; /* sums over the submissions for this exercise */
    } labs[CLASS_LABS_MAX];
};

/* Grade all submissions without a valid grade, then write all reports. The grader may die or fail
 * for a submission. Then the other submissions are graded, and the result is a harness failure that
 * names this submission. *summary is filled in any case; it is zero if there are no reports. */
bool class_grade(const struct class_options *options, struct class_summary *summary,
                 struct failure *failure);

#endif
