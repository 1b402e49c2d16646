/* whole_file.h: read a file whole, and write one whole or not at all: a temporary file in the same
 * directory, fsync, rename. Who reads the path sees the old file or the new one, never a part,
 * whatever ends us.
 */
#ifndef WHOLE_FILE_H
#define WHOLE_FILE_H

#include "base/failure.h"

#include <limits.h>
#include <stdio.h>
#include <sys/types.h>

struct whole_file {
    FILE *stream;     /* write here; errors are found by whole_file_keep */
    bool can_be_lost; /* set after opening: not worth waiting for the disk; only the death of the
                         machine, not ours, can then leave the file empty */
    char path[PATH_MAX], temporary[PATH_MAX];
};

/* Begin a new version of `path`, with the permissions that the umask leaves. A harness failure
 * names path and reason; there is then nothing to close. */
bool whole_file_open(struct whole_file *file, const char *path, struct failure *failure);

/* The file is complete: put it in place. On a harness failure (a full disk, found now or while
 * writing; the path is a directory) the old file is untouched and the temporary one gone. */
bool whole_file_keep(struct whole_file *file, struct failure *failure);

/* The file will not be completed. */
void whole_file_drop(struct whole_file *file);

/* Lock a file that exists only for this, and is made with these permissions; wait as long as that,
 * or, if it is negative, without limit. The lock ends with file_unlock, or when this process and
 * those that it has started are gone. On a file system without locks there is none. -1: errno,
 * which is EWOULDBLOCK when another process holds the lock. */
int file_lock(const char *path, mode_t permissions, int milliseconds);
void file_unlock(int descriptor);

/* All of a file of at most `most` bytes, malloc'd, with a NUL behind the last of *size. NULL: a
 * harness failure names path and reason. */
char *whole_file_read(const char *path, size_t most, size_t *size, struct failure *failure);

/* The same of an open stream, up to `most` + 1 bytes. False: errno; what was read must be freed. */
bool whole_file_read_stream(FILE *stream, size_t most, char **text, size_t *size);

#endif
