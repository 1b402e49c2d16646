#include "base/paths.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef TLAB_ROOT
#define TLAB_ROOT ""
#endif

static bool is_root(const char *directory)
{
    char path[PATH_SIZE];
    int length = snprintf(path, sizeof path, "%s/profiler/devices", directory);
    return *directory && length > 0 && (size_t)length < sizeof path && access(path, R_OK) == 0;
}

static bool root_beside_executable(char *root)
{
    ssize_t length = readlink("/proc/self/exe", root, PATH_SIZE - 1);
    if (length <= 0)
        return false;
    root[length] = 0;
    /* build/tlab, or build/VARIANT/tlab */
    for (unsigned level = 0; level < 3; level++) {
        char *slash = strrchr(root, '/');
        if (!slash)
            return false;
        *slash = 0;
        if (level && is_root(root))
            return true;
    }
    return false;
}

const char *paths_root(struct failure *failure)
{
    static char root[PATH_SIZE];
    if (*root)
        return root;
    const char *given = getenv("TLAB_ROOT");
    if (given && *given) {
        if (strlen(given) >= PATH_SIZE || !is_root(given)) {
            failure_harness(failure, "TLAB_ROOT=%s holds no profiler/devices", given);
            return NULL;
        }
        strcpy(root, given);
        return root;
    }
    if (root_beside_executable(root))
        return root;
    *root = 0;
    if (is_root(TLAB_ROOT)) {
        snprintf(root, sizeof root, "%s", TLAB_ROOT);
        return root;
    }
    failure_harness(failure, "cannot find the lab's own files (profiler/devices); set TLAB_ROOT to "
                             "the directory that holds them");
    return NULL;
}

bool paths_in_root(const char *relative, char *path, struct failure *failure)
{
    const char *root = paths_root(failure);
    if (!root)
        return false;
    int length = snprintf(path, PATH_SIZE, "%s/%s", root, relative);
    return (length > 0 && length < PATH_SIZE) ||
           failure_harness(failure, "path too long: %s", root);
}

const char *path_basename(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}
