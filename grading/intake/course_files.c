#include "intake/course_files.h"

#include "base/paths.h"
#include "base/whole_file.h"
#include "process/allocate.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SOLUTION_BYTES_MAX = 1 << 20 };

static size_t numbered(const char *path, const char *folder)
{
    size_t length = strlen(folder);
    if (strncmp(path, folder, length) || !isdigit((unsigned char)path[length]) ||
        !isdigit((unsigned char)path[length + 1]) || path[length + 2] != '_')
        return 0;
    const char *slash = strchr(path + length, '/');
    return slash ? (size_t)(slash + 1 - path) : 0;
}

static bool is_marker(const char *path)
{
    size_t lab = numbered(path, "labs/");
    return !strcmp(path, "include/lab.h") || !strcmp(path, "profiler/main.c") ||
           (lab && !strcmp(path + lab, "lab.conf"));
}

void course_folders_see(struct course_folders *folders, const char *name)
{
    const char *part = name;
    while (part && !is_marker(part))
        part = (part = strchr(part, '/')) ? part + 1 : NULL;
    if (!part || folders->count == COURSE_FOLDERS_MAX)
        return;
    size_t length = (size_t)(part - name);
    for (size_t i = 0; i < folders->count; i++)
        if (strlen(folders->prefixes[i]) == length && !strncmp(folders->prefixes[i], name, length))
            return;
    folders->prefixes[folders->count++] = allocate_checked(strndup(name, length));
}

void course_folders_free(struct course_folders *folders)
{
    for (size_t i = 0; i < folders->count; i++)
        free(folders->prefixes[i]);
    folders->count = 0;
}

/* Returns true if this release has a file with this path and these bytes (any bytes if NULL). */
static bool is_ours(const char *path, const void *bytes, size_t size)
{
    char real[PATH_SIZE];
    struct failure failure = {0};
    if (!paths_in_root(path, real, &failure) || access(real, R_OK))
        return false;
    if (!bytes)
        return true;
    size_t length;
    char *text = whole_file_read(real, SOLUTION_BYTES_MAX, &length, &failure);
    bool same = text && length == size && !memcmp(text, bytes, size);
    free(text);
    return same;
}

enum course_share course_file_share(const struct course_folders *folders, const char *name,
                                    const void *bytes, size_t size)
{
    static const char *const own[] = {"profiler/", "plots/", "grading/"};
    /* Files in these folders belong to the course, except sources, which may be the student's. */
    static const char *const made[] = {"docs/", "build/", "out/"};
    for (size_t f = 0; f < folders->count && *name; f++) {
        size_t length = strlen(folders->prefixes[f]);
        if (strncmp(name, folders->prefixes[f], length))
            continue;
        const char *path = name + length;
        for (size_t i = 0; i < sizeof own / sizeof *own; i++)
            if (!strncmp(path, own[i], strlen(own[i])))
                return COURSE_OWN;
        for (size_t i = 0; i < sizeof made / sizeof *made && !bytes; i++)
            if (!strncmp(path, made[i], strlen(made[i])))
                return COURSE_OWN;
        if (numbered(path, "solutions/"))
            return !bytes || is_ours(path, bytes, size) ? COURSE_OWN : COURSE_CHANGED;
        if (!bytes && is_ours(path, NULL, 0))
            return COURSE_OWN;
    }
    return COURSE_NOT;
}
