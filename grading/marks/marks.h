/* marks.h: from what the grader judged to the marks that people get. Which of several files counts,
 * what is deducted for lateness, what a person gave, who hands in together: all of it is decided
 * here, each time when reports are made, of grades (grade.h) that stay as they are. So a change of
 * deadlines or marks grades nothing anew.
 *
 * A marked grade is a grade without "others", "upload" and "uploads", whose labs are those that
 * count, and which has in addition:
 *
 *   "standing": "" | "in_roster" | "stranger", "namesakes": ["ID", ...],
 *   "partners": [{"id": "ben", "name": "Ben Bruce"}, ...],
 *   "open": 4,                              points that a person has still to give
 *   and each of its labs
 *   "open": 4, "judged": 15,                what the file earned by itself
 *   "chosen": "" | "of a.cu and b.cu for this exercise b.cu counts, ...",
 *   "partner": null | "Ben Bruce",          who handed the file in
 *   "handed_in": null | "2026-11-20 23:59", where there is a deadline
 *   "changes": [{"kind": "late" | "by_hand", "points": -2, "text": "..."}],    made to "judged"
 *   "late_days": 0
 *
 * "score" is what all this comes to.
 */
#ifndef MARKS_H
#define MARKS_H

#include "marks/adjust.h"
#include "marks/policy.h"

#include <jansson.h>

/* The files that decide; NULL: none. */
struct marks_files {
    const char *policy, *adjust, *pairs;
    const char *gradebook; /* to be filled in (gradebook.h) */
};

struct marks_name {
    char *folded; /* text_fold */
    size_t person;
};

struct marks {
    struct policy policy;
    struct adjustments adjustments;
    size_t *group_of; /* NULL: nobody works together */
    const struct class_list *list;
    struct marks_name *names; /* of all, in their order, so that those of one name are together */
    struct rubric *rubrics;
    size_t rubric_count;
};

/* Read them, and the rubrics, if they are needed. Sets the time zone (policy.h). Harness failures
 * name file and place. Close it in any case. */
bool marks_open(struct marks *marks, const struct marks_files *files, const struct class_list *list,
                const char *rubrics, const char *const *exercises, size_t exercise_count,
                const unsigned char secret[32], struct failure *failure);
void marks_close(struct marks *marks);

/* Mark the grade of person `index`. `load` gives the grade of another one of the list, as it was
 * judged: a new reference. The result is a new reference; `grade` is untouched. NULL: a harness
 * failure. */
json_t *marks_apply(const struct marks *marks, size_t index, const json_t *grade,
                    json_t *(*load)(void *context, size_t index, struct failure *failure),
                    void *context, struct failure *failure);

#endif
