/* absent.c: the commands of grading/ in a build without the grader's libraries or sources. */
#include "base/paths.h"
#include "commands/command.h"

#include <unistd.h>

/* Returns true in the release for students (make release-students), which has no grader sources. */
static bool is_for_students(void)
{
    char sources[PATH_SIZE];
    struct failure none = {0};
    return paths_in_root("grading/command_grade.c", sources, &none) && access(sources, F_OK);
}

bool grading_probe(struct failure *failure)
{
    if (is_for_students())
        return failure_harness(failure, "this is the student version of the course, without the "
                                        "grader; `tlab run --points` shows the published checks");
    return failure_harness(
        failure, "this tlab was built without grading, because a library was missing. Run `make "
                 "deps`, which installs the libraries (libjansson-dev libarchive-dev "
                 "libseccomp-dev nettle-dev libutf8proc-dev), and then `make`");
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

int command_compile_sandboxed(int count, char **values, struct failure *failure)
{
    (void)count;
    (void)values;
    return fail(failure);
}

int command_stage(int count, char **values, struct failure *failure)
{
    (void)count;
    (void)values;
    return fail(failure);
}
