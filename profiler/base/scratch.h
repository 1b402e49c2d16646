/* scratch.h: temporary directories. */
#ifndef SCRATCH_H
#define SCRATCH_H

#include "base/failure.h"
#include "base/paths.h"

/* Create a directory tlab-PURPOSE-XXXXXX that only this user can access. It is in TMPDIR, or in
 * /tmp if TMPDIR is not a short, absolute path of plain characters (text_is_plain). `path` has
 * space for a file name after the directory's name. On a harness failure, `path` is "". */
bool scratch_make(char path[PATH_SIZE], const char *purpose, struct failure *failure);

/* Remove this user's directories for `purpose` that no process has locked. */
void scratch_sweep(const char *purpose);

/* Remove a directory and its contents. Symbolic links are removed, but not followed. Mounted file
 * systems are skipped. Returns false with errno set if a part remains. */
bool scratch_remove(const char *path);

#endif
