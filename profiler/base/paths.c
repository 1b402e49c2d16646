#include "base/paths.h"

#include "base/wording.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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
    if (!paths_of_program(NULL, root, &(struct failure){0}))
        return false;
    /* The executable is build/tlab or build/VARIANT/tlab. */
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

bool paths_root(char root[PATH_SIZE], struct failure *failure)
{
    const char *given = getenv("TLAB_ROOT");
    bool is_given = given && *given;
    if (is_given || !root_beside_executable(root))
        snprintf(root, PATH_SIZE, "%s", is_given ? given : TLAB_ROOT);
    if (is_root(root))
        return true;
    if (is_given)
        return failure_harness(failure, "TLAB_ROOT=%s has no profiler/devices", given);
    return failure_harness(failure,
                           "cannot find the files of tlab (profiler/devices); set TLAB_ROOT "
                           "to the directory that contains them");
}

bool paths_in_root(const char *relative, char *path, struct failure *failure)
{
    char root[PATH_SIZE];
    return paths_root(root, failure) && path_format(path, failure, "%s/%s", root, relative);
}

bool path_format(char path[PATH_SIZE], struct failure *failure, const char *format, ...)
{
    int length = FORMAT(path, PATH_SIZE, format);
    return (length >= 0 && length < PATH_SIZE) ||
           failure_harness(failure, "the path is too long: %.200s...", path);
}

bool path_make_directories(const char *path, mode_t permissions, struct failure *failure)
{
    char above[PATH_SIZE];
    if (!path_format(above, failure, "%s", path))
        return false;
    for (char *slash = above; *slash && (slash = strchr(slash + 1, '/')); *slash = '/') {
        *slash = '\0';
        if (mkdir(above, permissions) != 0 && errno != EEXIST)
            return failure_harness(failure, "cannot make the directory %s: %s", above,
                                   strerror(errno));
    }
    return true;
}

bool paths_of_program(const char *beside, char *path, struct failure *failure)
{
    ssize_t length = readlink("/proc/self/exe", path, PATH_SIZE - 1);
    if (length <= 0)
        return failure_harness(failure, "cannot read /proc/self/exe: %s", strerror(errno));
    path[length] = 0;
    if (!beside)
        return true;
    char *name = strrchr(path, '/') + 1;
    if (name + strlen(beside) >= path + PATH_SIZE)
        return failure_harness(failure, "the path of tlab is too long");
    strcpy(name, beside);
    return true;
}

const char *path_basename(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool path_up(char *path)
{
    char *slash = strrchr(path, '/');
    if (!path[0])
        return false;
    *(slash ? slash : path) = 0;
    return true;
}

bool path_from_file(const char *file, const char *relative, char *path, size_t size)
{
    int written = snprintf(path, size, "%s", file);
    if (written < 0 || (size_t)written >= size)
        return false;
    path_up(path);
    for (size_t length; *relative; relative += length + (relative[length] == '/')) {
        size_t used = strlen(path);
        length = strcspn(relative, "/");
        bool up = length == 2 && !strncmp(relative, "..", 2);
        if (!length || (length == 1 && *relative == '.'))
            continue;
        if (up ? !path_up(path) : used + length + 2 > size)
            return false;
        if (!up)
            snprintf(path + used, size - used, "%s%.*s", used ? "/" : "", (int)length, relative);
    }
    return true;
}

bool text_ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), tail = strlen(end);
    return length >= tail && !strcmp(text + length - tail, end);
}

bool text_is_plain(const char *text)
{
    for (; *text; text++)
        if (!isalnum((unsigned char)*text) && !strchr("_=+,.:/-", *text))
            return false;
    return true;
}
