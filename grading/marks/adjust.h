/* adjust.h: marks that people give, in CSVs (table.h) that are kept beside the roster:
 *
 *   id,exercise,points,reason
 *   alice,padded,14,"reread: the idea is right"      sets what alice gets for padded
 *   ben,padded,+2,explained it well                  adds to it; -1 takes away
 *   alice,padded/why,3,a good drawing                sets what she gets for that check
 *
 * Spreadsheets drop a plus: a column `change` instead of (or beside) `points` always adds. And who
 * works together:
 *
 *   id,partner           which may be missing
 *   alice,ben
 */
#ifndef ADJUST_H
#define ADJUST_H

#include "goals/rubric.h"
#include "intake/intake.h"

/* Who and what there is. */
struct marks_course {
    const struct class_list *list;
    const struct rubric *rubrics; /* of the exercises that are graded */
    size_t rubric_count;
    const char *directory; /* of all rubrics */
};

struct adjustment {
    size_t person; /* in the list */
    size_t rubric;
    int check; /* of the rubric; -1: the exercise as a whole */
    bool adds;
    double points;
    char *reason;
    unsigned long line;
};

struct adjustments {
    struct adjustment *items; /* in the order of the file */
    size_t count;
    size_t skipped; /* lines about exercises that have a rubric and are not graded now */
};

/* Harness failures name file and line: nobody has that id, no rubric or check is called so, points
 * that are no number or beyond what there is to get, one thing told twice. */
bool adjust_read(const char *path, const struct marks_course *course,
                 struct adjustments *adjustments, struct failure *failure);
void adjust_free(struct adjustments *adjustments);

/* Each person's group: of[i] is the smallest index of those who hand in together with person i, or
 * i. malloc'd; NULL: a harness failure that names file and line: nobody has that id, or somebody is
 * in two groups. */
size_t *adjust_read_pairs(const char *path, const struct class_list *list, struct failure *failure);

/* The number of the person with that id, as a gradebook has it, or that e-mail; or list->count. */
size_t adjust_find_person(const struct class_list *list, const char *id);

#endif
