/* scratch.h: temporary directories. */
#ifndef SCRATCH_H
#define SCRATCH_H

#include "base/failure.h"
#include "base/paths.h"

/* Make a new directory tlab-PURPOSE-XXXXXX in TMPDIR, or in /tmp if TMPDIR is not an absolute path
 * or not plain (text_is_plain: nvcc passes the name to a shell). Set `path` to its name, which
 * leaves space for file names, or to "" on failure. Only this user can enter the directory. */
bool scratch_make(char path[PATH_SIZE], const char *purpose, struct failure *failure);

/* Remove the directories of `purpose` that killed processes of this user have left. A process locks
 * its directory before the directory gets its name; the lock lasts until the process ends. Links,
 * files, and other users' directories are not removed. */
void scratch_sweep(const char *purpose);

/* Remove a directory and its contents. Links are removed, not followed; other file systems are
 * skipped. Returns false and sets errno if something is left. */
bool scratch_remove(const char *path);

#endif
