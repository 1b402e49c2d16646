/* sandbox_include.h: find #includes of files outside of the submission.
 *
 * Where the sandbox prevents reading such files, this search follows the compilation and names the
 * reason of a failure, by the rules of C++. Where nothing prevents it (struct sandbox_inside,
 * `isolated`), the search precedes the compilation and is strict: a directive counts wherever any
 * compiler may find one, also in comments and after #if 0, and a macro cannot name a file.
 *
 * Allowed are names without "/" at their start and without "..", of the submission or of the
 * compiler, and "../name" of a file of the submission.
 */
#ifndef SANDBOX_INCLUDE_H
#define SANDBOX_INCLUDE_H

#include "base/failure.h"

enum include_search {
    INCLUDE_STRICT,
    INCLUDE_AFTER_ERROR,
    INCLUDE_AFTER_SUCCESS /* only absolute names of files that exist count: /dev/stdin */
};

/* Check a file of the submission, which is the working directory, and the files of the submission
 * that it includes. A student failure STATUS_UNTRUSTED: "a.cu(3): includes /etc/passwd, which is
 * not part of the submission". Files that cannot be read count as empty. */
bool sandbox_includes_check(const char *name, enum include_search kind, struct failure *failure);

#endif
