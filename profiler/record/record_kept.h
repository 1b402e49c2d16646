/* record_kept.h: the runs of a lab file that are remembered from one command to the next.
 *
 * They lie in one place, a CSV for each file (and beside it which hints were given, view/hint.h):
 * $XDG_STATE_HOME/transpose-lab, or, without that variable, ~/.local/state/transpose-lab. Only
 * commands that people use keep runs (`run`, `compare`, `status`, `watch`); grading never does.
 * What is remembered is a convenience: a place that cannot be written, or a file that somebody has
 * damaged, is as if nothing had been kept, and fails nothing.
 *
 * A version of a kernel is what its PTX is (the column `compiler`). Of each version the last run on
 * a device, at a size, is kept; a run that says what the last one said changes nothing.
 */
#ifndef RECORD_KEPT_H
#define RECORD_KEPT_H

#include "base/paths.h"
#include "record/record.h"

enum { KEPT_MAX = 24 }; /* runs of a file; the oldest go, but the best stay */

struct kept {
    struct record *records; /* the newest last */
    size_t count;
    bool is_current; /* the file has not been changed since the newest */
};

/* Lock a file of that name in that directory (file_lock). -1: errno. */
int kept_lock(const char *name, int milliseconds);

/* What was kept of a lab file. Free it with kept_free. */
void kept_load(const char *source, struct kept *kept);
void kept_free(struct kept *kept);

/* Remember a run of it. One that did not compile has no version, and is not kept. */
void kept_add(const char *source, const struct record *record);

/* The newest run of another version at the same size, on the same device, with the same macros;
 * NULL: none. */
const struct record *kept_before(const struct kept *kept, const struct record *now);

/* That with the best share of the copy that a right version had, asked like `now`: size, device,
 * macros; NULL: none. */
const struct record *kept_best(const struct kept *kept, const struct record *now);

/* Where something of that kind ("csv": its runs) is kept of a file; path_make_directories makes the
 * directories for it. False: nothing can be kept. */
bool kept_path(const char *source, const char *kind, char path[PATH_SIZE]);

#endif
