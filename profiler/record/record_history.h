/* record_history.h: the saved runs of a lab file, in one CSV per file in
 * $XDG_STATE_HOME/transpose-lab (by default, in ~/.local/state/transpose-lab). A damaged file or an
 * unwritable directory results in no history. The PTX hash (in the column `compiler`) identifies a
 * version of a kernel. Runs are comparable if they have the same exercise, device, source, size,
 * macros, loop and cache. Of comparable runs, only the last run of each version is saved. */
#ifndef RECORD_HISTORY_H
#define RECORD_HISTORY_H

#include "base/paths.h"
#include "record/record.h"

/* Maximum number of runs per file. The oldest run that is not a best run is dropped first. */
enum { HISTORY_MAX = 24 };

struct run_history {
    struct record *records; /* Oldest run first. */
    size_t count;
    /* True if tlab, the file, its manifest and its headers are unchanged since the newest run. */
    bool is_current;
};

/* Lock the file `name` in the directory of the histories. Waits for at most `milliseconds`. Returns
 * a descriptor, which the caller closes to unlock; -1 with errno set for a failure. */
int history_lock(const char *name, int milliseconds);

/* Load the history of a lab file; an empty history after a failure. Always call history_free. */
void history_load(const char *source, struct run_history *history);
void history_free(struct run_history *history);

/* Add a run to the history of the lab file `source`, unless the run failed to compile. */
void history_add(const char *source, const struct record *record);

/* Returns the newest run of another version that is comparable to `now`; NULL if there is none. */
const struct record *history_previous(const struct run_history *history, const struct record *now);

/* Returns the correct run with the largest percentage of the copy's bandwidth among the runs that
 * are comparable to `now`; NULL if there is none. */
const struct record *history_best(const struct run_history *history, const struct record *now);

/* Set `path` to the file that has data of a kind ("csv" for the runs) about a lab file. The caller
 * creates the file's directory (path_make_directories). Returns false if runs cannot be saved. */
bool history_path(const char *source, const char *kind, char path[PATH_SIZE]);

#endif
