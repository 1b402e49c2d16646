#define _GNU_SOURCE
#include "sandbox/sandbox_view.h"
#include "process/toolkit.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Directories of the C library and the libraries that it loads. Some directories are links. */
static const char *const libraries[] = {"/usr/lib", "/usr/lib32", "/usr/lib64", "/lib",
                                        "/lib32",   "/lib64",     NULL};
static const char *const compilers[] = {"/usr/bin", "/bin", "/usr/libexec", "/usr/include", NULL};
static const char *const toolkit_parts[] = {"include", "lib", "lib64", "targets",
                                            "nvvm",    "bin", NULL};
#define INCLUDE "include"
#define SUPPORT "profiler/compile"
static const char *const course_parts[] = {INCLUDE, SUPPORT "/clang_cuda.h", SUPPORT "/stand_ins",
                                           NULL};

static bool view_add(struct sandbox_view *view, const char *source, const char *inside,
                     struct failure *failure)
{
    if (view->count == SANDBOX_PLACES_MAX || strlen(source) >= PATH_SIZE ||
        strlen(inside) >= PATH_SIZE)
        return failure_harness(
            failure,
            "cannot add %s to the sandbox: there are too many paths, or a path is too long",
            source);
    struct sandbox_place *place = &view->places[view->count++];
    strcpy(place->source, source);
    strcpy(place->inside, inside);
    place->link[0] = '\0';
    return true;
}

static bool view_add_own(struct sandbox_view *view, const char *path, struct failure *failure)
{
    struct stat status;
    char target[sizeof view->places[0].link];
    for (size_t i = 0; i < view->count; i++)
        if (strcmp(view->places[i].inside, path) == 0)
            return true;
    if (lstat(path, &status) != 0)
        return true;
    if (!view_add(view, path, path, failure))
        return false;
    if (!S_ISLNK(status.st_mode))
        return true;
    /* A relative link to usr/ stays a link, because its target is also visible. */
    ssize_t length = readlink(path, target, sizeof target - 1);
    if (length > 4 && strncmp(target, "usr/", 4) == 0) {
        target[length] = '\0';
        strcpy(view->places[view->count - 1].link, target);
    }
    return true;
}

static bool view_add_all(struct sandbox_view *view, const char *root, const char *const *parts,
                         struct failure *failure)
{
    char path[2 * PATH_SIZE];
    for (; *parts != NULL; parts++) {
        snprintf(path, sizeof path, "%s%s%s", root, root[0] != '\0' ? "/" : "", *parts);
        if (!view_add_own(view, path, failure))
            return false;
    }
    return true;
}

static bool view_add_toolkit(struct sandbox_view *view, struct failure *failure)
{
    struct toolkit toolkit;
    char root[PATH_MAX];
    if (!toolkit_find(&toolkit) || realpath(toolkit.root, root) == NULL) {
        strcpy(view->toolkit, toolkit_is_hidden() ? "none" : "");
        return true;
    }
    snprintf(view->toolkit, sizeof view->toolkit, "%s", root);
    return view_add_all(view, strcmp(root, "/") == 0 ? "" : root, toolkit_parts, failure);
}

/* If clang is PREFIX/bin/clang outside /usr, make all of PREFIX visible. */
static bool view_add_clang(struct sandbox_view *view, struct failure *failure)
{
    char found[PATH_SIZE], program[PATH_MAX];
    strcpy(view->search_path, "/usr/bin:/bin");
    if (!program_find("clang", found, sizeof found) || realpath(found, program) == NULL ||
        strncmp(program, "/usr/bin/", 9) == 0 || strncmp(program, "/usr/lib/", 9) == 0)
        return true;
    *strrchr(program, '/') = '\0';
    snprintf(view->search_path, sizeof view->search_path, "%s:/usr/bin:/bin", program);
    char *slash = strrchr(program, '/');
    if (slash == NULL || slash == program) /* clang has no separate directory */
        return true;
    *slash = '\0';
    return view_add_own(view, program, failure);
}

bool sandbox_view_make(const char *directory, struct sandbox_view *view, struct failure *failure)
{
    const char *compiler = getenv("TLAB_COMPILER");
    bool only_nvrtc = compiler != NULL && strcmp(compiler, "nvrtc") == 0;
    char path[PATH_MAX], inside[PATH_SIZE];
    *view = (struct sandbox_view){0};
    if (realpath(directory, path) == NULL)
        return failure_harness(failure, "cannot read %s: %m", directory);
    if (!view_add(view, path, SANDBOX_SUBMISSION, failure) ||
        !paths_in_root(INCLUDE, view->include, failure) ||
        !paths_in_root(SUPPORT, view->support, failure))
        return false;
    strcpy(view->submission, path);
    for (const char *const *part = course_parts; *part != NULL; part++) {
        snprintf(inside, sizeof inside, SANDBOX_ROOT "/%s", *part);
        if (!paths_in_root(*part, path, failure) || !view_add(view, path, inside, failure))
            return false;
    }
    return paths_of_program(NULL, path, failure) &&
           view_add(view, path, SANDBOX_PROGRAM, failure) &&
           view_add_all(view, "", libraries, failure) &&
           (only_nvrtc ||
            (view_add_all(view, "", compilers, failure) && view_add_clang(view, failure))) &&
           view_add_toolkit(view, failure);
}

/* No program in the sandbox needs /proc, and many containers cannot mount it. nvcc uses /tmp. */
static const char *const isolation[] = {"--unshare-all",
                                        "--die-with-parent",
                                        "--new-session",
                                        "--cap-drop",
                                        "ALL",
                                        "--clearenv",
                                        "--dev-bind",
                                        "/dev/null",
                                        "/dev/null",
                                        "--size",
                                        "67108864",
                                        "--tmpfs",
                                        "/tmp",
                                        "--hostname",
                                        "sandbox",
                                        "--setenv",
                                        "TMPDIR",
                                        "/tmp",
                                        "--setenv",
                                        "HOME",
                                        "/",
                                        "--setenv",
                                        "LC_ALL",
                                        "C",
                                        NULL};

void sandbox_view_arguments(const char *bubblewrap, const struct sandbox_view *view,
                            struct arguments *words)
{
    arguments_add(words, "%s", bubblewrap);
    arguments_add_all(words, isolation);
    for (size_t i = 0; i < view->count; i++) {
        const struct sandbox_place *place = &view->places[i];
        if (place->link[0] != '\0')
            ARGUMENTS_ADD(words, "--symlink", place->link, place->inside);
        else
            ARGUMENTS_ADD(words, "--ro-bind", place->source, place->inside);
    }
    const char *compiler = getenv("TLAB_COMPILER");
    ARGUMENTS_ADD(words, "--setenv", "PATH",
                  view->search_path[0] != '\0' ? view->search_path : "/usr/bin:/bin");
    if (view->toolkit[0] != '\0')
        ARGUMENTS_ADD(words, "--setenv", "TLAB_CUDA", view->toolkit);
    if (compiler != NULL && compiler[0] != '\0')
        ARGUMENTS_ADD(words, "--setenv", "TLAB_COMPILER", compiler);
    ARGUMENTS_ADD(words, "--remount-ro", "/", "--chdir", SANDBOX_SUBMISSION, "--");
}
