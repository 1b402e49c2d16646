/* whole_file.h: read a whole file, and replace a file atomically (temporary file in the same
 * directory, fsync, rename). If the writer is killed, readers see the old or the new file. */
#ifndef WHOLE_FILE_H
#define WHOLE_FILE_H

#include "base/failure.h"

#include <limits.h>
#include <stdio.h>
#include <sys/types.h>

struct whole_file {
    FILE *stream; /* write to this stream; whole_file_keep reports its errors */
    /* The caller may set this flag after whole_file_open to skip fsync. Then the file may be empty
     * after a crash of the machine, but not after a crash of this process. */
    bool can_be_lost;
    char path[PATH_MAX], temporary[PATH_MAX];
};

/* Begin a new version of the file `path`, with permissions according to the umask. Returns false
 * for a harness failure, which names the path and the reason. No file is then open. */
bool whole_file_open(struct whole_file *file, const char *path, struct failure *failure);

/* Replace the file by the new version. Returns false for a harness failure, such as a full disk, or
 * if the path is a directory. The old file is then unchanged, and the temporary file is removed. */
bool whole_file_keep(struct whole_file *file, struct failure *failure);

void whole_file_drop(struct whole_file *file);

/* Write a file that contains these bytes. Returns false for a harness failure. */
bool whole_file_write(const char *path, const void *bytes, size_t size, bool can_be_lost,
                      struct failure *failure);

/* Lock the file `path`, which is created with `permissions` if it does not exist. Wait for at most
 * `milliseconds`, or without a limit if `milliseconds` is negative. The lock ends with file_unlock,
 * or when this process and its children have ended. Returns a descriptor (without a lock if flock()
 * is not supported), or -1 with errno set: EWOULDBLOCK if another process has the lock. */
int file_lock(const char *path, mode_t permissions, int milliseconds);
void file_unlock(int descriptor);

/* Read a file of at most `most` bytes. Returns its contents with a final NUL, malloc'd; *size
 * receives the number of bytes without the NUL. Returns NULL for a harness failure, which names the
 * path and the reason. */
char *whole_file_read(const char *path, size_t most, size_t *size, struct failure *failure);

/* Read at most `most` + 1 bytes of a stream. *text receives the bytes with a final NUL, and *size
 * their number. Returns false with errno set for a failure. The caller frees *text in any case. */
bool whole_file_read_stream(FILE *stream, size_t most, char **text, size_t *size);

#endif
