/* class.h: grade all submissions of a class, and resume the grading after an interruption.
 *
 * DIR/work/ID.json is the grade of a submission. A grade is valid if two digests in it match: the
 * digest of the submission, and the digest of rubrics, seed, compiler, sandbox and tlab
 * ("record"."key"). Grading needs no other state: a new run grades the submissions without a valid
 * grade, in any order, on any number of machines, and then writes all reports. DIR/work/ID.problem
 * states the reason for a missing grade. DIR/work/batch.order lists the submissions of a job array.
 */
#ifndef CLASS_H
#define CLASS_H

#include "class/batch.h"

enum { CLASS_LABS_MAX = 64 };

/* Numbers of submissions, and the results per exercise. */
struct class_summary {
    size_t count, handed_in, graded_now, not_graded;
    char left_out[512]; /* names of the exercises that are not counted: "copy, diagonal" */
    size_t lab_count;
    struct {
        char exercise[64];
        size_t handed_in;
        double score, points; /* sums over the submissions for this exercise */
    } labs[CLASS_LABS_MAX];
};

/* Grade all submissions without a valid grade, then write all reports. If the grader crashes or
 * fails for a submission, the remaining submissions are graded, all reports are written, and a
 * harness failure names the submission. *summary receives the results, or zeros without reports. */
bool class_grade(const struct class_options *options, struct class_summary *summary,
                 struct failure *failure);

#endif
