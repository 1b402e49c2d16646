/* sandbox_include.h: find #includes of files outside the submission. A name must not begin with
 * "/", and a name with ".." must be the name of a file of the submission. If the compiler cannot
 * read outside files (`isolated` in sandbox_inside.h), the search follows the compilation. It then
 * finds the reason for a failure by the rules of C++. Otherwise, the search precedes the
 * compilation and is strict: it finds every possible directive, even in comments, and rejects
 * macros as names. */
#ifndef SANDBOX_INCLUDE_H
#define SANDBOX_INCLUDE_H

#include "base/failure.h"

enum include_search {
    INCLUDE_STRICT,
    INCLUDE_AFTER_ERROR,
    INCLUDE_AFTER_SUCCESS /* report only absolute names of existing files, such as /dev/stdin */
};

/* Check a file, and the files of the submission that it includes. The submission is the working
 * directory. Returns false for a student failure STATUS_UNTRUSTED: "a.cu(3): the included file
 * /etc/passwd is not part of the submission". Files that cannot be read are treated as empty. */
bool sandbox_includes_check(const char *name, enum include_search kind, struct failure *failure);

#endif
