/* intake_stage.c: the files of a submission on disk, for a compiler. */
#include "intake/intake.h"

#include "base/child.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool stage_failure(const char *directory, const char *name, struct failure *failure)
{
    return failure_harness(failure, "cannot write %s/%s: %s", directory, name, strerror(errno));
}

/* Make the folders that `name` is in. They may be there. */
static bool stage_folders(int root, const char *directory, const char *name,
                          struct failure *failure)
{
    char *path = strdup(name);
    if (!path)
        return failure_harness(failure, "not enough memory");
    bool good = true;
    for (char *slash = path; good && (slash = strchr(slash, '/')); slash++) {
        *slash = 0;
        if (mkdirat(root, path, 0700) && errno != EEXIST)
            good = stage_failure(directory, path, failure);
        *slash = '/';
    }
    free(path);
    return good;
}

static bool stage_file(int root, const char *directory, const struct intake_file *file,
                       struct failure *failure)
{
    if (!stage_folders(root, directory, file->name, failure))
        return false;
    int descriptor = openat(root, file->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (descriptor < 0)
        return stage_failure(directory, file->name, failure);
    bool written = child_send(descriptor, file->bytes, file->size) ||
                   stage_failure(directory, file->name, failure);
    if (close(descriptor) && written)
        return stage_failure(directory, file->name, failure);
    return written;
}

bool intake_stage(const struct intake *intake, const char *directory, struct failure *failure)
{
    int root = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (root < 0)
        return failure_harness(failure, "cannot open %s: %s", directory, strerror(errno));
    bool good = true;
    for (size_t i = 0; good && i < intake->count; i++)
        good = stage_file(root, directory, &intake->files[i], failure);
    close(root);
    return good;
}
