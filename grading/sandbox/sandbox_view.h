/* sandbox_view.h: the files that a sandboxed compiler can read. All other files are hidden, such as
 * /etc, home directories, solutions, rubrics and other submissions. */
#ifndef SANDBOX_VIEW_H
#define SANDBOX_VIEW_H

#include "base/paths.h"
#include "process/child.h"

#define SANDBOX_SUBMISSION "/submission"
#define SANDBOX_ROOT "/tlab"
#define SANDBOX_PROGRAM SANDBOX_ROOT "/program"

enum { SANDBOX_PLACES_MAX = 48 };

/* The file or directory `source` on the machine appears as `inside` in the sandbox, read-only.
 * `link` is the target of a symbolic link to a visible directory, such as usr/lib for /lib. */
struct sandbox_place {
    char source[PATH_SIZE], inside[PATH_SIZE], link[64];
};

struct sandbox_view {
    struct sandbox_place places[SANDBOX_PLACES_MAX];
    size_t count;
    /* Paths outside the sandbox: the submission, lab.h's directory, clang_cuda.h's directory. */
    char submission[PATH_SIZE], include[PATH_SIZE], support[PATH_SIZE];
    char search_path[2 * PATH_SIZE]; /* PATH in the sandbox */
    char toolkit[PATH_SIZE];         /* TLAB_CUDA in the sandbox; "" if not set */
};

/* Make the view for compiling files of `directory`. A view is too large for a thread's stack. */
bool sandbox_view_make(const char *directory, struct sandbox_view *view, struct failure *failure);

/* Append bubblewrap's command line, without the program to run. */
void sandbox_view_arguments(const char *bubblewrap, const struct sandbox_view *view,
                            struct arguments *words);

#endif
