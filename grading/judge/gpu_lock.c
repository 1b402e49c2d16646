/* gpu_lock.c: see gpu_lock.h. */
#include "judge/gpu_lock.h"

#include "base/paths.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Each but the last met a directory that went, or one that was made before ours. */
enum { ATTEMPTS_MAX = 100 };

/* Open a directory that is this user's alone. -1: it is another's, or something else. */
static int open_own(const char *path)
{
    struct stat status;
    int descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (descriptor >= 0 && !fstat(descriptor, &status) && status.st_uid == geteuid() &&
        !(status.st_mode & 077))
        return descriptor;
    if (descriptor >= 0)
        close(descriptor);
    return -1;
}

/* The first by name of the directories that can be the lock: open, with its path. -1: none. */
static int find_lock(const char *directory, char path[PATH_SIZE])
{
    char pattern[PATH_SIZE];
    glob_t found = {0};
    int descriptor = -1;
    snprintf(pattern, sizeof pattern, "%s/tlab-gpu-%u-*", directory, (unsigned)geteuid());
    if (!glob(pattern, 0, NULL, &found))
        for (size_t i = 0; i < found.gl_pathc && descriptor < 0; i++) {
            snprintf(path, PATH_SIZE, "%s", found.gl_pathv[i]);
            descriptor = open_own(path);
        }
    globfree(&found);
    return descriptor;
}

static bool make_lock(const char *directory, struct failure *failure)
{
    char path[PATH_SIZE];
    int length =
        snprintf(path, sizeof path, "%s/tlab-gpu-%u-XXXXXX", directory, (unsigned)geteuid());
    if (length >= (int)sizeof path)
        errno = ENAMETOOLONG;
    else if (mkdtemp(path))
        return true;
    return failure_harness(failure, "cannot make the lock of the GPU in %s: %s", directory,
                           strerror(errno));
}

/* Is the locked directory still the one that all graders take? */
static bool is_first(const char *directory, const char *path)
{
    char first[PATH_SIZE];
    int descriptor = find_lock(directory, first);
    if (descriptor >= 0)
        close(descriptor);
    return descriptor >= 0 && !strcmp(first, path);
}

bool gpu_lock_take(const char *directory, int *descriptor, struct failure *failure)
{
    char path[PATH_SIZE];
    for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
        *descriptor = find_lock(directory, path);
        if (*descriptor < 0) {
            if (!make_lock(directory, failure))
                return false;
            continue; /* two graders may make one each: both take the first */
        }
        int locked;
        while ((locked = flock(*descriptor, LOCK_EX)) && errno == EINTR)
            ;
        if (!locked && is_first(directory, path))
            return true;
        int error = errno;
        close(*descriptor);
        if (locked)
            return failure_harness(failure, "cannot lock %s: %s", path, strerror(error));
    }
    return failure_harness(failure, "the lock of the GPU in %s does not last", directory);
}

/* A worker holds a copy of the descriptor, so closing ours alone would not do. */
void gpu_lock_release(int descriptor)
{
    flock(descriptor, LOCK_UN);
    close(descriptor);
}
