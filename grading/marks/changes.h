/* changes.h: whose marks are other than they were when reports were last made, and why.
 *
 * DIR/work/marks.state keeps what marks were made of: {"format", "people": {ID: person},
 * "changes"}. A person is {"name", "seed", "tlab", "hold", "exercises": {NAME: mark}}, a mark what
 * of a lab can change: score, points, judged, file, a digest of its source, rubric, compiler, what
 * was deducted and given by hand, partner.
 */
#ifndef CHANGES_H
#define CHANGES_H

#include "base/failure.h"

#include <jansson.h>

struct changes {
    json_t *before; /* people, as they were; empty when there is nothing to compare with */
    json_t *now;    /* people, as they were added */
    json_t *list;   /* [{"id", "name", "exercise", "old", "new": number | null, "why"}] */
    json_t *last;   /* the list of an earlier run: what changed last, when nothing does now */
    bool ended;
};

/* Read what was kept; a file that is not there or is damaged is nothing. False: no memory. Close
 * it in any case. */
bool changes_open(struct changes *changes, const char *path, struct failure *failure);
void changes_close(struct changes *changes);

/* A marked grade (marks.h), each once. False: no memory. */
bool changes_add(struct changes *changes, const json_t *marked, struct failure *failure);

/* After the last grade: what has changed since the last run, or, if nothing has, what had changed
 * then. Borrowed. *new_ones: it is since the last run. */
const json_t *changes_since(struct changes *changes, bool *new_ones);

/* Keep what was added. */
bool changes_save(const struct changes *changes, const char *path, struct failure *failure);

#endif
