/* sandbox_include.h: find #includes of files outside of the submission.
 *
 * The sandbox prevents reading such a file. This check explains it in the same way in every
 * sandbox, and is an additional protection in the weaker one. Directives are found without a
 * preprocessor (text/includes.h), so that those after #if or with a macro count too. Allowed are
 *   - names without "/" at their start and without "..": of the submission, or of the compiler;
 *   - "../name" of a file of the submission.
 */
#ifndef SANDBOX_INCLUDE_H
#define SANDBOX_INCLUDE_H

#include "base/failure.h"

#include <stddef.h>

struct sandbox_source {
    char *name; /* relative to the submission */
    char *text;
    size_t bytes;
};

/* All regular files of a submission. */
struct sandbox_sources {
    struct sandbox_source *items;
    size_t count;
};

/* Read the files: at most SANDBOX_SOURCES_MAX, in at most SANDBOX_SOURCES_DEPTH levels of
 * directories. Harness failure: no memory, an unreadable directory, or limits that intake.h
 * guarantees. */
enum { SANDBOX_SOURCES_MAX = 256, SANDBOX_SOURCES_DEPTH = 16, SANDBOX_SOURCE_BYTES_MAX = 16 << 20 };
bool sandbox_sources_read(const char *directory, struct sandbox_sources *sources,
                          struct failure *failure);
void sandbox_sources_free(struct sandbox_sources *sources);

/* Check a file and the files of the submission that it includes. A student failure
 * STATUS_UNTRUSTED: "a.cu(3): includes /etc/passwd, which is not part of the submission". */
bool sandbox_sources_check(const struct sandbox_sources *sources, const char *name,
                           struct failure *failure);

#endif
