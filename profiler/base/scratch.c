/* scratch.c: see scratch.h. */
#define _GNU_SOURCE /* nftw */
#include "base/scratch.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool scratch_make(char path[PATH_SIZE], const char *purpose, struct failure *failure)
{
    const char *parent = getenv("TMPDIR");
    if (!parent || parent[0] != '/' || strlen(parent) > PATH_SIZE / 2 || !text_is_plain(parent))
        parent = "/tmp";
    snprintf(path, PATH_SIZE, "%s/tlab-%s-XXXXXX", parent, purpose);
    return mkdtemp(path) ||
           failure_harness(failure, "cannot make a directory in %s: %s", parent, strerror(errno));
}

/* Goes on after an error, so that as much as possible is gone; the directory itself then fails. */
static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *place)
{
    (void)status;
    (void)type;
    int error = remove(path);
    return place->level == 0 ? error : 0;
}

bool scratch_remove(const char *path)
{
    enum { DESCRIPTORS = 16 };
    return nftw(path, remove_entry, DESCRIPTORS, FTW_DEPTH | FTW_PHYS | FTW_MOUNT) == 0;
}
