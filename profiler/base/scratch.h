/* scratch.h: temporary directories. */
#ifndef SCRATCH_H
#define SCRATCH_H

#include "base/failure.h"
#include "base/paths.h"

/* Make a new directory tlab-PURPOSE-XXXXXX in TMPDIR that only this user can access. If TMPDIR is
 * not an absolute path, is too long, or is not plain (text_is_plain; nvcc passes the name to a
 * shell), the directory is in /tmp. `path` receives the name, with space for file names after it.
 * Returns false for a harness failure; `path` is then "". */
bool scratch_make(char path[PATH_SIZE], const char *purpose, struct failure *failure);

/* Remove the directories of `purpose` that killed processes of this user have left. (A directory is
 * locked before it gets this name, and until its process ends.) Other entries are not removed. */
void scratch_sweep(const char *purpose);

/* Remove a directory and its contents. Links are removed, but not followed. Other file systems are
 * skipped. Returns false with errno set if a part remains. */
bool scratch_remove(const char *path);

#endif
