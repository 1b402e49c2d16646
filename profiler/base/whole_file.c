/* whole_file.c: see whole_file.h. */
#include "base/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static bool write_failure(struct failure *failure, const char *path, int error)
{
    return failure_harness(failure, "cannot write %s: %s", path, strerror(error));
}

/* A new file beside the path; -1: errno. */
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

/* Some file systems have no fsync; that is no loss of ours. */
static bool sync_descriptor(int descriptor)
{
    return fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP || errno == ENOSYS;
}

bool whole_file_keep(struct whole_file *file, struct failure *failure)
{
    bool good = fflush(file->stream) == 0 && !ferror(file->stream) &&
                (file->can_be_lost || sync_descriptor(fileno(file->stream)));
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
