/* report_files.c: see report_files.h. */
#include "report/report_files.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

bool report_directory(const char *path, struct failure *failure)
{
    return mkdir(path, 0777) == 0 || errno == EEXIST ||
           failure_harness(failure, "cannot create %s: %s", path, strerror(errno));
}

bool report_open(struct whole_file *file, const char *directory, const char *name,
                 struct failure *failure)
{
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/%s", directory, name) >= (int)sizeof path)
        return failure_harness(failure, "the name of %s is too long", directory);
    bool good = whole_file_open(file, path, failure);
    file->can_be_lost = true; /* all reports can be made again of the grades */
    return good;
}
