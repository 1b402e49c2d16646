/* scratch.h: temporary directories. */
#ifndef SCRATCH_H
#define SCRATCH_H

#include "base/failure.h"
#include "base/paths.h"

/* Make a new directory tlab-PURPOSE-XXXXXX in TMPDIR, or in /tmp if TMPDIR is not an absolute
 * path or not plain (text_is_plain: nvcc passes the name to a shell). Sets `path`, which leaves
 * space for names of files; "" on failure. Only this user can enter the directory. */
bool scratch_make(char path[PATH_SIZE], const char *purpose, struct failure *failure);

/* Remove the directories of `purpose` that killed processes of this user have left. The lock of a
 * directory lasts as long as the process that made it, and is taken before the directory gets its
 * name. Links, files, and directories of other users are not removed. */
void scratch_sweep(const char *purpose);

/* Remove a directory and its contents. Links are removed, not followed; other file systems are
 * skipped. Returns false, with errno, if something is left. */
bool scratch_remove(const char *path);

#endif
