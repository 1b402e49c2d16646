/* changes.h: find the marks that changed since the previous reports, and the reasons.
 *
 * DIR/work/marks.state stores the previous marks: {"format", "people": {ID: person}, "changes"}. A
 * person is {"name", "seed", "tlab", "hold", "submitted", "exercises": {NAME: mark}}. A mark has
 * everything that can change: score, points, judged, file, digest of the file's source, rubric,
 * compiler, deductions, marks by hand, partner.
 */
#ifndef CHANGES_H
#define CHANGES_H

#include "base/failure.h"

#include <jansson.h>

struct changes {
    json_t *before; /* the previous people; empty if there are none */
    json_t *now;    /* the people of this run */
    json_t *list;   /* [{"id", "name", "exercise", "old", "new": number | null, "why"}] */
    json_t *last;   /* the changes of an earlier run; they are reported if nothing changed now */
    bool ended;
};

/* Read the previous marks. A missing or damaged file counts as empty. Always call changes_close. */
void changes_open(struct changes *changes, const char *path);
void changes_close(struct changes *changes);

/* Add a marked grade (marks.h). */
void changes_add(struct changes *changes, const json_t *marked);

/* Call this after the last grade. Returns the changes since the previous run (*new_ones is true).
 * If there are none, returns those of the last run with changes. The caller borrows the result. */
const json_t *changes_since(struct changes *changes, bool *new_ones);

/* Write the marks of this run. */
bool changes_save(const struct changes *changes, const char *path, struct failure *failure);

#endif
