/* scratch.h: a directory of our own for a while.
 */
#ifndef SCRATCH_H
#define SCRATCH_H

#include "base/failure.h"
#include "base/paths.h"

/* Make a new directory tlab-PURPOSE-XXXXXX in TMPDIR, or in /tmp where that is no absolute path
 * or not plain (text_is_plain: nvcc gives the name to a shell). Its name goes into `path`, with
 * room for names of files behind it; on failure "". Only this user can enter it. */
bool scratch_make(char path[PATH_SIZE], const char *purpose, struct failure *failure);

/* Remove what killed processes of this user have left of the directories of `purpose` in that
 * place. A directory has a lock as long as the process that made it lives, and is of a known
 * name no sooner than that; links, files, and directories of others are left alone. */
void scratch_sweep(const char *purpose);

/* Remove a directory and what is in it; links are removed, not followed, and other file systems
 * left alone. False: something is left (errno). */
bool scratch_remove(const char *path);

#endif
