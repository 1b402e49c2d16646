#define _GNU_SOURCE
#include "process/toolkit.h"

#include "base/paths.h"

#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The layouts in order of preference, as glob patterns relative to the root. */
static const char *const include_files[] = {"include/cuda.h", "include/cuda_fp16.h",
                                            "targets/*/include/cuda.h",
                                            "targets/*/include/cuda_fp16.h", NULL};
static const char *const nvrtc_files[] = {"lib64/libnvrtc.so*", "lib/libnvrtc.so*",
                                          "targets/*/lib/libnvrtc.so*",
                                          "lib/*-linux-gnu/libnvrtc.so*", NULL};
static const char *const cudart_files[] = {"lib64/libcudart*", "lib/libcudart*",
                                           "targets/*/lib/libcudart*", "lib/*-linux-gnu/libcudart*",
                                           NULL};

static bool path_set(char path[TOOLKIT_PATH_SIZE], const char *text)
{
    const bool fits = strlen(text) < TOOLKIT_PATH_SIZE;
    strcpy(path, fits ? text : "");
    return fits;
}

static void path_to_parent(char *path)
{
    char *slash = strrchr(path, '/');
    if (slash != NULL)
        slash[slash == path] = '\0';
}

static bool is_program(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

bool toolkit_find_file(const char *root, const char *const *patterns, const char *plain_suffix,
                       char path[TOOLKIT_PATH_SIZE])
{
    for (; *patterns != NULL; patterns++) {
        char pattern[TOOLKIT_PATH_SIZE];
        glob_t found;
        int length = snprintf(pattern, sizeof pattern, "%s/%s", root, *patterns);
        if (length < 0 || (size_t)length >= sizeof pattern)
            continue;
        if (glob(pattern, 0, NULL, &found) != 0)
            continue;
        const char *first = found.gl_pathv[0], *last = found.gl_pathv[found.gl_pathc - 1];
        /* The list is sorted. The plain name is first, and a high version is usually last. */
        const char *chosen = text_ends_with(first, plain_suffix) ? first : last;
        bool done = path_set(path, chosen);
        globfree(&found);
        if (done)
            return true;
    }
    path[0] = '\0';
    return false;
}

static void program_set(const char *root, const char *name, char path[TOOLKIT_PATH_SIZE])
{
    int length = snprintf(path, TOOLKIT_PATH_SIZE, "%s/bin/%s", root, name);
    if (length < 0 || length >= TOOLKIT_PATH_SIZE || !is_program(path))
        path[0] = '\0';
}

static bool toolkit_examine(const char *root, struct toolkit *toolkit)
{
    *toolkit = (struct toolkit){0};
    if (root == NULL || root[0] == '\0' || !path_set(toolkit->root, root))
        return false;
    program_set(root, "nvcc", toolkit->nvcc);
    program_set(root, "ptxas", toolkit->ptxas);
    if (toolkit_find_file(root, include_files, ".h", toolkit->include))
        path_to_parent(toolkit->include);
    if (toolkit_find_file(root, nvrtc_files, ".so", toolkit->nvrtc)) {
        strcpy(toolkit->library, toolkit->nvrtc);
        path_to_parent(toolkit->library);
    } else if (toolkit_find_file(root, cudart_files, ".so", toolkit->library)) {
        path_to_parent(toolkit->library);
    }
    return toolkit->nvcc[0] != '\0' || toolkit->nvrtc[0] != '\0';
}

/* Find the newest directory /usr/local/cuda-* by version number: 12.10 is newer than 12.9. */
static bool newest_versioned(char root[TOOLKIT_PATH_SIZE])
{
    static const char prefix[] = "/usr/local/cuda-";
    glob_t found;
    double best = -1;
    root[0] = '\0';
    if (glob("/usr/local/cuda-*", GLOB_ONLYDIR, NULL, &found) != 0)
        return false;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        unsigned major = 0, minor = 0;
        sscanf(found.gl_pathv[i] + sizeof prefix - 1, "%u.%u", &major, &minor);
        if (major * 1000.0 + minor <= best)
            continue;
        best = major * 1000.0 + minor;
        path_set(root, found.gl_pathv[i]);
    }
    globfree(&found);
    return root[0] != '\0';
}

/* Find the root of the toolkit that contains the nvcc of PATH; /usr for Debian's /usr/bin/nvcc. */
static bool root_of_nvcc(char root[TOOLKIT_PATH_SIZE])
{
    char program[TOOLKIT_PATH_SIZE], resolved[PATH_MAX];
    if (!program_find("nvcc", program, sizeof program) || realpath(program, resolved) == NULL)
        return false;
    path_to_parent(resolved);
    path_to_parent(resolved);
    return path_set(root, resolved);
}

bool program_find(const char *name, char *path, size_t path_size)
{
    const char *entry = getenv("PATH");
    while (entry != NULL && *entry != '\0') {
        size_t length = strcspn(entry, ":");
        int written = snprintf(path, path_size, "%.*s/%s", (int)length, entry, name);
        if (entry[0] == '/' && written > 0 && (size_t)written < path_size && is_program(path))
            return true;
        entry += length + (entry[length] == ':');
    }
    return false;
}

bool toolkit_is_hidden(void)
{
    const char *chosen = getenv("TLAB_CUDA");
    return chosen != NULL && strcmp(chosen, "none") == 0;
}

static bool toolkit_search(struct toolkit *toolkit)
{
    char root[TOOLKIT_PATH_SIZE];
    return toolkit_examine(getenv("CUDA_HOME"), toolkit) ||
           toolkit_examine(getenv("CUDA_PATH"), toolkit) ||
           toolkit_examine("/usr/local/cuda", toolkit) ||
           (newest_versioned(root) && toolkit_examine(root, toolkit)) ||
           (root_of_nvcc(root) && toolkit_examine(root, toolkit));
}

bool toolkit_find(struct toolkit *toolkit)
{
    const char *chosen = getenv("TLAB_CUDA");
    const bool is_chosen = chosen != NULL && chosen[0] != '\0', is_hidden = toolkit_is_hidden();
    if (!is_hidden && (is_chosen ? toolkit_examine(chosen, toolkit) : toolkit_search(toolkit)))
        return true;
    *toolkit = (struct toolkit){
        .why = "no CUDA Toolkit in CUDA_HOME, CUDA_PATH, /usr/local/cuda* or PATH"};
    if (is_hidden)
        strcpy(toolkit->why, "hidden by TLAB_CUDA=none");
    else if (is_chosen)
        snprintf(toolkit->why, sizeof toolkit->why,
                 "TLAB_CUDA=%s has neither bin/nvcc nor libnvrtc.so", chosen);
    return false;
}
