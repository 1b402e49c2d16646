/* adjust.h: read marks by hand from a CSV (table.h):
 *
 *   id,exercise,points,reason
 *   alice,padded,14,"reread: the idea is correct"    sets alice's points for padded
 *   ben,padded,+2,explained it well                  adds points; -1 deducts
 *   alice,padded/why,3,a good drawing                sets the points of a check
 *
 * Spreadsheets remove a plus sign. Numbers in a column `change`, with or without a column `points`,
 * are always added. Pairs are in another CSV:
 *
 *   id,partner           the header may be missing
 *   alice,ben
 */
#ifndef ADJUST_H
#define ADJUST_H

#include "goals/rubric.h"
#include "intake/intake.h"

/* People and exercises of the course. */
struct marks_course {
    const struct class_list *list;
    const struct rubric *rubrics; /* a rubric for each exercise that is graded */
    size_t rubric_count;
    const char *directory; /* the folder of all rubrics */
};

struct adjustment {
    size_t person; /* index in the class list */
    size_t rubric;
    int check; /* index in the rubric; -1: the exercise as a whole */
    bool adds;
    double points;
    char *reason;
    unsigned long line;
};

struct adjustments {
    struct adjustment *items; /* adjustments in the order of the file */
    size_t count;
    size_t skipped; /* number of lines on exercises that have a rubric but are not graded now */
};

/* Read marks by hand. Harness failures name file and line: unknown id, exercise or check, points
 * that are no number, too many points, or two lines for the same thing. */
bool adjust_read(const char *path, const struct marks_course *course,
                 struct adjustments *adjustments, struct failure *failure);
void adjust_free(struct adjustments *adjustments);

/* Read pairs. Returns for each person the smallest index in the person's group, malloc'd; NULL: a
 * harness failure that names file and line: unknown id, or a person in two groups. */
size_t *adjust_read_pairs(const char *path, const struct class_list *list, struct failure *failure);

/* Returns the index of the person with that id (or gradebook id) or e-mail; else list->count. */
size_t adjust_find_person(const struct class_list *list, const char *id);

#endif
