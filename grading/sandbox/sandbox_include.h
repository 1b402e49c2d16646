/* sandbox_include.h: find #includes of files outside of the submission.
 *
 * If the compiler cannot read such files (struct sandbox_inside, `isolated`), the search follows
 * the compilation and finds the reason of a failure, by the rules of C++. If the compiler can read
 * such files, the search precedes the compilation and is strict: a directive counts wherever any
 * compiler may find one, even in comments and after #if 0, and a macro cannot name a file.
 *
 * A file of the submission or the compiler is allowed if its name does not begin with "/" and does
 * not contain "..". "../name" is also allowed for a file of the submission.
 */
#ifndef SANDBOX_INCLUDE_H
#define SANDBOX_INCLUDE_H

#include "base/failure.h"

enum include_search {
    INCLUDE_STRICT,
    INCLUDE_AFTER_ERROR,
    INCLUDE_AFTER_SUCCESS /* report only absolute names of files that exist: /dev/stdin */
};

/* Check a file of the submission, and the files of the submission that it includes. The submission
 * is the working directory. A student failure has STATUS_UNTRUSTED: "a.cu(3): includes /etc/passwd,
 * which is not part of the submission". Files that cannot be read count as empty. */
bool sandbox_includes_check(const char *name, enum include_search kind, struct failure *failure);

#endif
