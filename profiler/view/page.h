/* page.h: make HTML pages from JSON documents with jq. view/page has the parts of all pages. */
#ifndef PAGE_H
#define PAGE_H

#include "base/paths.h"
#include "process/child.h"

/* Write the path of jq to `program`. If jq is missing, returns false (a harness failure). */
bool page_find_jq(char program[PATH_SIZE], struct failure *failure);

struct page_program {
    /* The jq program, relative to the root. jq searches its directory for included files. */
    const char *path;
    /* The only script of the page ($script), relative to the root; NULL if none. */
    const char *script;
    const char *digest; /* Digest ($digest) of the script for the page's policy, or NULL. */
    bool raw;           /* True if the output is text; false if it is lines of JSON. */
    const struct child_limits *limits;
};

/* Run the jq program on the file `input`. The caller frees the output in `result` with
 * child_result_free. Returns false for a harness failure. */
bool page_run(const struct page_program *program, const char *input, struct child_result *result,
              struct failure *failure);

#endif
