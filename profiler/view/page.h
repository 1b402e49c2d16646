/* page.h: HTML pages, which jq makes from JSON documents. view/page/ has the common parts: fields,
 * numbers, escaped markup and the frame of a page (text.jq), the counters of a lab (lab.jq), and
 * style.css.
 */
#ifndef PAGE_H
#define PAGE_H

#include "base/paths.h"
#include "process/child.h"

/* Find jq. Returns false for a harness failure, which says how to install jq. */
bool page_find_jq(char program[PATH_SIZE], struct failure *failure);

struct page_program {
    const char *path;   /* the jq program, below the root; its includes may lie beside it */
    const char *script; /* the page's only script, below the root, in $script; NULL if none */
    const char *digest; /* $digest, with which the page's policy allows the script; NULL if none */
    bool raw;           /* the output is text; otherwise lines of JSON */
    const struct child_limits *limits;
};

/* Run the jq program on the file `input`. The result has its output; free it with
 * child_result_free. Returns false for a harness failure. */
bool page_run(const struct page_program *program, const char *input, struct child_result *result,
              struct failure *failure);

#endif
