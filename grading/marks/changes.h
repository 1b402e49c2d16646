/* changes.h: find the marks that changed since the previous reports, with the reasons. The previous
 * marks are in DIR/work/marks.state: {"format", "people": {ID: person}, "changes"}. A person is
 * {"name", "seed", "tlab", "hold", "submitted", "exercises": {NAME: mark}}. A mark contains the
 * score and all values that can change it (mark_of in changes.c). */
#ifndef CHANGES_H
#define CHANGES_H

#include "base/failure.h"

#include <jansson.h>

struct changes {
    json_t *before; /* people of the previous run; empty if there was none */
    json_t *now;
    json_t *list; /* [{"id", "name", "exercise", "old", "new": number | null, "why"}] */
    json_t *last; /* the changes of the last earlier run that had changes */
    bool ended;
};

/* Read the previous marks; none if the file is missing or damaged. Always call changes_close. */
void changes_open(struct changes *changes, const char *path);
void changes_close(struct changes *changes);

/* Add a marked grade (marks.h), and compare its marks with the previous marks. */
void changes_add(struct changes *changes, const json_t *marked);

/* Call this after the last changes_add. Sets *new_ones to true if marks have changed since the
 * previous run. Returns these changes or, if there are none, `last`. Do not free the result. */
const json_t *changes_since(struct changes *changes, bool *new_ones);

bool changes_save(const struct changes *changes, const char *path, struct failure *failure);

#endif
