#include "base/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

static bool write_failure(struct failure *failure, const char *path, int error)
{
    return failure_harness(failure, "cannot write %s: %s", path, strerror(error));
}

static int create_temporary(struct whole_file *file)
{
    for (unsigned attempt = 0; attempt < 1000; attempt++) {
        int length = snprintf(file->temporary, sizeof file->temporary, "%s.%ld-%u.tmp", file->path,
                              (long)getpid(), attempt);
        if (length < 0 || (size_t)length >= sizeof file->temporary) {
            errno = ENAMETOOLONG;
            return -1;
        }
        int descriptor = open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor >= 0 || errno != EEXIST)
            return descriptor;
    }
    return -1;
}

bool whole_file_open(struct whole_file *file, const char *path, struct failure *failure)
{
    file->can_be_lost = false;
    if (snprintf(file->path, sizeof file->path, "%s", path) >= (int)sizeof file->path)
        return write_failure(failure, path, ENAMETOOLONG);
    int descriptor = create_temporary(file);
    if (descriptor < 0)
        return write_failure(failure, path, errno);
    file->stream = fdopen(descriptor, "w");
    if (file->stream)
        return true;
    write_failure(failure, path, errno);
    close(descriptor);
    unlink(file->temporary);
    return false;
}

bool whole_file_keep(struct whole_file *file, struct failure *failure)
{
    bool good = fflush(file->stream) == 0 && !ferror(file->stream);
    if (good && !file->can_be_lost) /* some file systems do not support fsync */
        good = fsync(fileno(file->stream)) == 0 || errno == EINVAL || errno == ENOTSUP ||
               errno == ENOSYS;
    int error = errno;
    if (fclose(file->stream) != 0 && good) {
        good = false;
        error = errno;
    }
    if (good && rename(file->temporary, file->path) == 0)
        return true;
    if (good)
        error = errno;
    unlink(file->temporary);
    return write_failure(failure, file->path, error);
}

void whole_file_drop(struct whole_file *file)
{
    fclose(file->stream);
    unlink(file->temporary);
}

bool whole_file_write(const char *path, const void *bytes, size_t size, bool can_be_lost,
                      struct failure *failure)
{
    struct whole_file file;
    if (!whole_file_open(&file, path, failure))
        return false;
    file.can_be_lost = can_be_lost;
    fwrite(bytes, 1, size, file.stream);
    return whole_file_keep(&file, failure);
}

bool whole_file_read_stream(FILE *stream, size_t most, char **text, size_t *size)
{
    size_t capacity = 0;
    *text = NULL;
    *size = 0;
    do {
        capacity = capacity ? 2 * capacity : 1 << 16;
        capacity = capacity > most + 1 ? most + 1 : capacity;
        char *grown = realloc(*text, capacity + 1);
        if (!grown)
            return false;
        *text = grown;
        *size += fread(grown + *size, 1, capacity - *size, stream);
        if (ferror(stream))
            return false;
    } while (*size == capacity && *size <= most);
    (*text)[*size] = 0;
    return true;
}

char *whole_file_read(const char *path, size_t most, size_t *size, struct failure *failure)
{
    char *text = NULL;
    FILE *stream = fopen(path, "rbe");
    if (!stream) {
        failure_harness(failure, "cannot read %s: %s", path, strerror(errno));
        return NULL;
    }
    bool good = whole_file_read_stream(stream, most, &text, size) ||
                failure_harness(failure, "cannot read %s: %s", path, strerror(errno));
    fclose(stream);
    if (good && *size > most)
        good = failure_harness(failure, "%s: the file is larger than %zu MiB", path, most >> 20);
    if (!good) {
        free(text);
        return NULL;
    }
    return text;
}

int file_lock(const char *path, mode_t permissions, int milliseconds)
{
    enum { LOOK_MILLISECONDS = 5 };
    const struct timespec wait = {.tv_nsec = LOOK_MILLISECONDS * 1000 * 1000};
    const int how = milliseconds < 0 ? LOCK_EX : LOCK_EX | LOCK_NB;
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, permissions);
    for (int waited = 0; file >= 0 && flock(file, how); waited += LOOK_MILLISECONDS) {
        if (errno == EINTR)
            continue;
        if (errno != EWOULDBLOCK)
            break;
        if (waited >= milliseconds) {
            close(file);
            errno = EWOULDBLOCK;
            return -1;
        }
        nanosleep(&wait, NULL);
    }
    return file;
}

/* close() does not unlock the file if another process has a copy of the descriptor. */
void file_unlock(int descriptor)
{
    flock(descriptor, LOCK_UN);
    close(descriptor);
}
