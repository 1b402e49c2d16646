/* marks.h: compute marks from grades (grade.h), policy, manual marks and pairs. Grades do not
 * depend on marks, so new deadlines or manual marks need no new grading.
 *
 * A marked grade is a grade without "others", "upload" and "uploads". It contains only the labs
 * that are marked, and these additional fields:
 *
 *   "standing": "" | "in_roster" | "stranger", "namesakes": ["ID", ...],
 *   "partners": [{"id": "ben", "name": "Ben Bruce"}, ...],
 *   "open": 4,                              points that an instructor still has to give
 *   "left_out": ["copy_shared"],            exercises without a submission in the class
 *
 *   Each lab has these additional fields:
 *   "open": 4, "judged": 15,                points still open; the score in the grade
 *   "chosen": "" | "b.cu counts, because it is the last file ...; a.cu does not count",
 *   "partner": null | "Ben Bruce",          the partner that submitted the file
 *   "handed_in": null | "2026-11-20 23:59", time of submission, if there is a deadline
 *   "changes": [{"kind": "late" | "by_hand", "points": -2, "text": "..."}],
 *   "late_days": 0
 *
 * "score" is "judged" plus the manual changes of single checks and the points of all "changes". */
#ifndef MARKS_H
#define MARKS_H

#include "marks/adjust.h"
#include "marks/policy.h"

#include <jansson.h>

/* Paths of input files; NULL if not used. */
struct marks_files {
    const char *policy, *adjust, *pairs;
    const char *gradebook;
    bool zeros;
};

struct marks {
    struct policy policy;
    struct adjustments adjustments;
    size_t *group_of; /* result of adjust_read_pairs; NULL if there are no pairs */
    const struct class_list *list;
    json_t *names; /* {folded name (text_fold): [ids]} */
    struct rubric *rubrics;
    size_t rubric_count;
    json_t *left_out;
};

bool marks_leave_out(const struct marks *marks, const char *exercise);

/* Read the files, and the rubrics if a file needs them. Sets the time zone (policy.h). Returns
 * false for a harness failure. Always call marks_close. */
bool marks_open(struct marks *marks, const struct marks_files *files, const struct class_list *list,
                const char *rubrics, const char *const *exercises, size_t exercise_count,
                const unsigned char secret[32], struct failure *failure);
void marks_close(struct marks *marks);

/* Returns a new reference to the marked grade of person `index`; NULL if `load` fails. `load`
 * returns a new reference to the grade of a partner. */
json_t *marks_apply(const struct marks *marks, size_t index, const json_t *grade,
                    json_t *(*load)(void *context, size_t index, struct failure *failure),
                    void *context, struct failure *failure);

#endif
