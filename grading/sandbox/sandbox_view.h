/* sandbox_view.h: which files a sandboxed compiler sees, and under which names. Everything else of
 * the machine is hidden: /etc, home directories, solutions, rubrics, other submissions.
 */
#ifndef SANDBOX_VIEW_H
#define SANDBOX_VIEW_H

#include "base/paths.h"

#include <stdbool.h>
#include <stddef.h>

/* Names inside bubblewrap's sandbox, the same on every machine. */
#define SANDBOX_SUBMISSION "/submission"
#define SANDBOX_ROOT "/tlab"
#define SANDBOX_PROGRAM SANDBOX_ROOT "/program"

enum { SANDBOX_PLACES_MAX = 48 };

/* A place of the view: a file or directory of the machine, `source`, which is seen read-only under
 * the name `inside`. Where that is itself a symbolic link to a directory that is seen (/lib to
 * usr/lib), `link` is its target. */
struct sandbox_place {
    char source[PATH_SIZE], inside[PATH_SIZE], link[64];
};

struct sandbox_view {
    struct sandbox_place places[SANDBOX_PLACES_MAX];
    size_t count;
    /* Where three of them are outside: the submission, lab.h's directory, and the one of
     * clang_cuda.h and the stand-in headers. */
    char submission[PATH_SIZE], include[PATH_SIZE], support[PATH_SIZE];
    char search_path[2 * PATH_SIZE]; /* PATH inside */
    char toolkit[PATH_SIZE];         /* TLAB_CUDA inside; "" to unset it */
};

/* The view for compiling what lies in `directory`. Large: not for the stack of a thread. */
bool sandbox_view_make(const char *directory, struct sandbox_view *view, struct failure *failure);

/* The command line of bubblewrap that shows a program this view: NULL-ended, from the heap as a
 * whole. NULL: no memory. `program` and its arguments (NULL-ended) are run in
 * SANDBOX_SUBMISSION. */
const char **sandbox_view_arguments(const char *bubblewrap, const struct sandbox_view *view,
                                    const char *const program[]);

#endif
