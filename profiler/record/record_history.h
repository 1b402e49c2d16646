/* record_history.h: the saved runs of a lab file.
 *
 * Each lab file has one CSV in $XDG_STATE_HOME/transpose-lab or, without that variable, in
 * ~/.local/state/transpose-lab. The levels of hints (view/hint.h) are saved beside it. The commands
 * `run`, `compare`, `status` and `watch` save runs; grading does not. The history is a convenience:
 * a directory that cannot be written, or a damaged file, counts as an empty history and is not an
 * error.
 *
 * The PTX (the column `compiler`) identifies the version of a kernel. The history has the last run
 * of each version on a device at a size. A run with the same result as the newest run adds no row.
 */
#ifndef RECORD_HISTORY_H
#define RECORD_HISTORY_H

#include "base/paths.h"
#include "record/record.h"

/* Maximum number of runs per file. The oldest run is dropped first; the best run stays. */
enum { HISTORY_MAX = 24 };

struct run_history {
    struct record *records; /* the newest run is the last */
    size_t count;
    /* True if tlab, the file, its manifest and its headers did not change since the newest run. */
    bool is_current;
};

/* Lock the file `name` in the directory of the histories, with file_lock. Returns -1 with errno on
 * failure. */
int history_lock(const char *name, int milliseconds);

/* Load the history of a lab file; free it with history_free. */
void history_load(const char *source, struct run_history *history);
void history_free(struct run_history *history);

/* Save a run of the file. A run that did not compile has no version and is not saved. */
void history_add(const char *source, const struct record *record);

/* Returns the newest run of another version with the size, device and macros of `now`; NULL if
 * there is none. */
const struct record *history_previous(const struct run_history *history, const struct record *now);

/* Returns the correct run with the highest percentage of the copy's bandwidth, with the size,
 * device and macros of `now`; NULL if there is none. */
const struct record *history_best(const struct run_history *history, const struct record *now);

/* Set the path of the saved data of a kind ("csv": the runs) for a lab file. path_make_directories
 * makes the directories. Returns false if nothing can be saved. */
bool history_path(const char *source, const char *kind, char path[PATH_SIZE]);

#endif
