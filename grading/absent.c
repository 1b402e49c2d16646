/* absent.c: stands for everything in grading/ where its libraries are not installed. */
#include "commands/command.h"

bool grading_probe(struct failure *failure)
{
    return failure_harness(failure,
                           "this tlab was built without grading, because a library was missing; "
                           "`make deps` installs it (libjansson-dev libarchive-dev "
                           "libseccomp-dev nettle-dev libutf8proc-dev), then run `make`");
}

static int fail(struct failure *failure)
{
    grading_probe(failure);
    return 2;
}

int command_grade(int count, char **values, struct failure *failure)
{
    (void)count;
    (void)values;
    return fail(failure);
}

int command_compile_caged(int count, char **values, struct failure *failure)
{
    (void)count;
    (void)values;
    return fail(failure);
}
