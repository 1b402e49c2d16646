/* whole_file.h: read a complete file, and write a file completely or not at all: a temporary file
 * in the same directory, fsync, rename. A reader of the path sees the old or the new file, never a
 * part, even if this process is killed.
 */
#ifndef WHOLE_FILE_H
#define WHOLE_FILE_H

#include "base/failure.h"

#include <limits.h>
#include <stdio.h>
#include <sys/types.h>

struct whole_file {
    FILE *stream; /* write to this stream; whole_file_keep reports errors */
    /* Set this flag after opening to skip fsync. Then a crash of the machine can leave the file
     * empty; a crash of this process cannot. */
    bool can_be_lost;
    char path[PATH_MAX], temporary[PATH_MAX];
};

/* Begin a new version of `path`, with permissions according to the umask. A harness failure
 * names the path and the reason; then there is nothing to close. */
bool whole_file_open(struct whole_file *file, const char *path, struct failure *failure);

/* Put the complete file in place. On a harness failure (a full disk, now or while writing; the
 * path is a directory), the old file is unchanged and the temporary file is removed. */
bool whole_file_keep(struct whole_file *file, struct failure *failure);

/* Discard the new version. */
void whole_file_drop(struct whole_file *file);

/* Write a complete file with these bytes. */
bool whole_file_write(const char *path, const void *bytes, size_t size, bool can_be_lost,
                      struct failure *failure);

/* Lock `path`, a file that is only used as a lock; create it with these permissions if necessary.
 * Wait for at most `milliseconds`; a negative number means no limit. The lock ends with
 * file_unlock, or with the end of this process and its children. Returns a descriptor, or -1 with
 * errno: EWOULDBLOCK if another process holds the lock. */
int file_lock(const char *path, mode_t permissions, int milliseconds);
void file_unlock(int descriptor);

/* Read a file of at most `most` bytes. Returns its *size bytes and a NUL, malloc'd; NULL after a
 * harness failure, which names the path and the reason. */
char *whole_file_read(const char *path, size_t most, size_t *size, struct failure *failure);

/* Read at most `most` + 1 bytes of a stream. Returns false with errno. Free *text in any case. */
bool whole_file_read_stream(FILE *stream, size_t most, char **text, size_t *size);

#endif
