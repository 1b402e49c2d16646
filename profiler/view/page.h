/* page.h: makes HTML pages from JSON documents with jq. view/page/ has the common parts: fields,
 * numbers, escaped markup and the frame of a page (text.jq), the counters of a lab (lab.jq), and
 * the style (style.css). */
#ifndef PAGE_H
#define PAGE_H

#include "base/paths.h"
#include "process/child.h"

/* Find jq. Returns false for a harness failure, which explains how to install jq. */
bool page_find_jq(char program[PATH_SIZE], struct failure *failure);

struct page_program {
    const char *path;   /* the jq program, relative to the root; its includes may be beside it */
    const char *script; /* the page's only script ($script), relative to the root; NULL if none */
    const char *digest; /* $digest, which allows the script in the page's policy; NULL if none */
    bool raw;           /* true: the output is text; false: lines of JSON */
    const struct child_limits *limits;
};

/* Run the jq program on the file `input`. `result` contains the output; free it with
 * child_result_free. Returns false for a harness failure. */
bool page_run(const struct page_program *program, const char *input, struct child_result *result,
              struct failure *failure);

#endif
