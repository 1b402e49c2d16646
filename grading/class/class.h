/* class.h: grade all submissions of a class, and continue after an interruption. DIR/work/ID.json
 * is the grade of a submission. A grade is valid if it contains the digest of the submission's
 * files and the digest of everything else that affects grades (batch.h, `key`). A new run grades
 * the submissions without a valid grade, in any order and on any number of machines, and then
 * writes all reports. DIR/work/ID.problem states the reason for a missing grade. */
#ifndef CLASS_H
#define CLASS_H

#include "class/batch.h"

enum { CLASS_LABS_MAX = 64 };

struct class_summary {
    size_t count, handed_in, graded_now, not_graded;
    char left_out[512]; /* comma-separated names of the exercises that are not counted */
    size_t lab_count;
    struct {
        char exercise[64];
        size_t handed_in;
        double score, points; /* sums over all submissions */
    } labs[CLASS_LABS_MAX];
};

/* Grade all submissions without a valid grade, then write all reports. If a submission cannot be
 * graded, the others are still graded, and the function returns false with a harness failure.
 * *summary is all zeros if the reports were not written. */
bool class_grade(const struct class_options *options, struct class_summary *summary,
                 struct failure *failure);

#endif
