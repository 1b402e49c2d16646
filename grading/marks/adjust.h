/* adjust.h: read manual marks from a CSV (table.h):
 *
 *   id,exercise,points,reason
 *   alice,padded,14,"reread: the idea is correct"    sets alice's points for padded
 *   ben,padded,+2,explained it well                  adds points; -1 deducts
 *   alice,padded/why,3,a good drawing                sets the points of a check
 *
 * A column `change` may replace or complement the column `points`, because spreadsheets remove a
 * plus sign. Numbers in `change` are always added. Pairs are in a separate CSV:
 *
 *   id,partner           the header may be missing
 *   alice,ben */
#ifndef ADJUST_H
#define ADJUST_H

#include "goals/rubric.h"
#include "intake/intake.h"

struct marks_course {
    const struct class_list *list;
    const struct rubric *rubrics;
    size_t rubric_count;
    const char *directory; /* folder of all rubrics, including exercises that are not graded */
};

struct adjustment {
    size_t person;
    size_t rubric;
    int check; /* index of a check in the rubric; -1 for the whole exercise */
    bool adds;
    double points;
    char *reason;
    unsigned long line;
};

struct adjustments {
    struct adjustment *items;
    size_t count;
    size_t skipped; /* number of lines for exercises that have a rubric but are not graded */
};

/* Read manual marks. Returns false for a harness failure, which names file and line: an unknown id,
 * exercise or check, invalid points, or a repeated line. Free the result with adjust_free. */
bool adjust_read(const char *path, const struct marks_course *course,
                 struct adjustments *adjustments, struct failure *failure);
void adjust_free(struct adjustments *adjustments);

/* Read pairs. Returns a malloc'd array that maps each person to the smallest index in the person's
 * group; NULL for a harness failure: an unknown id, or a person in two groups. */
size_t *adjust_read_pairs(const char *path, const struct class_list *list, struct failure *failure);

/* Returns the index of the person with this id, gradebook id or e-mail; list->count if none. */
size_t adjust_find_person(const struct class_list *list, const char *id);

#endif
